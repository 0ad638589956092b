"""Lines of cells: CSV, spreadsheets, plain columns, and prints of pandas, R, Julia, MATLAB, Octave.

A text is blocks, each under its name ("Q =", "Attention weights:"). A print that is too wide for
its screen comes in pieces, which are put next to each other again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from core.errors import check_most, input_error
from core.files.dialects.cells_of_lines import cells_of_lines
from core.files.dialects.rows_of_cells import Rows, matrix_of_rows
from core.files.dialects.scripts import opens_a_script
from core.files.dialects.written import Paste, WrittenMatrix, computed
from core.files.numerals import is_number, too_deep
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_LINES = 10_000
"""Of a table, or of several; blank ones count too."""

_OPENING = re.compile(r"\A\s*([A-Za-z_][\w.]*)[ \t]*=(?!=)[ \t]*")
_NAME_ALONE = re.compile(r"\s*(?:#+\s*[A-Za-z_][\w.]*|W_?[QKVOqkvo]|[QKVX])\s*")
"""A line with only the name of a matrix, which may be a comment."""
_SIZE = re.compile(r"\s*\d+(?:×\d+|-element)\b.*")
_FACTOR = re.compile(r"\s*1(?:\.0*)?e([+-]?\d{1,3})\s*\*\s*", re.IGNORECASE)
_COLUMNS = re.compile(r"\s*Columns?\s+\d+(?:\s*(?:through|to|and|-)\s*\d+)?\s*(?:and\s+\d+)?:?\s*")
_PROMPT = re.compile(r"\s*(?:>|>>|>>>|julia>|octave:\d+>)\s*([\w.]+)\s*")
_FOOTER = re.compile(r"\[\d+ rows x \d+ columns\]")
_NO_NUMBERS = re.compile(rf"\s*(?:Diagonal Matrix|{_FOOTER.pattern})\s*")
_PAGE = re.compile(
    r"\s*(?:(?P<name>[A-Za-z]\w*)?[\[(]:,\s*:,\s*(?P<number>\d{1,3})(?P<more>(?:,\s*\d+)*)[\])]\s*="
    r"|, , (?P<of_r>\w.*?))\s*"
)
"""Above each matrix of a print of three axes, which become a stack in their order: A(:,:,1) of
MATLAB, ans(:,:,1) of Octave, [:, :, 1] of Julia; , , 1 of R."""
_HEADER_OF_R = re.compile(r"\s*\[,\d+\]")
_R_LABEL = re.compile(r"^[ \t]*(?:\[\d+,\]|\[1\])[ \t]|\[,1\]", re.MULTILINE)


def is_r_print(text: str) -> bool:
    """Return whether a text is a print of R: rows [1,] and columns [,1], or a vector after [1]."""
    return _R_LABEL.search(text) is not None


def read_tables(text: str) -> Paste:
    """Return the matrices of a text without brackets. Raises `InputError`."""
    if opens_a_script(text):
        raise computed(text.strip())
    blocks = [block for block in _blocks(text) if any(block.pieces)]
    return Paste(_with_stacks([(block.page, _read_block(block)) for block in blocks]))


@dataclass
class _Block:
    """The lines under one name, in pieces that belong next to each other."""

    name: str = ""
    pieces: list[list[str]] = field(default_factory=lambda: [[]])
    exponent: str = ""
    page: int = 0
    """Of a print of three axes; 0: it is none."""
    is_displayed: bool = False
    """Whether MATLAB, Octave or Julia printed it: its rows and columns have no numbers."""


def _blocks(text: str) -> list[_Block]:
    check_most(TEXTS, "many_lines", "count", text.count("\n"), MAX_LINES)
    opening = _OPENING.match(text)
    blocks = [_Block(opening[1] if opening else "")]
    blocks[0].is_displayed = opening is not None and text[opening.end() :].startswith("\n")
    above = ""
    for line in text[opening.end() if opening else 0 :].split("\n"):
        block = blocks[-1]
        if not line.strip():
            if block.pieces[-1]:
                block.pieces[-1].append("")
        elif prompt := _PROMPT.fullmatch(line):
            blocks.append(_Block(prompt[1]))
        elif factor := _FACTOR.fullmatch(line):
            block.exponent = str(int(factor[1]))
        elif _COLUMNS.fullmatch(line):
            block.pieces.append([])
        elif _SIZE.fullmatch(line):
            block.is_displayed = True
        elif _NO_NUMBERS.fullmatch(line):
            continue
        elif page := _PAGE.fullmatch(line):
            is_empty = block.name and not block.page and not any(block.pieces)
            above = block.name if is_empty else above  # Octave says the name once
            name = page["name"] or ""
            name = above if name in ("", "ans") and above else name
            blocks.append(_Block(name, page=_page_number(page), is_displayed=True))
        elif _is_title(line):
            above = ""
            is_displayed = line.rstrip().endswith("=")
            blocks.append(_Block(line.strip(" \t=:#"), is_displayed=is_displayed))
        else:
            block.pieces[-1].append(_FOOTER.sub("", line))
    return blocks


def _is_title(line: str) -> bool:
    """Whether a line is a name: "Q =", "Attention weights:"."""
    line = line.strip()
    if _NAME_ALONE.fullmatch(line):
        return True
    return line[-1] in "=:" and not re.search(r"[\t|;,]", line) and not is_number(line[:-1])


def _page_number(page: re.Match[str]) -> int:
    """Raises `InputError` for a page of more than three axes, and for one without a number."""
    number = page["number"] or page["of_r"]
    if page["more"] or "," in number:
        raise too_deep()
    if not re.fullmatch(r"\d{1,3}", number, re.ASCII):
        raise input_error(TEXTS, "pages")
    return int(number)


def _with_stacks(found: Sequence[tuple[int, WrittenMatrix]]) -> list[WrittenMatrix]:
    """Matrices, and the pages among them as stacks; the number of one that is no page is 0.

    Raises `InputError` for pages of one name that are not numbered from 1 on.
    """
    stacks: list[WrittenMatrix] = []
    last = 0
    for page, written in found:
        if page < 2:
            stacks.append(replace(written, words=[written.words]) if page else written)
        elif page == last + 1 and written.name == stacks[-1].name:
            stacks[-1].words.append(written.words)
        else:
            raise input_error(TEXTS, "pages")
        last = page
    return stacks


def _read_block(block: _Block) -> WrittenMatrix:
    kept = [_without_blank_lines(piece) for piece in block.pieces]
    pieces = [lines for piece in kept for lines in _pieces_of(piece) if lines]
    is_spaced = not any(sign in line for piece in kept for line in piece for sign in ",;\t")
    rows = _joined([cells_of_lines(lines) for lines in pieces])
    is_numbered = not (block.is_displayed and is_spaced)
    whole = matrix_of_rows(rows, name=block.name, may_be_numbered=is_numbered)
    if block.exponent:
        scaled = [[f"{word}e{block.exponent}" for word in row] for row in whole.words]
        whole = replace(whole, words=scaled)
    return whole


def _without_blank_lines(lines: list[str]) -> list[str]:
    """The lines of a table. Raises `InputError` if blank ones may part several matrices."""
    groups = [list(group) for is_kept, group in groupby(lines, bool) if is_kept]
    is_wide_print = any(line.rstrip().endswith("\\") for line in lines)
    header = re.split(r"[\s,;]+", groups[0][0]) if groups and len(groups[0]) == 1 else ["0"]
    has_header = not any(map(is_number, header))
    below = groups[has_header:]
    if len(below) > 1 and max(map(len, below)) > 1 and not is_wide_print:
        raise input_error(TEXTS, "blank_line")
    return [line for group in groups for line in group]


def _pieces_of(lines: list[str]) -> list[list[str]]:
    """The pieces of a wide print of R or pandas: each begins with its own header.

    All headers of pandas end with a backslash but the last; the pieces are as long as each other.
    """
    of_pandas = [n for n, line in enumerate(lines) if line.rstrip().endswith("\\")]
    starts = {*of_pandas, *(n for n, line in enumerate(lines) if _HEADER_OF_R.match(line))}
    if not starts:
        return [lines]
    if of_pandas:
        apart = (below - above for above, below in pairwise(of_pandas))
        length = min(apart, default=len(lines) // (len(of_pandas) + 1))
        starts |= set(range(0, len(lines), max(length, 1)))
    bare = [line.rstrip().removesuffix("\\") for line in lines]
    return [bare[start:end] for start, end in pairwise(sorted({0, *starts, len(lines)}))]


def _joined(pieces: list[Rows]) -> Rows:
    """Pieces of one table, next to each other. Raises `InputError` if they do not fit."""
    first, *others = ([row for row in piece if row] for piece in pieces)
    for piece in [first, *others] if others else []:
        if not first or len(piece) != len(first):
            raise input_error(TEXTS, "pieces")
        if len(piece) > 1 and all(len(row) == len(piece[0]) + 1 for row in piece[1:]):
            piece[0] = ["", *piece[0]]
    if others and not first[0][0]:
        labels = [row[0] for row in first]
        if any([row[0] for row in piece] != labels for piece in others):
            raise input_error(TEXTS, "pieces")
        others = [[row[1:] for row in piece] for piece in others]
    return [[cell for part in parts for cell in part] for parts in zip(first, *others, strict=True)]
