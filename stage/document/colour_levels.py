"""The colours of an array's cells, as small numbers, and the texts of the same cells.

Numbers travel as levels where they are only seen: the browser computes none.
"""

from base64 import b64encode
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.program.numbers.display import array_texts, cell_texts
from core.program.operation import SHARES
from core.program.patterns import Cell
from core.program.trace import Trace

LEVELS = 20
MASKED = 255
NOT_A_NUMBER = 254
RANDOM = 253
"""The level of a cell in a row drawn at random: it is grey."""


def _palette(trace: Trace, name: str) -> str:
    if trace[name].dtype == bool:
        return "b"
    return "w" if trace.program.palettes[name] == SHARES else "s"


@dataclass(frozen=True)
class ArrayCells:
    """What texts and colours of an array's cells are made of."""

    content: bytes
    dtype: str
    gone: bytes
    by_chance: bytes
    noise: float
    palette: str
    largest: float

    @property
    def values(self) -> np.ndarray:
        return np.frombuffer(self.content, self.dtype)

    @property
    def removed(self) -> np.ndarray | None:
        return np.frombuffer(self.gone, bool) if self.gone else None

    @property
    def random(self) -> np.ndarray | None:
        return np.frombuffer(self.by_chance, bool) if self.by_chance else None


def array_cells(trace: Trace, name: str) -> ArrayCells:
    values, removed = trace[name], trace.removed[name]
    return ArrayCells(
        values.tobytes(), values.dtype.str, b"" if removed is None else removed.tobytes(),
        _in_random_rows(trace, name), trace.noise[name], _palette(trace, name),
        _largest(trace, name),
    )  # fmt: skip


def _in_random_rows(trace: Trace, name: str) -> bytes:
    """Which cells are in rows drawn at random; nothing if none is."""
    rows = trace.random_rows.get(name)
    if not rows:
        return b""
    found = np.zeros(trace[name].shape, bool)
    found[..., list(rows), :] = True
    return found.tobytes()


def longest_number(cells: ArrayCells) -> int:
    """The letters of an array's longest number: of its largest, its least and its smallest ones."""
    values = cells.values
    if values.dtype == bool:
        return 1
    finite = np.abs(values[np.isfinite(values) & (values != 0)])
    ends = [*finite.min(initial=1.0, keepdims=True), finite.max(initial=1.0)]
    sign = int((values < 0).any())
    return sign + max(map(len, cell_texts(np.array(ends), cells.noise)))


def miniature(trace: Trace, name: str, outer: Cell = ()) -> dict[str, Any]:
    """Return the colours of one matrix of an array; `outer` are the indices before its last two."""
    cells = array_cells(trace, name)
    matrix = np.atleast_2d(levels_of(cells).reshape(trace[name].shape)[outer])
    return {
        "palette": cells.palette,
        "rows": matrix.shape[0],
        "cols": matrix.shape[1],
        "levels": packed(matrix),
    }


@lru_cache(maxsize=256)
def levels_and_texts(cells: ArrayCells) -> tuple[str, str]:
    """Colours and texts, kept for the runs that have the same array: most of a toggle's do."""
    return packed(levels_of(cells)), " ".join(array_texts(cells.values, cells.removed, cells.noise))


def levels_of(cells: ArrayCells) -> np.ndarray:
    """Colour levels, one for each cell: 0–20–40 for signed values, 0–20 for shares.

    A level of their own have a cell that the mask took out, one that is NaN, one of a random row.
    """
    values, removed, random = cells.values, cells.removed, cells.random
    if cells.palette == "s":
        finite = np.where(np.isfinite(values), values, 0.0)
        levels = LEVELS + np.rint(LEVELS * np.clip(finite / cells.largest, -1, 1))
    else:
        levels = np.rint(LEVELS * np.clip(values, 0, 1)) if cells.palette == "w" else values
    levels = levels if random is None else np.where(random, RANDOM, levels)
    levels = np.where(np.isnan(values), NOT_A_NUMBER, levels)
    return levels if removed is None else np.where(removed, MASKED, levels)


def _largest(trace: Trace, name: str) -> float:
    """The value of the strongest colour; element-wise steps keep that of what they change."""
    values = trace[name]
    own = float(np.abs(values, where=np.isfinite(values), out=np.zeros_like(values)).max(initial=0))
    bound = trace.steps.get(name)
    if bound and not bound.pattern.summed and trace[bound.reads[0]].shape == values.shape:
        own = max(own, _largest(trace, bound.reads[0]))
    return own or 1.0


def packed(levels: np.ndarray) -> str:
    """Small whole numbers, or True and False, as base64: one byte each."""
    return b64encode(np.ascontiguousarray(levels).astype(np.uint8).tobytes()).decode()
