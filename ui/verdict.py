"""What a merged tree comes to, in words."""

from core.chapters.recursive_attention.tree_program import Verdict
from core.program.labels import listed
from core.program.rounding import typeset
from core.program.trace import Trace
from ui.prose import cell_number, say


def say_verdict(trace: Trace, judged: Verdict) -> None:
    """What was merged, beside all keys at once, and beside the plain mean."""
    names = (judged.merged, judged.whole)
    merged, whole = (cell_number(trace, name, judged.cell) for name in names)
    feature = "" if trace["V"].shape[-1] == 1 else f" (feature {judged.cell[-1] + 1})"
    keys = f"{'Key' if len(judged.often) == 1 else 'Keys'} {listed([str(k) for k in judged.often])}"
    was = "was" if len(judged.often) == 1 else "were"
    both = f"**{merged} as merged, {whole} with all keys at once**{feature}"
    if judged.off:
        say(
            f"{both}: off by {typeset(judged.apart)}. {keys} {was} counted more than once, and the "
            "merge cannot know. Pieces must not share a key."
        )
    elif judged.alike > 1:
        say(
            f"{both}. Each key that the query may read was counted {judged.alike} times, so every "
            "share is what it was, whatever the numbers. The score is not: it is larger by "
            f"$\\ln {judged.alike}$, and merged with another piece this one counts too much."
        )
    elif set(judged.often) - set(judged.unread):
        say(
            f"{both}. {keys} {was} counted more than once, and here it happens to make no "
            "difference to the value. With other values it would: pieces must not share a key."
        )
    elif judged.often:
        say(
            f"{both}. {keys} {was} counted more than once, but the query may not read "
            f"{'it' if len(judged.often) == 1 else 'them'}, so nothing is added."
        )
    else:
        mean = typeset(judged.mean)
        beside = (
            f"The plain mean of the last pieces' values would be {mean}: each piece counts by e to "
            "its score."
            if judged.mean_differs
            else f"The plain mean of the last pieces' values is {mean} here as well."
        )
        say(f"{both}: the same, whichever keys are put together first. {beside}")
