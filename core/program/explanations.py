"""The whole arithmetic of one cell, in words, in LaTeX and as lines that evaluate.

The operands of a line take as many decimals as its result needs, from two up: the first number of
decimals with which every line, worked out as printed, ends in exactly what the cell shows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from core.program.arithmetic import Call, Expression, Line, Number, Sum, line
from core.program.axes import HEAD
from core.program.display import shown
from core.program.labels import axis_label, cell_name
from core.program.operation import Operand
from core.program.patterns import Cell
from core.program.rounding import CELL_DECIMALS, operand_text
from core.program.trace import Trace

MOST_DECIMALS = 17
TERMS_ON_A_ROW = 2
"""How many products fit beside each other in the panel; of plain numbers twice as many."""


@dataclass(frozen=True)
class Explanation:
    """One cell explained. `plain` lines evaluate as printed; the last one ends in the cell."""

    title: str
    words: str
    feeds: str
    latex: list[str]
    plain: list[str]


def explain(trace: Trace, array: str, cell: Cell) -> Explanation:
    """The arithmetic of `trace[array][cell]`. Raises `InputError` for a cell that is not there."""
    cell = tuple(cell)
    trace.uses(array, cell)  # refuses an unknown array or cell
    lines = arithmetic(trace, array, cell)
    head = _latex_name(trace, array, cell)
    return Explanation(
        title=cell_name(trace, array, cell),
        words=_meaning(trace, array, cell) + _not_a_number(trace, array, cell),
        feeds=_feeds(trace, array, cell),
        latex=[row for made in lines[:-1] for row in _rows(made)] + _rows(lines[-1], head),
        plain=[made.plain() for made in lines],
    )


@lru_cache(maxsize=16)
def arithmetic(trace: Trace, array: str, cell: Cell) -> tuple[Line, ...]:
    """The lines that lead to a cell. Kept, because a table of workings asks for them too."""
    target = shown(trace, array, cell)
    noise = trace.noise[array]
    bound = trace.steps.get(array)
    if bound is None or bound.pattern.reads_nothing:
        return (Line(Number(target), Number(target)),)
    operands = _operands(trace, array, cell)
    for decimals in range(CELL_DECIMALS, MOST_DECIMALS + 1):
        printed = [
            Operand(v, partial(operand_text, decimals=decimals, noise=n)) for v, n in operands
        ]
        before, left = bound.operation.lines(printed, decimals, noise)
        last = line(left, CELL_DECIMALS, noise, trim=False)
        if last.right.text == target or target == "0":  # "0": removed by the mask
            break
    return (*before, Line(left, Number(target)))


def _operands(trace: Trace, array: str, cell: Cell) -> list[tuple[list[float], float]]:
    """For each part of the step's pattern its live values, once each, and its noise."""
    bound = trace.steps[array]
    terms = trace.live_terms(array, cell)
    found: list[tuple[list[float], float]] = []
    for part, read in enumerate(bound.reads):
        axes = bound.pattern.operands[part]
        if any(axis.unread for axis in axes):
            found.append(([float(trace[read].shape[-1])], 0.0))
            continue
        cells = [term[part] for term in terms]
        once = dict.fromkeys(at for at in cells if at is not None)
        found.append(([float(trace[read][at]) for at in once], trace.noise[read]))
    return found


def _meaning(trace: Trace, array: str, cell: Cell) -> str:
    program = trace.program
    described = {i.name: i.meaning for i in program.inputs} | {
        s.name: s.meaning for s in program.steps
    }
    return described[array](trace, cell)


def _not_a_number(trace: Trace, array: str, cell: Cell) -> str:
    """For a NaN that comes from another one: from which."""
    if not np.isnan(trace[array][cell]):
        return ""
    sources = [(name, at) for name, cells in trace.sources(array, cell).items() for at in cells]
    origin = next((source for source in sources if np.isnan(trace[source[0]][source[1]])), None)
    if origin is None:
        return ""
    return f" It is NaN because {cell_name(trace, *origin)} is."


def _feeds(trace: Trace, array: str, cell: Cell) -> str:
    uses = trace.uses(array, cell)
    if not uses:
        if array == trace.program.steps[-1].name:
            return f"This is {trace.program.makes}: nothing comes after it."
        return "It feeds nothing."
    parts = [
        cell_name(trace, user, cells[0]) if len(cells) == 1 else f"{len(cells)} cells of {user}"
        for user, cells in uses.items()
    ]
    return f"Feeds {' and '.join(parts)}."


def _latex_name(trace: Trace, array: str, cell: Cell) -> str:
    letter, _, sub = array.partition("_")
    symbol = f"{letter}_{{{sub}}}" if len(letter) == 1 and sub else letter
    symbol = symbol if len(letter) == 1 else rf"\mathrm{{{array}}}"
    inside = [
        rf"\text{{{escape_latex(axis_label(trace, name, at))}}}"
        for name, at in zip(trace.program.letters[array], cell, strict=True)
        if trace.program.axis(name).kind != HEAD
    ]
    return rf"{symbol}[{', '.join(inside)}]"


def escape_latex(text: str) -> str:
    """Text that LaTeX (KaTeX) sets as itself inside \\text{…}, whatever it holds."""
    special = {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "_": r"\_", "%": r"\%", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    }  # fmt: skip
    return "".join(special.get(char, char) for char in text)


def _rows(made: Line, head: str = "") -> list[str]:
    """One line as rows of an aligned block, all flush left, long sums broken."""
    relation = "=" if made.exact else r"\approx"
    right = made.right.latex()
    pieces = list(_pieces(made.left))
    if not head and len(pieces) == 1:
        return [rf"&{pieces[0]} {relation} {right}"]
    if head:
        pieces[0] = f"= {pieces[0]}"
    rows = [rf"&{head}"] if head else []
    rows += [rf"&{pieces[0]}", *(rf"&\quad {piece}" for piece in pieces[1:])]
    if made.exact and isinstance(made.left, Number):
        return [*rows[:-1], rf"&= {right}"]
    return rows if made.left == made.right else [*rows, rf"&{relation} {right}"]


def _pieces(left: Expression) -> Iterator[str]:
    if not isinstance(left, Sum | Call):
        yield left.latex()
        return
    parts = left.terms if isinstance(left, Sum) else left.arguments
    plain = isinstance(parts[0], Number)
    width = 2 * TERMS_ON_A_ROW if plain else TERMS_ON_A_ROW
    if len(parts) <= width:
        yield left.latex()
        return
    for start in range(0, len(parts), width):
        chunk = parts[start : start + width]
        if isinstance(left, Sum):
            text = Sum(chunk).latex()
            yield text if start == 0 or text.startswith("-") else f"+ {text}"
        else:
            opening = rf"\{left.function}(" if start == 0 else ""
            closing = ")" if start + width >= len(parts) else ","
            yield opening + ", ".join(part.latex() for part in chunk) + closing
