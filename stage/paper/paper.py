"""Pages to print on A4 or Letter: matrices with labels, some of their cells empty; and texts."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import input_error
from core.texts import core_texts

TEXTS = core_texts("stage_pages")
ROOM = 182
"""The width that is printed on, in millimetres: A4, the narrower of the two, without its margins
and a little."""
SIZES = (8.5, 7.5, 6.5)
"""The sizes of digits in points, of which a matrix has the largest that fits."""
DIGIT = 0.62 * 25.4 / 72
"""How wide a digit is, in millimetres for each point of its size."""
LETTER = 0.75 * 25.4 / 72
"""The same for a letter of a label, on average."""
CELL_PADDING = 0.8
"""The room beside a cell's number, in millimetres."""
WRITTEN = 10.0
"""How wide an empty cell is where there is room."""
LEVEL = 8.0
"""A label of a column that needs more than this and than the numbers below it is turned."""
MANY = 10
"""From so many rows on they are lower, so that two matrices fit on a page."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
PARTS = """<section class="sheet">
<h1>{title}</h1>
<p class="name">{name} <span></span></p>
{sheet}
</section>
<section class="key">
<h1>{key_title}</h1>
{key}
</section>"""
STYLE = """
@page { margin: 10mm 12mm; }
body { font: 10pt/1.3 system-ui, sans-serif; color: #000; background: #fff; margin: 0 auto;
  max-width: 186mm; padding: 4mm; }
