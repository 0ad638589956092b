"""Lines of cells: CSV, spreadsheets, plain columns, and prints of pandas, R, Julia, MATLAB, Octave.

A text is blocks, each under its name ("Q =", "Attention weights:"). A print that is too wide for
its screen comes in pieces, which are put next to each other again.
"""

import csv
import re
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from core.errors import InputError, input_error
from core.files.dialects.grids import MAX_CELLS, GridRows, grid, is_counted
from core.files.dialects.print_pages import page_of, pages_as_one
from core.files.dialects.scripts import opens_a_script
from core.files.dialects.written import Paste, WrittenMatrix, computed
from core.files.matrices import shorten
from core.files.numerals import is_number
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_LINES = 10_000
"""Of a table, or of several; blank ones count too."""

_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_LETTERS = re.compile(r"[^\W\d_eE]")
_QUOTED = re.compile(r'"[^"\n]*"')
_WORD = re.compile(r'"[^"\n]*"|\S+')
_OPENING = re.compile(r"\A\s*([A-Za-z_][\w.]*)[ \t]*=(?!=)[ \t]*")
_NAME_ALONE = re.compile(r"\s*(?:#+\s*[A-Za-z_][\w.]*|W_?[QKVOqkvo]|[QKVX])\s*")
"""A line with only the name of a matrix, which may be a comment."""
_SIZE = re.compile(r"\s*\d+(?:×\d+|-element)\b.*")
_FACTOR = re.compile(r"\s*1(?:\.0*)?e([+-]?\d{1,3})\s*\*\s*", re.IGNORECASE)
_COLUMNS = re.compile(r"\s*Columns?\s+\d+(?:\s*(?:through|to|and|-)\s*\d+)?\s*(?:and\s+\d+)?:?\s*")
_PROMPT = re.compile(r"\s*(?:>|>>|>>>|julia>|octave:\d+>)\s*([\w.]+)\s*")
_DIAGONAL = re.compile(r"\s*Diagonal Matrix\s*")
_FOOTER = re.compile(r"\[\d+ rows x \d+ columns\]")
_OF_R = re.compile(r"\s*(?:\S*\s+)?\[(?:\d*,\d*|\d+)\]")
_R_LABEL = re.compile(r"^[ \t]*(?:\[\d+,\]|\[1\])[ \t]|\[,1\]", re.MULTILINE)
_LABEL_END = re.compile(r"(?:->|=>|[:→↦⟶])[ \t]+(?=[-+.\d])")


def is_r_print(text: str) -> bool:
    """Return whether a text is a print of R: rows [1,] and columns [,1], or a vector after [1]."""
    return _R_LABEL.search(text) is not None


def read_tables(text: str) -> Paste:
    """Return the matrices of a text without brackets. Raises `InputError`."""
    if opens_a_script(text):
        raise computed(text.strip())
    blocks = [block for block in _blocks(text) if any(block.pieces)]
    return Paste(pages_as_one([(block.page, _read_block(block)) for block in blocks]))


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


def _is_title(line: str) -> bool:
    """Whether a line is a name: "Q =", "Attention weights:"."""
    line = line.strip()
    if _NAME_ALONE.fullmatch(line):
        return True
    return line[-1] in "=:" and not re.search(r"[\t|;,]", line) and not is_number(line[:-1])


def _blocks(text: str) -> list[_Block]:
    lines = text.count("\n")
    if lines > MAX_LINES:
        raise input_error(TEXTS, "many_lines", count=f"{lines:,}", most=f"{MAX_LINES:,}")
    opening = _OPENING.match(text)
    blocks = [_Block(opening[1] if opening else "")]
    blocks[0].is_displayed = opening is not None and text[opening.end() :].startswith("\n")
    above = ""
    for line in text[opening.end() if opening else 0 :].split("\n"):
        block = blocks[-1]
        if not line.strip():
            if block.pieces[-1]:
                block.pieces[-1].append("")
            continue
        if prompt := _PROMPT.fullmatch(line):
            blocks.append(_Block(prompt[1]))
            continue
        if _DIAGONAL.fullmatch(line):
            continue
        if factor := _FACTOR.fullmatch(line):
            block.exponent = str(int(factor[1]))
        elif _COLUMNS.fullmatch(line):
            block.pieces.append([])
        elif _SIZE.fullmatch(line):
            block.is_displayed = True
        elif _FOOTER.fullmatch(line.strip()):
            continue
        elif page := page_of(line):
            is_empty = block.name and not block.page and not any(block.pieces)
            above = block.name if is_empty else above  # Octave says the name once
            name = above if page[0] in ("", "ans") and above else page[0]
            blocks.append(_Block(name, page=page[1], is_displayed=True))
        elif _is_title(line):
            above = ""
            is_displayed = line.rstrip().endswith("=")
            blocks.append(_Block(line.strip(" \t=:#"), is_displayed=is_displayed))
        else:
            block.pieces[-1].append(_FOOTER.sub("", line))
    return blocks


