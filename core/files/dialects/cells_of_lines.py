"""Lines to rows of cells, with tabs, semicolons, commas or spaces between them."""

import csv
import re

from core.errors import InputError, input_error
from core.files.dialects.rows_of_cells import MAX_CELLS, Rows, counts, is_counted
from core.files.matrices import shorten
from core.files.numerals import is_number
from core.texts import core_texts

TEXTS = core_texts("files")

_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_LETTERS = re.compile(r"[^\W\d_eE]")
_QUOTED = re.compile(r'"[^"\n]*"')
_WORD = re.compile(r'"[^"\n]*"|\S+')
_OF_R = re.compile(r"\s*(?:\S*\s+)?\[(?:\d*,\d*|\d+)\]")
_LABEL_END = re.compile(r"(?:->|=>|[:→↦⟶])[ \t]+(?=[-+.\d])")


def cells_of_lines(lines: list[str]) -> Rows:
    """Return rows of words. Raises `InputError` where a comma has several meanings."""
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


def _separated(lines: list[str], separator: str) -> Rows:
    """The cells of lines, each of which may end with a separator."""
    try:
        read = list(csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t"))
    except csv.Error as error:
        raise input_error(TEXTS, "several_lists") from error
    rows = [[cell.strip() for cell in row] for row in read if row]
    is_last_empty = len(rows) > 1 and len({len(row) for row in rows}) == 1 and not rows[-1][-1]
    ends = not is_last_empty or all(not row[-1] for row in rows)
    return [row[:-1] if ends and len(row) > 1 and not row[-1] else row for row in rows]


def _with_semicolons(lines: list[str]) -> Rows:
    rows = _separated(lines, ";")
    several_numbers = any(
        len(cell.split()) > 1 and all(map(is_number, _numbers_of(cell)))
        for row in rows
        for cell in row
    )
    if several_numbers and not any(re.search(r",\S", line) for line in lines):
        cells = [cell for row in rows for cell in row if cell]  # a b; c d or a, b; c, d
        return [_numbers_of(cell) for cell in cells]
    with_comma = [cell for row in rows for cell in row if "," in cell]
    if with_comma and (len(rows) == 1 or min(map(len, rows)) == 1):
        raise _two_meanings(with_comma[0])
    return _decimal_points(rows)


def _numbers_of(cell: str) -> list[str]:
    return [one.strip() for one in cell.split(",")] if "," in cell else cell.split()


def _ask_about_commas(lines: list[str]) -> None:
    """Raise `InputError` if commas stand within what spaces part: 0,5 1,5."""
    for line in lines:
        words = line.split()
        if len(words) > 1 and all(map(_DECIMAL_COMMA.fullmatch, words)):
            raise _two_meanings(words[0])


def _spaced(lines: list[str]) -> Rows:
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


def _is_short(header: list[str], body: Rows) -> bool:
    """Whether a row that is one word short is a header: of names or of 0, 1, 2, …"""
    column = [row[0] for row in body]
    named = not any(map(is_number, header))
    labelled = not any(map(is_number, column))
    return (named or is_counted(header, 0)) and (labelled or counts(column))


def _decimal_points(rows: Rows) -> Rows:
    """Rows with 0,5 as 0.5. Raises `InputError` where the commas may be something else."""
    commas = [c for row in rows for c in row if "," in c and not _LETTERS.search(c)]
    if not commas:
        return rows
    points = any("." in cell and is_number(cell) for row in rows for cell in row)
    if points or all(map(_THOUSANDS.fullmatch, commas)):
        raise _two_meanings(commas[0])
    for cell in commas:
        if not _DECIMAL_COMMA.fullmatch(cell):
            raise _two_meanings(cell)
    return [[c if _LETTERS.search(c) else c.replace(",", ".") for c in row] for row in rows]


def _ask_about_zeros(rows: Rows) -> None:
    """Raise `InputError` for 1,05 on lines of two cells: no whole number begins with 0."""
    for row in rows:
        is_pair = len(row) == 2 and row[0].lstrip("+-").isdigit() and row[1].isdigit()
        if is_pair and len(row[1]) > 1 and row[1].startswith("0"):
            raise _two_meanings(",".join(row))


def _two_meanings(cell: str) -> InputError:
    return input_error(TEXTS, "comma", cell=shorten(cell))