.working { line-height: 1.6; }
.working math { math-style: normal; }
.working mfrac > * { padding-block: 0.15em; }
h1 { font-size: 15pt; margin: 0 0 2mm; }
h2 { font-size: 12pt; margin: 2mm 0 1mm; break-after: avoid; }
p { margin: 0 0 2mm; }
ul { margin: 0 0 2mm; padding-left: 5mm; }
.name span { display: inline-block; width: 60mm; border-bottom: 1px solid #000; }
.key { break-before: page; }
.question { break-inside: avoid; margin: 0 0 2.5mm; }
.question h2 { font-size: 11pt; }
.question p { margin: 0 0 1mm; }
.question thead th { padding: 0 1mm 0.4mm; }
.question td { min-width: 8mm; padding: 0 1mm; }
.work { display: flex; flex-wrap: wrap; }
.room { flex: 1 1 50mm; min-height: 21mm; display: flex; align-items: end; justify-content: end; }
.room p { margin: 0; white-space: nowrap; }
.room span { width: 42mm; }
.answers { columns: 2; column-gap: 8mm; }
.answers .question:has(table) { column-span: all; }
.little { min-height: 0; justify-content: start; }
.options { list-style: none; padding: 0; }
table { display: inline-table; vertical-align: top; border-collapse: collapse; break-inside: avoid;
  margin: 0 3mm 3mm 0; }
caption { text-align: left; font-size: 10.5pt; white-space: nowrap; }
caption small { display: block; font-size: 8.5pt; }
sub { line-height: 0; font-size: 0.75em; }
th { font-weight: 400; font-size: 0.9em; padding: 0 1mm 0 0; text-align: right;
  white-space: nowrap; }
thead th { text-align: center; padding: 0 0.4mm 0.4mm; }
thead.turned th { vertical-align: bottom; padding: 0.8mm 0; }
thead.turned span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); }
td { box-sizing: border-box; border: 1px solid #777; height: 5.2mm; padding: 0 0.3mm;
  text-align: center; min-width: var(--wide);
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; white-space: nowrap; }
.asked td { height: 6.6mm; }
.asked .many td { height: 5.8mm; }
td.blank { border: 2px solid #000; }
td.removed { background: #ddd; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
ol { columns: 2; column-gap: 8mm; padding: 0; margin: 0; list-style: none; font-size: 9pt; }
li { break-inside: avoid; }
ol li { margin: 0 0 1.6mm; overflow-wrap: anywhere; }
@media print { body { max-width: none; padding: 0; } }
"""
BLANK, REMOVED, MARKED = "blank", "removed", "blank told"
"""How a cell looks: empty, taken out by the mask, or one that is empty on the sheet."""


@dataclass(frozen=True)
class PrintedMatrix:
    """A matrix as it is printed: what it is, its labels, and of each cell its text and looks."""

    title: str
    small: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[tuple[str, str]]]


def page(title: str, sheet: str, key: str) -> str:
    """Return the sheet, and the key on a page of its own."""
    body = PARTS.format(
        title=html.escape(title), name=html.escape(TEXTS("name")), sheet=sheet,
        key_title=html.escape(TEXTS("key", title=title)), key=key,
    )  # fmt: skip
    return printed_page(title, body)


def printed_page(title: str, body: str, style: str = STYLE) -> str:
    """Return a page of this HTML."""
    return PAGE.format(title=html.escape(title), style=style, body=body)


def heading(text: str, level: int = 2) -> str:
    return f"<h{level}>{html.escape(text)}</h{level}>"


def paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def comma_list(texts: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{symbols(text)}</li>' for text in texts)}</ul>"


def matrices(title: str, printed: Sequence[PrintedMatrix], asked: bool = False) -> str:
    """Return matrices below a heading, next to each other if they fit. Raises `InputError`."""
    tables = "\n".join(_table(matrix, asked) for matrix in printed)
    kind = ' class="asked"' if asked else ""
    return f"{heading(title)}\n<div{kind}>{tables}</div>"


def workings(told: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Cells by name, each with the lines that lead to it."""
    items = "".join(
        f"<li><b>{html.escape(name)}</b><br>{'<br>'.join(map(_unbroken, lines))}</li>"
        for name, lines in told
    )
    return f"<ol>{items}</ol>"


def _unbroken(line: str) -> str:
    """A line of arithmetic whose products stay together."""
    return html.escape(line).replace(" × ", "&nbsp;×&nbsp;")


def symbols(formula: str) -> str:
    """A formula's text for the page: W_Q is W with a subscript."""
    return re.sub(r"\b([A-Za-z])_(\w+)", r"\1<sub>\2</sub>", html.escape(formula))


def _table(matrix: PrintedMatrix, asked: bool) -> str:
    size, wide, turned = _fitting(matrix, WRITTEN if asked else 0.0)
    head = "".join(
        f'<th scope="col"><span>{html.escape(label)}</span></th>' for label in matrix.columns
    )
    way = ' class="turned"' if turned else ""
    many = ' class="many"' if len(matrix.rows) >= MANY else ""
    rows = "".join(
        f'<tr><th scope="row">{html.escape(label)}</th>{"".join(map(_cell, cells))}</tr>'
        for label, cells in zip(matrix.rows, matrix.cells, strict=True)
    )
    return (
        f'<table{many} style="font-size: {size}pt; --wide: {wide:.1f}mm">'
        f"<caption>{symbols(matrix.title)}<small>{html.escape(matrix.small)}</small></caption>"
        f"<thead{way}><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _cell(cell: tuple[str, str]) -> str:
    text, looks = cell
    kind = f' class="{looks}"' if looks else ""
    return f"<td{kind}>{html.escape(text)}</td>"


def _fitting(matrix: PrintedMatrix, wanted: float) -> tuple[float, float, bool]:
    """The size of a matrix' digits in points, how wide a column is at least, in millimetres, and
    whether the labels of columns are turned."""
    digits = max(len(text) for cells in matrix.cells for text, _ in cells)
    letters, count = max(map(len, matrix.rows)), len(matrix.columns)
    for size in SIZES:
        wide = digits * DIGIT * size + CELL_PADDING
        label = max(map(len, matrix.columns)) * LETTER * size + CELL_PADDING
        turned = label > max(wide, wanted, LEVEL)
        wide = wide if turned else max(wide, label)
        beside = ROOM - letters * LETTER * size - CELL_PADDING
        if count * wide <= beside:
            return size, min(max(wanted, wide), beside / count), turned
    raise input_error(TEXTS, "too_wide", title=matrix.title, digits=digits)
