"""A merged tree compared with all keys at once."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.chapters.recursive_attention.trees import Forest, counted_often, leaves, tree_name
from core.program.numbers.display import shown
from core.program.numbers.rounding import cell_text
from core.program.patterns import Cell
from core.program.trace import Trace


@dataclass(frozen=True)
class TreeVerdict:
    """A merged tree compared with all keys at once, where the two are furthest apart.

    `merged` and `whole` name the two arrays and `cell` says where in them; `mean` is the plain mean
    of the last pieces' values there. `off` says whether the two differ beyond float noise, `apart`
    by how much; `often` are the keys that were counted more than once, `unread` those of them that
    the query may not read. `alike` says how often each key that it may read was counted, if all
    were counted equally often; else 0.
    """

    cell: Cell
    merged: str
    whole: str
    mean: str
    apart: str
    off: bool
    mean_differs: bool
    often: tuple[int, ...]
    unread: tuple[int, ...]
    alike: int


def tree_verdict(trace: Trace, forest: Forest) -> TreeVerdict | None:
    """Return the verdict on a forest that is one tree; None if it has several."""
    if len(forest) > 1:
        return None
    (tree,) = forest
    name = f"v_{tree_name(tree)}"
    gap = np.abs(trace["difference"])
    off = bool(gap.max() > trace.noise["difference"])
    place = np.unravel_index(int(gap.argmax()) if off else 0, gap.shape)
    cell = tuple(int(at) for at in place)
    pieces = (tree,) if isinstance(tree, int) else tree
    values = [float(trace[f"v_{tree_name(piece)}"][0, 0, cell[-1]]) for piece in pieces]
    often = tuple(counted_often(forest))
    unread = tuple(key for key in often if trace.is_removed("s_row", (0, 0, key - 1)))
    read = Counter(key for key in leaves(tree) if not trace.is_removed("s_row", (0, 0, key - 1)))
    mean = cell_text(sum(values) / len(values))
    return TreeVerdict(
        cell,
        merged=name,
        whole="y_row",
        mean=mean,
        apart=cell_text(float(gap[cell])),
        off=off,
        mean_differs=mean != shown(trace, name, cell),
        often=often,
        unread=unread,
        alike=max(read.values()) if len(set(read.values())) == 1 else 0,
    )
