"""The numbers of large arrays, in square tiles: what of them is on show is asked for and sent.

A tile is named as a cell is: the array, the indices before its last two axes, and then the tile's
own row and column, as in `scores.0.1.3`: head 0, queries 32 to 63, keys 96 to 127.
"""

from collections.abc import Iterable
from typing import Any

from core.program.labels import parse_cell
from core.program.numbers.display import array_texts
from core.program.trace import Trace
from stage.document.document import travels_whole

TILE = 32
"""Rows and columns of a tile; stage/browser/run/run.js knows it too."""


def tile_texts(trace: Trace, tiles: Iterable[str]) -> dict[str, str]:
    """The texts of the cells of each tile, row by row, between spaces; none of what is no tile."""
    found = ((tile, _texts(trace, tile)) for tile in tiles)
    return {tile: texts for tile, texts in found if texts}


def _texts(trace: Trace, tile: str) -> str:
    name, place = parse_cell(tile) or ("", ())
    if name not in trace or trace[name].ndim != len(place):
        return ""
    *outer, row, column = (0, *place) if len(place) == 1 else place
    spans = [slice(TILE * at, TILE * (at + 1)) for at in (row, column)]
    matrix: Any = (*outer, *spans)[-len(place) :]
    try:
        values, removed = trace[name][matrix], trace.removed[name]
    except IndexError:
        return ""
    gone = removed[matrix] if removed is not None else None
    return " ".join(array_texts(values, gone, trace.noise[name]))


def all_texts(trace: Trace) -> dict[str, str]:
    """The texts of every array that does not travel whole, written as a document has them."""
    return {
        name: " ".join(array_texts(values, trace.removed[name], trace.noise[name]))
        for name, values in trace.items()
        if not travels_whole(values)
    }
