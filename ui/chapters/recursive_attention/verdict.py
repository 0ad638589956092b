"""What a merged tree gives, in words."""

from core.chapters.recursive_attention.tree_verdict import TreeVerdict
from core.program.labels import listed_names
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from ui.page.prose import cell_number, say
from ui.page_texts import page_texts

TEXTS = page_texts("recursive_attention")


def say_verdict(trace: Trace, verdict: TreeVerdict) -> None:
    """Compare what was merged with all keys at once, and with the plain mean."""
    off, often = verdict.off, verdict.often
    names = {"merged": verdict.merged, "whole": verdict.whole}
    numbers = {text: cell_number(trace, name, verdict.cell) for text, name in names.items()}
    several = trace["V"].shape[-1] > 1
    found = [
        TEXTS(
            "compared",
            **numbers,
            feature=verdict.cell[-1] + 1 if several else 0,
            same=not often,
            gap=typeset(verdict.apart) if off else "",
        )
    ]
    if not off and verdict.alike > 1:
        found += [TEXTS("counted_alike", times=verdict.alike)]
    elif often:
        keys, unread = listed_names([str(key) for key in often]), set(often) <= set(verdict.unread)
        found += [TEXTS("counted_often", count=len(often), keys=keys, off=off, unread=unread)]
    elif verdict.mean_differs:
        found += [TEXTS("plain_mean", mean=typeset(verdict.mean))]
    say(" ".join(found))
