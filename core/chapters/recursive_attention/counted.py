"""How much each key counts, and the merged value compared with that of all keys at once."""

from dataclasses import dataclass

import numpy as np

from core.chapters.recursive_attention.tree_verdict import TreeVerdict
from core.program.numbers.display import shown
from core.program.numbers.rounding import cell_text
from core.program.trace import Trace


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
