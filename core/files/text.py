"""Text to matrices: numbers as people paste them, from code, prints, tables and LaTeX.

Each way of writing is a dialect (`core.files.dialects`): the first one that a text is in reads it,
as nested lists of words, which `core.files.numerals` turns into numbers. Nothing is evaluated.
Nothing is guessed: what can be read in two ways is refused, and the message says both.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from core.errors import InputError, check_most, input_error
from core.files.dialects.brackets import is_bracketed, read_bracketed
from core.files.dialects.latex import is_latex, read_latex
from core.files.dialects.markup import is_html, is_markdown, read_html, read_markdown
from core.files.dialects.scripts import is_script, read_script
from core.files.dialects.tables import is_r_print, read_tables
from core.files.dialects.written import Parsed, Paste, WrittenMatrix, computed
from core.files.downloads import is_our_csv, read_our_csv
from core.files.matrices import (
    MAX_ARRAYS,
    MAX_MATRICES,
    MAX_SIDE,
    NumberRange,
    check_array_count,
    checked_floats,
    in_array,
    shorten,
    wrong_count,
)
from core.files.numerals import matrix_of_words, too_deep
from core.program.labels import listed_names
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_CHARACTERS = 200_000

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)\w*[ \t]*$", re.MULTILINE)
"""What stands around code in Markdown."""
_SIZE_NOTE = re.compile(r"(?<=\w)[ \t]?\(\d{1,3} ?[x×] ?\d{1,3}\)(?=[ \t]?:[ \t]?$)", re.MULTILINE)
"""In a title: Q (2x2):"""

_Dialect = tuple[Callable[[str], bool], Callable[[str], Paste]]

EXACT_DIALECTS: tuple[_Dialect, ...] = ((is_our_csv, read_our_csv), (is_script, read_script))
"""Those that can be nothing else; their labels and comments may have any signs."""
DIALECTS: tuple[_Dialect, ...] = (
    (is_html, read_html),
    (is_latex, read_latex),
    (is_markdown, read_markdown),
    (is_r_print, read_tables),
    (is_bracketed, read_bracketed),
    (lambda text: True, read_tables),
)
"""Whether a text is in a dialect, and what reads it; the first one that it is in counts."""

_SPELLINGS = str.maketrans(
    {"−": "-", "–": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u200b": "", "\u2060": ""}
)


def parse_matrix(text: str, *, limit: int = MAX_SIDE) -> Float[np.ndarray, "..."]:
    """The numbers of a text: (rows, columns), or (matrices, rows, columns).

    Raises `InputError` for a text without numbers, with several matrices or with one that would
    have to be computed; for what can be read in two ways; and beyond `limit` rows or columns,
    `MAX_MATRICES` or `MAX_CHARACTERS`.
    """
    paste = _paste(text)
    if len(paste.matrices) == 1 and not paste.computed:
        return _parsed(paste.matrices[0], limit, NumberRange.FINITE).array
    if not paste.matrices:
        raise _nothing_read(paste)
    names = [written.name or TEXTS("unnamed") for written in paste.matrices] + paste.computed
    raise input_error(
        TEXTS, "several_matrices", names=listed_names([shorten(n) for n in names[:8]])
    )


def parse_matrices(text: str) -> Mapping[str, Parsed]:
    """The matrices of a text by their names; "" for one without a name.

    Names that would have to be computed are left out. Raises `InputError` as `parse_matrix` does,
    and for two matrices of one name.
    """
    paste = _paste(text)
    if not paste.matrices:
        raise _nothing_read(paste)
    return _by_name(paste, lambda name: True)


class ParsedText(NamedTuple):
    """The matrices of a text by their names, and its lists of words by theirs.

    `computed` are names and code that would have to be run.
    """

    matrices: Mapping[str, Parsed]
    lists: Mapping[str, tuple[str, ...]]
    computed: tuple[str, ...] = ()


def parse_text(text: str, *, is_bounded: Callable[[str], bool] = lambda name: True) -> ParsedText:
    """The matrices and the lists of words of a text by their names; "" for one without a name.

    A matrix whose name `is_bounded` does not accept may hold infinite and large numbers, as an
    additive mask does. Raises `InputError` as `parse_matrices` does.
    """
    paste = _paste(text)
    if not paste.matrices and not paste.lists:
        raise _nothing_read(paste)
    return ParsedText(_by_name(paste, is_bounded), paste.lists, tuple(paste.computed))


def _by_name(paste: Paste, is_bounded: Callable[[str], bool]) -> dict[str, Parsed]:
    found: dict[str, Parsed] = {}
    for written in paste.matrices:
        if written.name in found:
            name = shorten(written.name)
            raise input_error(TEXTS, "text_names", name=name, is_named=bool(name))
        with in_array(written.name):
            numbers = NumberRange.OR_HIDDEN if is_bounded(written.name) else NumberRange.ANY
            found[written.name] = _parsed(written, MAX_SIDE, numbers)
    return found


def _nothing_read(paste: Paste) -> InputError:
    return computed(paste.computed[0]) if paste.computed else input_error(TEXTS, "no_numbers")


def _paste(text: str) -> Paste:
    """What is written in a text, in its dialect."""
    check_most(TEXTS, "long_text", "length", len(text), MAX_CHARACTERS)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _SIZE_NOTE.sub("", _FENCE.sub("", text))
    exact = next((read for is_mine, read in EXACT_DIALECTS if is_mine(text)), None)
    if exact is not None:
        paste = exact(text)
    else:
        text = text.translate(_SPELLINGS)
        paste = next(read for is_mine, read in DIALECTS if is_mine(text))(text)
    if len(paste.matrices) > MAX_ARRAYS:
        check_array_count(len(paste.matrices))
    return paste


def _parsed(written: WrittenMatrix, limit: int, numbers: NumberRange) -> Parsed:
    """The numbers of what is written, after its operations. Raises `InputError`."""
    words = written.words
    if not isinstance(words, list):
        words = [words]
    if not written.operations:
        array = matrix_of_words(words, limit=limit, numbers=numbers)
        return Parsed(array, written.name, written.rows, written.columns)
    read = matrix_of_words(words, limit=MAX_CHARACTERS, numbers=NumberRange.ANY)
    is_row = not any(isinstance(word, list) for word in words)
    parsed = Parsed(read[0] if is_row else read, written.name, written.rows, written.columns)
    with np.errstate(all="ignore"):  # what overflows is refused
        for operation in written.operations:
            parsed = operation(parsed)
    return replace(parsed, array=_checked(parsed.array, limit, numbers))


def _checked(array: np.ndarray, limit: int, numbers: NumberRange) -> Float[np.ndarray, "..."]:
    """An array with two or three axes, none of them too long. Raises `InputError`."""
    while array.ndim > 3 and len(array) == 1:
        array = array[0]
    array = np.atleast_2d(array)
    if array.ndim > 3:
        raise too_deep()
    limits = {-3: MAX_MATRICES, -2: limit, -1: limit}
    for axis in range(-array.ndim, 0):
        count, most = array.shape[axis], limits[axis]
        if not 1 <= count <= most:
            raise wrong_count(count, axis, most, TEXTS("the_matrix"))
    return checked_floats(array, TEXTS("the_matrix"), numbers)
