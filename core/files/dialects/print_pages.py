"""Prints of three axes, a page for each index of the last one: MATLAB, Octave, Julia and R.

The pages become a stack of matrices, in their order.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.errors import InputError, input_error
from core.files.dialects.written import WrittenMatrix
from core.files.numerals import too_deep
from core.texts import core_texts

TEXTS = core_texts("files")

_PAGE = re.compile(
    r"\s*(?:(?P<name>[A-Za-z]\w*)?[\[(]:,\s*:,\s*(?P<number>\d{1,3})(?P<more>(?:,\s*\d+)*)[\])]\s*="
    r"|, , (?P<of_r>\w.*?))\s*"
)
"""Above a page: A(:,:,1) of MATLAB, ans(:,:,1) of Octave, [:, :, 1] of Julia; , , 1 of R."""


def page_of(line: str) -> tuple[str, int] | None:
    """Return the name and the number of the page that a line stands above; None if it does not.

    Raises `InputError` for a page of more than three axes, and for one without a number.
    """
    page = _PAGE.fullmatch(line)
    if page is None:
        return None
    number = page["number"] or page["of_r"]
    if page["more"] or "," in number:
        raise too_deep()
    if not re.fullmatch(r"\d{1,3}", number, re.ASCII):
        raise _pages_asked()
    return page["name"] or "", int(number)


def pages_as_one(found: Sequence[tuple[int, WrittenMatrix]]) -> list[WrittenMatrix]:
    """Return matrices with the pages among them as stacks; the number of one that is no page is 0.

    Raises `InputError` for pages of one name that are not numbered from 1 on.
    """
    stacks: list[list[tuple[int, WrittenMatrix]]] = []
    for number, written in found:
        last_number, last = stacks[-1][-1] if stacks else (0, written)
        if number < 2:
            stacks.append([(number, written)])
        elif number == last_number + 1 and last.name == written.name:
            stacks[-1].append((number, written))
        else:
            raise _pages_asked()
    return [_stack([page for _, page in pages]) if pages[0][0] else pages[0][1] for pages in stacks]


def _pages_asked() -> InputError:
    return input_error(TEXTS, "pages")


def _stack(pages: Sequence[WrittenMatrix]) -> WrittenMatrix:
    return replace(pages[0], words=[page.words for page in pages])
