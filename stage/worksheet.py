"""A run as a sheet to print: some of its numbers left out, and a key with their workings."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.draws import Draw
from core.errors import InputError
from core.program import formulas as f
from core.program.display import shape_text, shown_matrix
from core.program.explanations import explain
from core.program.labels import axis_labels
from core.program.patterns import Cell
from core.program.rounding import typeset
from core.program.trace import Trace

ALL, HALF, ROW = "every number", "half of the numbers", "one row"
WIDEST = 16
"""No matrix of a sheet has more rows or columns: they would not fit the paper."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<section>
<h1>{title}</h1>
<p>{task}</p>
<p class="name">Name: <span></span></p>
{sheet}
</section>
<section class="key">
<h1>Key: {title}</h1>
{key}
</section>
</body>
</html>
"""
STYLE = """
@page { margin: 14mm; }
body { font: 11pt/1.4 system-ui, sans-serif; color: #000; background: #fff; margin: 0 auto;
  max-width: 178mm; padding: 4mm; }
h1 { font-size: 15pt; margin: 0 0 2mm; }
h2 { font-size: 12pt; margin: 5mm 0 1mm; break-after: avoid; }
p { margin: 0 0 2mm; }
.name span { display: inline-block; width: 60mm; border-bottom: 1px solid #000; }
.key { break-before: page; }
.row { display: flex; flex-wrap: wrap; gap: 3mm 8mm; align-items: flex-start; }
table { border-collapse: collapse; break-inside: avoid; margin: 1mm 0 2mm; }
caption { text-align: left; font-size: 10pt; }
th { font-weight: 400; font-size: 9pt; padding: 0 1.2mm; text-align: right; }
thead th { text-align: center; }
td { border: 1px solid #777; min-width: 9mm; height: 6.4mm; padding: 0 1mm; text-align: center;
  font: 10pt ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
td.blank { border: 2px solid #000; }
td.removed { background: repeating-linear-gradient(135deg, #999 0 0.3mm, #fff 0.3mm 1.6mm);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
td.removed span { background: #fff; }
.small table { font-size: 8pt; } .small td { font-size: 8pt; min-width: 6.5mm; padding: 0 0.4mm; }
ol { columns: 2; column-gap: 8mm; padding: 0; margin: 0; list-style: none; font-size: 9pt; }
li { break-inside: avoid; margin: 0 0 1.6mm; overflow-wrap: anywhere; }
"""


@dataclass(frozen=True)
class _Matrix:
    """The matrix of an array that a sheet shows, and its empty cells."""

    name: str
    prefix: Cell
    blanks: frozenset[tuple[int, int]]


def worksheet(
    trace: Trace,
    arrays: Sequence[str],
    *,
    slices: Cell = (),
    amount: str = ALL,
    version: int = 0,
    title: str = "Attention by hand",
) -> str:
    """A page to print: the steps that make `arrays`, with empty cells, and on a page of its own
    the key with its workings.

    `slices` are the first indices of what is shown of an array with more than two axes. `amount`
    is `ALL`, `HALF` or `ROW`; which cells these are is drawn from `version`. Raises `InputError`
    for a matrix that would not fit the paper.
    """
    wanted = [name for name in arrays if name in trace.steps]
    if not wanted:
        raise InputError("Nothing is to be worked out here", "inputs are given", "choose a step")
    given = dict.fromkeys(o for name in wanted for o in trace.steps[name].reads)
    blanks = {n: _blanks(trace, n, slices, amount, version) for n in wanted}
    asked = [_matrix(trace, name, slices, blanks[name]) for name in wanted]
    known = [_matrix(trace, name, slices) for name in given if name not in wanted]
    for matrix in (*known, *asked):
        _check_size(trace, matrix)
    sheet = ["<h2>Given</h2>", _side_by_side(trace, known)] if known else []
    for matrix in asked:
        sheet += [f"<h2>{_formula(trace, matrix.name)}</h2>", _table(trace, matrix)]
    key = []
    for matrix in asked:
        filled = _Matrix(matrix.name, matrix.prefix, frozenset())
        key += [f"<h2>{_formula(trace, matrix.name)}</h2>", _table(trace, filled, matrix.blanks)]
        key.append(_workings(trace, matrix))
    count = sum(len(matrix.blanks) for matrix in asked)
    task = (
        f"Work out the {count} empty cells, to two decimals. Version {version}. "
        f"The tokens: {' '.join(trace.tokens)}"
    )
    return PAGE.format(
        title=html.escape(title), style=STYLE, task=html.escape(task), sheet="\n".join(sheet),
        key="\n".join(key),
    )  # fmt: skip


def _matrix(
    trace: Trace, name: str, slices: Cell, blanks: frozenset[tuple[int, int]] = frozenset()
) -> _Matrix:
    return _Matrix(name, _prefix(trace, name, slices), blanks)


def _prefix(trace: Trace, name: str, slices: Cell) -> Cell:
    """Where a matrix lies in its array; fewer key/value heads serve several heads each."""
    letters, shape = trace.program.letters[name][:-2], trace[name].shape
    found = []
    for letter, size, at in zip(letters, shape, slices, strict=False):
        whole = trace.program.axis(letter).of
        found.append(at * size // trace.sizes[whole] if whole else at)
    return tuple(found)


def _blanks(
    trace: Trace, name: str, slices: Cell, amount: str, version: int
) -> frozenset[tuple[int, int]]:
    """The empty cells of a step. What the mask took out is nothing to be worked out."""
    shape, prefix = trace[name].shape[-2:], _prefix(trace, name, slices)
    every = [
        (i, j)
        for i, j in np.ndindex(*shape)
        if not trace.is_removed(name, (*prefix, i, j))
    ]  # fmt: skip
    draw = Draw(f"worksheet:{version}:{name}")
    if amount == ROW:
        row = draw.one_of(sorted({i for i, _ in every}))
        return frozenset(cell for cell in every if cell[0] == row)
    if amount == HALF:
        return frozenset(draw.some_of(every, (len(every) + 1) // 2))
    return frozenset(every)


def _check_size(trace: Trace, matrix: _Matrix) -> None:
    if max(trace[matrix.name].shape[-2:]) > WIDEST:
        raise InputError(
            f"{matrix.name} is {shape_text(trace[matrix.name].shape[-2:])}",
            f"a sheet holds {WIDEST} rows and columns",
            "take a shorter sentence or a smaller d_model",
        )


def _formula(trace: Trace, name: str) -> str:
    step = trace.steps[name].step
    made = step.operation.formula(*(f.name(operand) for operand in step.operands))
    return html.escape(f"{f.plain(f.name(name))} = {f.plain(made)}")


def _side_by_side(trace: Trace, matrices: Sequence[_Matrix]) -> str:
    return f'<div class="row">{"".join(_table(trace, matrix) for matrix in matrices)}</div>'


def _table(trace: Trace, matrix: _Matrix, marked: frozenset[tuple[int, int]] = frozenset()) -> str:
    """A matrix with its labels; `marked` cells are framed as the empty ones are."""
    name, prefix = matrix.name, matrix.prefix
    labels, columns = axis_labels(trace, name)[-2:]
    rows = []
    for i, texts in enumerate(shown_matrix(trace, name, prefix)):
        cells = []
        for j, text in enumerate(texts):
            if (i, j) in matrix.blanks:
                cells.append('<td class="blank"></td>')
                continue
            removed = trace.is_removed(name, (*prefix, i, j))
            looks = ["removed"] if removed else ["blank"] if (i, j) in marked else []
            said = f"<span>{html.escape(typeset(text))}</span>"
            cells.append(f'<td class="{" ".join(looks)}">{said}</td>')
        rows.append(f"<tr><th>{html.escape(labels[i])}</th>{''.join(cells)}</tr>")
    head = "".join(f"<th>{html.escape(label)}</th>" for label in columns)
    caption = f"{f.plain(f.name(name))} ({shape_text(trace[name].shape[-2:])})"
    small = ' class="small"' if trace[name].shape[-1] > WIDEST // 2 else ""
    return (
        f"<div{small}><table><caption>{html.escape(caption)}</caption>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _workings(trace: Trace, matrix: _Matrix) -> str:
    lines = []
    for cell in sorted(matrix.blanks):
        found = explain(trace, matrix.name, (*matrix.prefix, *cell))
        said = "<br>".join(html.escape(typeset(line)) for line in found.plain)
        lines.append(f"<li><b>{html.escape(found.title)}</b><br>{said}</li>")
    return f"<ol>{''.join(lines)}</ol>"
