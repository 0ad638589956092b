"""Tables of Markdown and of terminals: cells between bars."""

import re

from core.files.dialects.rows_of_cells import matrix_of_rows
from core.files.dialects.written import Paste, WrittenMatrix

_RULE = frozenset("-=─━ 	|+:┼│┃┌┐└┘├┤┬┴")
_DASHES = frozenset("-=─━")
_CELL_END = re.compile(r"(?<!\\)[|│┃]")
_EMPHASIS = re.compile(r"(\*\*|__|`|\*|\$)(.*?)\1")


def is_markdown(text: str) -> bool:
    """Return whether a text has rows of cells between bars."""
    lines = [line for line in text.split("\n") if line.strip()]
    barred = [line for line in lines if _CELL_END.search(line)]
    return bool(barred) and all(
        line in barred or _is_rule(line) or line.rstrip().endswith((":", "=")) for line in lines
    )


def read_markdown(text: str) -> Paste:
    """Return the tables of a text, each under the line before it. Raises `InputError`."""
    found: list[WrittenMatrix] = []
    title = ""
    rows: list[list[str]] = []
    rules: set[int] = set()
    """How many rows stand above each rule; a rule below each row makes no header."""
    for line in [*text.split("\n"), ""]:
        if _is_rule(line):
            rules.add(len(rows))
        elif _CELL_END.search(line):
            rows.append(_cells(line))
        elif rows:
            has_header = 1 in rules and (2 not in rules or len(rows) == 2)
            found.append(matrix_of_rows(rows, name=title, has_header=has_header))
            title, rows, rules = _titled(line), [], set()
        elif line.strip():
            title = _titled(line)
    return Paste(found)


def _titled(line: str) -> str:
    return line.strip(" :=#*\t")


def _is_rule(line: str) -> bool:
    """Whether a line is drawn between rows: |---|:-:|, +---+."""
    drawn = set(line)
    return drawn <= _RULE and bool(drawn & _DASHES) and len(line.strip()) > 1


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in _CELL_END.split(line)]
    cells = cells[1:] if not cells[0] else cells
    cells = cells[:-1] if cells and not cells[-1] else cells
    return [_EMPHASIS.sub(r"\2", cell).replace("\\|", "|") for cell in cells]
