"""Tables of cells: of HTML, as browsers copy them and pandas writes them, and between bars.

HTML is read by Python's html.parser. Bars are those of Markdown and of terminals.
"""

import re
from html.parser import HTMLParser

from core.errors import input_error
from core.files.dialects.rows_of_cells import matrix_of_rows
from core.files.dialects.written import Paste, WrittenMatrix, without_comments
from core.texts import core_texts

TEXTS = core_texts("files")

_TAG = re.compile(r"<(?:(/?[A-Za-z]\w*)([^<>]*)>)?")
_SPAN = re.compile(r"\b((?:col|row)span=)[\"']?(\d{1,3})\b")
LONGEST = 100
"""Characters of a cell; a longer one is no number."""
_TABLE = re.compile(r"<t(?:able|head|body|r|d|h)\b", re.IGNORECASE)
_RULE = frozenset("-=─━ 	|+:┼│┃┌┐└┘├┤┬┴")
_DASHES = frozenset("-=─━")
_CELL_END = re.compile(r"(?<!\\)[|│┃]")
_EMPHASIS = re.compile(r"(\*\*|__|`|\*|\$)(.*?)\1")


def is_html(text: str) -> bool:
    """Return whether a text has a table of HTML."""
    return _TABLE.search(text) is not None


def read_html(text: str) -> Paste:
    """Return the tables of a text, each under its caption. Raises `InputError`."""
    reader = _Tables()
    reader.feed(_TAG.sub(_bare, without_comments(text, "<!--", "-->")))
    reader.close()
    return Paste(
        [
            matrix_of_rows(table.rows, name=table.caption.strip(), has_header=all(table.is_header))
            for table in reader.tables
            if table.rows
        ]
    )


def _bare(tag: re.Match[str]) -> str:
    """A tag without its attributes; any other < as text: unclosed ones are slow to parse."""
    name, attributes = tag.groups()
    if not name:
        return "&lt;"
    spans = " ".join(side + count for side, count in _SPAN.findall(attributes))
    return f"<{name} {spans}>"


class _Table:
    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.is_header: list[bool] = []
        """Whether each cell of the first row is one of a header."""
        self.caption = ""


class _Tables(HTMLParser):
    """Collects the cells of the tables of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = [_Table()]
        self.into = ""
        """What text belongs to: a cell, a caption or nothing."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        table = self.tables[-1]
        if tag == "table" and table.rows:
            self.tables.append(_Table())
        elif tag == "tr":
            table.rows.append([])
        elif tag in ("td", "th"):
            if any(span != "1" for _, span in attrs):
                raise input_error(TEXTS, "spans")
            if not table.rows:
                self.handle_starttag("tr", [])
            table.rows[-1].append("")
            if len(table.rows) == 1:
                table.is_header.append(tag == "th")
        self.into = {"td": "cell", "th": "cell", "caption": "caption"}.get(tag, self.into)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table", "caption"):
            self.into = ""

    def handle_data(self, data: str) -> None:
        table = self.tables[-1]
        if self.into == "caption":
            table.caption = f"{table.caption}{data}"[:LONGEST]
        elif self.into and table.rows and table.rows[-1]:
            cell = f"{table.rows[-1][-1]}{data}".replace("−", "-")
            cell = " ".join(cell.split())
            table.rows[-1][-1] = cell if len(cell) <= LONGEST else f"{cell[: LONGEST - 1]}…"


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
