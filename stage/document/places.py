"""Where on a run one looks: cells by their names, and the same place in another array."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from core.program.axes import HEAD, POSITION
from core.program.patterns import Cell
from core.program.trace import Trace


class Opening(NamedTuple):
    """Where one looks who has not chosen: a cell, and its place in every other array.

    `own` has the arrays that open at a cell of their own.
    """

    array: str
    cell: Cell
    own: Mapping[str, Cell] = MappingProxyType({})


def is_inside(trace: Trace, array: str, cell: Cell) -> bool:
    """Whether a run has that cell."""
    if array not in trace or len(cell) != trace[array].ndim:
        return False
    return all(at < size for at, size in zip(cell, trace[array].shape, strict=True))


def around(trace: Trace, array: str, cell: Cell, slices: Mapping[str, int]) -> dict[str, int]:
    """The places on show, such that a cell is among what they show."""
    found = dict(slices)
    for letter, at in zip(trace.program.letters[array], cell, strict=True):
        whole = trace.program.axis(letter).of
        if letter in found:
            found[letter] = at
        elif whole in found:
            many = trace.sizes[whole] // trace.sizes[letter]
            if found[whole] // many != at:
                found[whole] = at * many
    return found


def carried(trace: Trace, array: str, source: str, cell: Cell, slices: Mapping[str, int]) -> Cell:
    """The cell of another array at the same token and feature, of the heads on show.

    `slices` says which place of a letter is on show. Where an array has a position that the cell
    has not, it is that of the same token.
    """
    kept = {**dict(zip(trace.program.letters[source], cell, strict=True)), **slices}
    found = []
    for letter, size in zip(trace.program.letters[array], trace[array].shape, strict=True):
        axis = trace.program.axis(letter)
        if axis.kind == HEAD and axis.of in slices:
            at = slices[axis.of] * size // trace.sizes[axis.of]
        elif letter not in kept and axis.kind == POSITION:
            at = _token(trace, kept, axis.tokens) - axis.offset
        else:
            at = kept.get(letter, 0)
        found.append(max(0, min(at, size - 1)))
    return tuple(found)


def opened_at(
    trace: Trace, array: str, opening: tuple[str, Cell] | Opening, slices: Mapping[str, int]
) -> Cell:
    """The cell of an array at which an untouched page looks, of the heads on show."""
    at = Opening(*opening)
    source = (array, at.own[array]) if array in at.own else (at.array, at.cell)
    return carried(trace, array, *source, slices)


def _token(trace: Trace, kept: Mapping[str, int], tokens: str) -> int:
    """The token of a cell's first position along that list of tokens."""
    for letter, at in kept.items():
        axis = trace.program.axis(letter)
        if axis.kind == POSITION and axis.tokens == tokens:
            return at + axis.offset
    return 0