def _read_block(block: _Block) -> WrittenMatrix:
    kept = [_without_blank_lines(piece) for piece in block.pieces]
    pieces = [lines for piece in kept for lines in _pieces_of(piece) if lines]
    is_spaced = not any(sign in line for piece in kept for line in piece for sign in ",;\t")
    rows = _joined([_cells_of(lines) for lines in pieces])
    whole = grid(rows, may_be_numbered=not (block.is_displayed and is_spaced))
    if block.exponent:
        scaled = [[f"{word}e{block.exponent}" for word in row] for row in whole.words]
        whole = replace(whole, words=scaled)
    return replace(whole, name=block.name)


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
    """The pieces of a wide print of R or pandas: each begins with its own header."""
    continued = any(line.rstrip().endswith("\\") for line in lines)
    if not continued and not any(re.match(r"\s*\[,\d+\]", line) for line in lines):
        return [lines]
    pieces: list[list[str]] = [[]]
    headers = {n for n, line in enumerate(lines) if line.rstrip().endswith("\\")}
    starts = sorted(headers)
    rows = min((b - a for a, b in pairwise(starts)), default=0)
    for n, line in enumerate(lines):
        is_header = n in headers or re.match(r"\s*\[,\d+\]", line) is not None
        if continued and not is_header and headers:
            length = rows or len(lines) // (len(headers) + 1)
            is_header = n % length == 0
        if is_header and pieces[-1]:
            pieces.append([])
        pieces[-1].append(line.rstrip().removesuffix("\\"))
    return pieces


def _joined(pieces: list[GridRows]) -> GridRows:
    """Pieces of one table, next to each other. Raises `InputError` if they do not fit."""
    first, *others = ([row for row in piece if row] for piece in pieces)
    for piece in [first, *others] if others else []:
        if not first or len(piece) != len(first):
            raise input_error(TEXTS, "pieces")
        if len(piece) > 1 and all(len(row) == len(piece[0]) + 1 for row in piece[1:]):
            piece[0] = ["", *piece[0]]
    if others and not first[0][0]:
        others = [_without_labels(piece, [row[0] for row in first]) for piece in others]
    return [[cell for part in parts for cell in part] for parts in zip(first, *others, strict=True)]


def _without_labels(piece: GridRows, labels: list[str]) -> GridRows:
    """A piece without its labels, which are those of the first piece."""
    if [row[0] for row in piece] != labels:
        raise input_error(TEXTS, "pieces")
    return [row[1:] for row in piece]


def _cells_of(lines: list[str]) -> GridRows:
    """Rows of words. Raises `InputError` where a comma has several meanings."""
    bare = [_QUOTED.sub('""', line) for line in lines]
    if any("\t" in line for line in bare):
        return _decimal_points(_separated(lines, "\t"))
    if any(";" in line for line in bare):
        return _with_semicolons(lines)
    if any("," in line for line in bare) and not any(map(_OF_R.match, lines)):
        _ask_about_commas(bare)
        rows = _separated(lines, ",")
        _ask_about_zeros(rows)
        return _decimal_points(rows)
    return _spaced(lines)


