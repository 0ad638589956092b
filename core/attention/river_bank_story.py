"""What the opening example shows on any sentence, each number from the run that is on show."""

from collections.abc import Sequence

import numpy as np

from core.attention.river_bank import FEATURES, HEADS, known
from core.program.display import shown
from core.program.labels import listed, marked, told_label, told_number
from core.program.rounding import decimal_text
from core.program.trace import Trace

BY_HAND = "These weights were made by hand; a real model learns its weights."
MOST_NAMED = 6
"""How many words with drawn rows are named."""


def title(trace: Trace) -> str:
    """The question that head 1 has about a sentence, if it has one."""
    row = asking(trace)
    return "Your sentence" if row is None else f"What does “{trace.tokens[row]}” mean?"


def story(trace: Trace, drawn: Sequence[str] = (), scaled: Trace | None = None) -> str:
    """What the heads make of a sentence. `drawn` are its words without a row made by hand.

    `scaled` is the same run with the scale on, if it is off.
    """
    said = [_which_meaning(trace), _who_does_it(trace), _later(trace), _sharper(trace, scaled)]
    return " ".join([*filter(None, said), *_drawn(drawn), BY_HAND])


def opening(trace: Trace) -> tuple[int, int] | None:
    """The token that asks in head 1, and of those up to it the key that it scores highest."""
    row = asking(trace)
    return None if row is None else (row, int(trace["scores"][0, row, : row + 1].argmax()))


def asking(trace: Trace) -> int | None:
    """The last token that is open in meaning."""
    return _last(trace, "open")


def _last(trace: Trace, feature: str) -> int | None:
    """The last token made by hand that has this feature."""
    column = trace["X"][:, FEATURES.index(feature)]
    return max((n for n, t in enumerate(trace.tokens) if known(t) and column[n] > 0), default=None)


def _puts(trace: Trace, head: int, row: int) -> str:
    """On which token, or which equally, a row puts most of its weight; "" if it sees none."""
    weights = trace["weights"][head, row]
    if not weights.any():
        return ""
    top = int(weights.argmax())
    most = shown(trace, "weights", (head, row, top))
    tops = [key for key in range(len(weights)) if shown(trace, "weights", (head, row, key)) == most]
    on = listed(["itself" if key == row else told_label(trace, "j", key) for key in tops])
    number = told_number(trace, "weights", (head, row, top))
    each = "each on" if len(tops) > 1 else "on"
    asks = f"In head {head + 1} ({HEADS[head]})"
    return f"{asks} {told_label(trace, 'i', row)} puts {number} of its weight {each} {on}."


def _which_meaning(trace: Trace) -> str:
    row = asking(trace)
    if row is None:
        return f"No token here has the feature {marked('open')}: head 1 has nothing to settle."
    largest = int(trace["output"][row].argmax())
    return (
        f"{_puts(trace, 0, row)} The largest feature of the output of "
        f"{told_label(trace, 'i', row)} is {marked(FEATURES[largest])}, "
        f"{told_number(trace, 'output', (row, largest))}."
    ).strip()


def _who_does_it(trace: Trace) -> str:
    row = _last(trace, "action")
    return "" if row is None else _puts(trace, 1, row)


def _later(trace: Trace) -> str:
    """That some token reads a later one, if it does: the one that does most."""
    later = np.triu(trace["weights"], 1)
    if not later.any():
        return ""
    head, row, key = map(int, np.unravel_index(later.argmax(), later.shape))
    number = told_number(trace, "weights", (head, row, key))
    reader, read = told_label(trace, "i", row), told_label(trace, "j", key)
    return (
        f"Here earlier tokens read later ones: in head {head + 1} {reader} puts {number} on {read}."
    )


def _sharper(trace: Trace, scaled: Trace | None) -> str:
    """How the largest weight of a token that asks differs from what it is with the scale."""
    row = asking(trace)
    if scaled is None or row is None or not trace["weights"][0, row].any():
        return ""
    top = int(trace["weights"][0, row].argmax())
    on, off = (float(run["weights"][0, row, top]) for run in (scaled, trace))
    if off <= on:
        return ""
    return (
        f"Without the scale the weights are sharper: {decimal_text(on, 2)} with it, "
        f"{told_number(trace, 'weights', (0, row, top))} without it."
    )


def _drawn(words: Sequence[str]) -> list[str]:
    if not words:
        return []
    named = listed([marked(word) for word in words[:MOST_NAMED]])
    more = len(words) - MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return [f"These words have no row made by hand, so theirs are drawn: {named}{rest}."]
