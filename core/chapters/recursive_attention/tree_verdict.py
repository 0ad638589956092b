"""What a run along a tree shows: its pieces, how much each key counts, and all keys at once."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.trees import (
    Forest,
    Tree,
    counted_often,
    every_tree,
    leaves,
    tree_name,
    tree_text,
)
from core.program.numbers.display import shown, shown_texts
from core.program.numbers.rounding import cell_text, typeset
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
    differs, apart = mean != shown(trace, name, cell), cell_text(float(gap[cell]))
    alike = max(read.values()) if len(set(read.values())) == 1 else 0
    return TreeVerdict(cell, name, "y_row", mean, apart, off, differs, often, unread, alike)


@dataclass(frozen=True)
class KeyCounts:
    """For each key e to its score, relative to the largest (0 to 1) and as a text.

    `merged` and `whole` are the values of the tree and of all keys at once, where the two differ
    most; both are empty while pieces are left. `off` says whether they differ.
    """

    sizes: list[float]
    texts: list[str]
    merged: str = ""
    whole: str = ""
    off: bool = False


def key_counts(trace: Trace, verdict: TreeVerdict | None) -> KeyCounts:
    """Return how much each key of a run counts, with the values that a verdict compares."""
    counts = np.exp(trace["s_row"][0, 0])
    sizes = (counts / counts.max()).tolist()
    texts = [cell_text(float(count)) for count in counts]
    if verdict is None:
        return KeyCounts(sizes, texts)
    merged, whole = (shown(trace, name, verdict.cell) for name in (verdict.merged, verdict.whole))
    return KeyCounts(sizes, texts, merged, whole, verdict.off)


@dataclass(frozen=True)
class Piece:
    """The suffix of a piece's arrays, its score and value as texts, and both as one sentence."""

    name: str
    s: str
    v: str
    spoken: str


def pieces_of(trace: Trace, forest: Forest) -> dict[str, Piece]:
    """Return every piece of a forest, by its tree as a text."""
    every = {tree_text(tree): tree for root in forest for tree in every_tree(root)}
    return {text: _piece(trace, tree) for text, tree in every.items()}


def _piece(trace: Trace, tree: Tree) -> Piece:
    name = tree_name(tree)
    score, values = shown_texts(trace, f"s_{name}"), shown_texts(trace, f"v_{name}")
    value = values[0] if len(values) == 1 else f"({', '.join(values)})"
    spoken = TEXTS("spoken", score=typeset(score[0]), value=typeset(", ".join(values)))
    return Piece(name, score[0], value, spoken)
