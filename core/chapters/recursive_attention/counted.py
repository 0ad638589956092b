"""How much each key counts, and what the pieces come to beside all keys at once."""

from dataclasses import dataclass

import numpy as np

from core.chapters.recursive_attention.tree_program import TreeVerdict
from core.program.display import shown
from core.program.rounding import cell_text
from core.program.trace import Trace


@dataclass(frozen=True)
class KeyCounts:
    """For each key e to its score, as a number beside the largest (0 to 1) and as a text.

    `merged` and `whole` are what the tree makes of them and what all keys at once come to, where
    the two are furthest apart; both are empty while pieces are left. `off` says whether they
    differ.
    """

    sizes: list[float]
    texts: list[str]
    merged: str = ""
    whole: str = ""
    off: bool = False


def key_counts(trace: Trace, judged: TreeVerdict | None) -> KeyCounts:
    """Return how much the keys of a run count, and its verdict, if there is one."""
    counts = np.exp(trace["s_row"][0, 0])
    sizes = (counts / counts.max()).tolist()
    texts = [cell_text(float(count)) for count in counts]
    if judged is None:
        return KeyCounts(sizes, texts)
    merged, whole = (shown(trace, name, judged.cell) for name in (judged.merged, judged.whole))
    return KeyCounts(sizes, texts, merged, whole, judged.off)