def _separated(lines: list[str], separator: str) -> GridRows:
    """The cells of lines, each of which may end with a separator."""
    try:
        read = list(csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t"))
    except csv.Error as error:
        raise input_error(TEXTS, "several_lists") from error
    rows = [[cell.strip() for cell in row] for row in read if row]
    if len(rows) > 1 and len({len(row) for row in rows}) == 1 and not rows[-1][-1]:
        ends = all(not row[-1] for row in rows)
    else:
        ends = True
    return [row[:-1] if ends and len(row) > 1 and not row[-1] else row for row in rows]


def _with_semicolons(lines: list[str]) -> GridRows:
    rows = _separated(lines, ";")
    several_numbers = any(len(cell.split()) > 1 and _is_row(cell) for row in rows for cell in row)
    if several_numbers and not any(re.search(r",\S", line) for line in lines):
        cells = [cell for row in rows for cell in row if cell]  # a b; c d or a, b; c, d
        return [_numbers_of(cell) for cell in cells]
    with_comma = [cell for row in rows for cell in row if "," in cell]
    if with_comma and (len(rows) == 1 or min(map(len, rows)) == 1):
        raise two_meanings(with_comma[0])
    return _decimal_points(rows)


def _is_row(cell: str) -> bool:
    return all(map(is_number, _numbers_of(cell)))


def _numbers_of(cell: str) -> list[str]:
    return [one.strip() for one in cell.split(",")] if "," in cell else cell.split()


def _ask_about_commas(lines: list[str]) -> None:
    """Raise `InputError` if commas stand within what spaces part: 0,5 1,5."""
    for line in lines:
        words = line.split()
        if len(words) > 1 and all(map(_DECIMAL_COMMA.fullmatch, words)):
            raise two_meanings(words[0])


def _spaced(lines: list[str]) -> GridRows:
    """Words between spaces; a label may be several words, a header is short of its corner."""
    rows = [_labelled(line) for line in lines]
    header, body = rows[0], rows[1:]
    if body and all(len(row) == len(header) + 1 for row in body) and _is_short(header, body):
        rows[0] = ["", *header]
    return rows


def _labelled(line: str) -> list[str]:
    """The words of a line; those before its numbers are one label."""
    if end := _LABEL_END.search(line):
        return [line[: end.start()].strip().strip("\"'"), *line[end.end() :].split()]
    words = [word.strip('"') if len(word) > 1 else word for word in _WORD.findall(line)]
    if len(words) > MAX_CELLS:
        return words
    texts = 0
    while texts < len(words) and not is_number(words[texts]) and words[texts] != "...":
        texts += 1
    if 1 < texts < len(words) and all(map(is_number, words[texts:])):
        return [" ".join(words[:texts]), *words[texts:]]
    if len(words) > 1 and texts == 0 and re.fullmatch(r"\[\d+\]", line.split()[0]):
        return words[1:]
    return words


def _is_short(header: list[str], body: GridRows) -> bool:
    """Whether a row that is one word short is a header: of names or of 0, 1, 2, …"""
    column = [row[0] for row in body]
    named = not any(map(is_number, header))
    labelled = not any(map(is_number, column))
    counts = is_counted(column, 0) or is_counted(column, 1)
    return (named or is_counted(header, 0)) and (labelled or counts)


def _decimal_points(rows: GridRows) -> GridRows:
    """Rows with 0,5 as 0.5. Raises `InputError` where the commas may be something else."""
    commas = [c for row in rows for c in row if "," in c and not _LETTERS.search(c)]
    if not commas:
        return rows
    points = any("." in cell and is_number(cell) for row in rows for cell in row)
    if points or all(map(_THOUSANDS.fullmatch, commas)):
        raise two_meanings(commas[0])
    for cell in commas:
        if not _DECIMAL_COMMA.fullmatch(cell):
            raise two_meanings(cell)
    return [[c if _LETTERS.search(c) else c.replace(",", ".") for c in row] for row in rows]


def _ask_about_zeros(rows: GridRows) -> None:
    """Raise `InputError` for 1,05 on lines of two cells: no whole number begins with 0."""
    for row in rows:
        is_pair = len(row) == 2 and row[0].lstrip("+-").isdigit() and row[1].isdigit()
        if is_pair and len(row[1]) > 1 and row[1].startswith("0"):
            raise two_meanings(",".join(row))


def two_meanings(cell: str) -> InputError:
    return input_error(TEXTS, "comma", cell=shorten(cell))
