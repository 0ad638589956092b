"""What the stage is told: steps, matrices, colours, labels and index patterns, all as plain data.

Numbers travel as strings where they are read and as colour levels where they are only seen.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import numpy as np

from core.program import formulas as f
from core.program.axes import POSITION
from core.program.display import shown_matrix
from core.program.labels import axis_labels
from core.program.operation import CORNER, SHARES
from core.program.patterns import Cell
from core.program.rounding import cell_text
from core.program.steps import Phase
from core.program.trace import Trace
from stage.places import cell_id
from stage.row_tables import row_table

LEVELS = 20
MASKED = 255
NOT_A_NUMBER = 254
MAX_NUMBERS = 24
"""Beyond this many rows or columns a grid shows colours only."""
View = dict[str, Any]
Places = Mapping[str, int]
"""Which place of a letter is looked at, where all cannot be."""


def stage_data(
    trace: Trace,
    array: str,
    cell: Cell,
    *,
    selected: str = "",
    slices: Mapping[str, int] = MappingProxyType({}),
    opened: bool = False,
    other: Trace | None = None,
    badge: str = "",
    refused: str = "",
    present: bool = False,
    editable: Sequence[str] = (),
    paint: bool = False,
) -> dict[str, Any]:
    """Everything the stage draws for one step, with the workings of the row of `cell`.

    `slices` says which place of a letter is looked at where all cannot be (a head); the places of
    `cell` go before. A phase that holds others is `opened` where the array is its own.

    `selected` is the id of the selected cell where it is another one (of an operand, say).
    `other` is a second run to compare with; `refused` says why a number that was typed is not
    taken; `editable` names the arrays that may be typed into.
    """
    phases = trace.program.stops(array, opened)
    number = trace.program.phase(array, phases)
    at = {**slices, **dict(zip(trace.program.letters[array], cell, strict=True))}

    def focused(name: str, transposed: bool = False) -> View:
        view = _view(trace, name, at, transposed)
        if max(view["rows"], view["cols"]) <= MAX_NUMBERS:
            view["text"] = _texts(trace, name, at, transposed)
            view["changes"] = _changes(trace, other, name, at, transposed)
        view["editable"] = name in editable
        view["paint"] = paint and trace[name].dtype == bool
        return view

    table = row_table(trace, array, cell)
    return {
        "phases": [_phase(p, p not in trace.program.phases) for p in phases],
        "phase": number,
        "step": array,
        "selected": selected or cell_id(array, cell),
        "formula": trace.program.definitions(),
        "roles": dict(trace.program.roles),
        "strip": [[_view(trace, name, at) for name in phase.miniatures] for phase in phases],
        "focus": _focus(trace, phases[number], focused),
        "workings": asdict(table) if table else None,
        "trace": _ways(trace),
        "badge": badge,
        "refused": refused,
        "compared": _compared(trace, other, array, at),
        "present": present,
    }


def _phase(phase: Phase, inside: bool) -> dict[str, Any]:
    """A stop of the walk; `inside` says that the phase around it is open."""
    return {
        "inside": inside,
        "title": phase.title,
        "summary": phase.summary,
        "names": list(phase.names),
        "first": phase.main,
        "opens": phase.phases[0].main if phase.phases else "",
        "caption": [f.name(name) for name in phase.miniatures],
    }


def _focus(trace: Trace, phase: Phase, focused: Any) -> dict[str, Any]:
    """Products in corner layout around the operand they share; everything else side by side."""
    if phase.phases:
        return {"row": [focused(name) for name in phase.miniatures], "left": None, "columns": []}
    made = [trace.program.step[name] for name in phase.names if name in trace.program.step]
    corner = [step for step in made if step.operation.layout == CORNER]
    if corner:
        return {
            "row": [],
            "left": focused(corner[0].operands[0]),
            "columns": [
                {
                    "above": focused(step.operands[1], 1 in step.operation.turned),
                    "result": focused(step.name),
                }
                for step in corner
            ],
        }
    last = trace.program.step.get(phase.names[-1])
    reads = dict.fromkeys(trace.steps[last.name].reads) if last and last.name in trace.steps else {}
    shown = [n for n in reads if not _size_only(trace, phase.names[-1], n)]
    return {"row": [focused(n) for n in [*shown, phase.names[-1]]], "left": None, "columns": []}


def _size_only(trace: Trace, array: str, operand: str) -> bool:
    bound = trace.steps[array]
    return all(
        any(axis.unread for axis in bound.pattern.operands[part])
        for part, read in enumerate(bound.reads)
        if read == operand
    )


def _view(trace: Trace, name: str, at: Places, transposed: bool = False) -> View:
    """One matrix of an array, without its numbers; a vector is a matrix of one row."""
    matrix = _sliced(trace, name, at, transposed)
    vector = trace[name].ndim == 1
    letters = ("",) * vector + trace.program.letters[name][-2:]
    labels = [[""]] * vector + axis_labels(trace, name)[-2:]
    if transposed:
        letters, labels = letters[::-1], labels[::-1]
    rows, cols = matrix.shape
    caption = _caption(trace, name, transposed)
    return {
        "name": name,
        "prefix": _prefix(trace, name, at),
        "rows": rows,
        "cols": cols,
        "transposed": transposed,
        "vector": vector,
        "palette": _palette(trace, name),
        "levels": _levels(trace, name, at, transposed),
        "caption": caption,
        "plainCaption": f.plain(caption),
        "size": f"{rows} × {cols}",
        "rowLabels": labels[0],
        "colLabels": labels[1],
        "rowWord": _axis_word(trace, letters[0], letters),
        "colWord": _axis_word(trace, letters[1], letters),
        "text": None,
        "changes": None,
        "editable": False,
    }


def _texts(trace: Trace, name: str, at: Places, transposed: bool) -> list[str]:
    rows = shown_matrix(trace, name, tuple(_prefix(trace, name, at)))
    return [text for row in (zip(*rows, strict=True) if transposed else rows) for text in row]


def _caption(trace: Trace, name: str, transposed: bool) -> f.Formula:
    symbol = f.transpose(f.name(name)) if transposed else f.name(name)
    if name not in trace.steps or transposed:
        return symbol
    step = trace.steps[name].step
    formula = step.operation.formula(*(f.name(operand) for operand in step.operands))
    return f.row(symbol, f.mark("="), formula)


def _prefix(trace: Trace, name: str, at: Places) -> list[int]:
    """Where the matrix that is shown lies in its array: an index for each axis before the last two.

    Of a key/value head, the one that serves the head looked at.
    """
    prefix = []
    for letter, size in zip(trace.program.letters[name][:-2], trace[name].shape, strict=False):
        whole = trace.program.axis(letter).of
        if whole and whole in at:
            place = at[whole] * size // trace.sizes[whole]
        else:
            place = at.get(letter, 0)
        prefix.append(min(place, size - 1))
    return prefix


def _axis_word(trace: Trace, letter: str, letters: Sequence[str]) -> str:
    """What an axis counts: a position is a query only where keys stand across."""
    axis = trace.program.axis(letter)
    positions = [a for a in letters if trace.program.axis(a).kind == POSITION]
    return "token" if positions == [letter] else axis.word


def _sliced(trace: Trace, name: str, at: Places, transposed: bool = False) -> np.ndarray:
    matrix: np.ndarray = np.atleast_2d(trace[name][tuple(_prefix(trace, name, at))])
    return matrix.T if transposed else matrix


def _palette(trace: Trace, name: str) -> str:
    if trace[name].dtype == bool:
        return "b"
    made = trace.program.step.get(name)
    return "w" if made is not None and made.operation.palette == SHARES else "s"


def _levels(trace: Trace, name: str, at: Places, transposed: bool) -> str:
    """Colour levels, one byte a cell: 0–20–40 for signed values, 0–20 for shares.

    A cell that the mask took out and one that is NaN have a level of their own.
    """
    matrix = _sliced(trace, name, at, transposed)
    palette = _palette(trace, name)
    if palette == "s":
        finite = np.where(np.isfinite(matrix), matrix, 0.0)
        levels = LEVELS + np.rint(LEVELS * np.clip(finite / _largest(trace, name), -1, 1))
    else:
        levels = np.rint(LEVELS * matrix) if palette == "w" else matrix
    levels = np.where(np.isnan(matrix), NOT_A_NUMBER, levels)
    removed = trace.removed[name]
    if removed is not None:
        gone = np.atleast_2d(removed[tuple(_prefix(trace, name, at))])
        levels = np.where(gone.T if transposed else gone, MASKED, levels)
    return _packed(levels)


def _largest(trace: Trace, name: str) -> float:
    """The value of the strongest colour; element-wise steps keep that of what they change."""
    values = trace[name]
    own = float(np.abs(values, where=np.isfinite(values), out=np.zeros_like(values)).max(initial=0))
    bound = trace.steps.get(name)
    if bound and not bound.pattern.summed and trace[bound.reads[0]].shape == values.shape:
        own = max(own, _largest(trace, bound.reads[0]))
    return own or 1.0


def _changes(
    trace: Trace, other: Trace | None, name: str, at: Places, transposed: bool
) -> list[str] | None:
    """How each cell differs from the run compared with: "" where it does not."""
    if other is None or other[name].shape != trace[name].shape or trace[name].dtype == bool:
        return None
    here = _sliced(trace, name, at, transposed).ravel().tolist()
    there = _sliced(other, name, at, transposed).ravel().tolist()
    differ = np.atleast_2d(trace.differs(other, name)[tuple(_prefix(trace, name, at))])
    apart = (differ.T if transposed else differ).ravel().tolist()
    befores = _texts(other, name, at, transposed)
    changes = [
        _change(a, b, before, trace.noise[name]) if differs else ""
        for a, b, before, differs in zip(here, there, befores, apart, strict=True)
    ]
    return changes if any(changes) else None


def _compared(trace: Trace, other: Trace | None, name: str, at: Places) -> str:
    """How many numbers of the step's matrix differ, and by how much at most."""
    if other is None:
        return ""
    if other[name].shape != trace[name].shape:
        return f"{name} has another size there, so its cells cannot be compared"
    here, there = _sliced(trace, name, at), _sliced(other, name, at)
    changes = _changes(trace, other, name, at, transposed=False) or []
    both = np.isfinite(here) & np.isfinite(there)
    largest = float(np.abs(np.where(both, here, 0) - np.where(both, there, 0)).max())
    differ = f"{sum(map(bool, changes))} of {here.size} numbers of {name} differ"
    return f"{differ}, by up to {cell_text(largest, trace.noise[name])}" if largest else differ


def _change(here: float, there: float, before: str, noise: float) -> str:
    if not np.isfinite([here, there]).all():
        return f"was {before}"
    text = cell_text(here - there, noise)
    return text if text.startswith("-") else f"+{text}"


def _ways(trace: Trace) -> Mapping[str, Any]:
    """The index patterns, which cells the mask took out, and which nothing guards from those."""
    return {
        "shapes": {name: list(values.shape) for name, values in trace.items()},
        "steps": [
            {
                "name": name,
                "reads": list(bound.reads),
                "pattern": str(bound.pattern),
                "decidedBy": bound.operation.decided_by,
            }
            for name, bound in trace.steps.items()
        ],
        "removed": {
            name: _packed(gone)
            for name, gone in trace.removed.items()
            if gone is not None and trace[name].dtype != bool
        },
        "overwritten": {name: _packed(gone) for name, gone in trace.overwritten.items()},
        "unguarded": {name: _packed(cells) for name, cells in trace.unguarded.items()},
    }


def _packed(levels: np.ndarray) -> str:
    return b64encode(np.ascontiguousarray(levels).astype(np.uint8).tobytes()).decode()
