"""What the opening example shows on any sentence, each number from the run that is on show."""

from collections.abc import Sequence

import numpy as np

from core.attention.river_bank import FEATURES, known
from core.program.labels import listed, marked, told_label, told_number
from core.program.rounding import decimal_text
from core.program.trace import Trace

BY_HAND = "These weights were made by hand; a real model learns its weights."
MOST_NAMED = 6
"""How many words with drawn rows are named."""


def meanings(trace: Trace) -> list[str]:
    """What it means that a token reads as it does, head by head and token by token."""
    tokens = range(len(trace.tokens))
    return [said(trace, row) for said in (_which_meaning, _who_does_it) for row in tokens]


def notes(trace: Trace, drawn: Sequence[str] = (), scaled: Trace | None = None) -> str:
    """What else is to be said of a run. `drawn` are its words without a row made by hand.

    `scaled` is the same run with the scale on, if it is off.
    """
    said = filter(None, [_later(trace), _sharper(trace, scaled)])
    return " ".join([*said, *_drawn(drawn), BY_HAND])


def opening(trace: Trace) -> tuple[int, int] | None:
    """The token that asks in head 1, and of those up to it the key that it scores highest."""
    row = asking(trace)
    return None if row is None else (row, int(trace["scores"][0, row, : row + 1].argmax()))


def asking(trace: Trace) -> int | None:
    """The last token that is open in meaning."""
    open_tokens = [at for at in range(len(trace.tokens)) if _has(trace, at, "open")]
    return max(open_tokens, default=None)


def _has(trace: Trace, row: int, feature: str) -> bool:
    """Whether a token made by hand has a feature."""
    return known(trace.tokens[row]) and bool(trace["X"][row, FEATURES.index(feature)] > 0)


def _which_meaning(trace: Trace, row: int) -> str:
    token = told_label(trace, "i", row)
    if not known(trace.tokens[row]):
        return _by_chance(token)
    if not _has(trace, row, "open"):
        return _asks(
            trace, 0, row, f"{token} is not open in meaning", "has little to settle for it"
        )
    asks = f"{token} is open in meaning: head 1 looks for a word that settles it."
    if not trace["weights"][0, row].any():
        return asks
    largest = int(trace["output"][row].argmax())
    return (
        f"{asks}{_because(trace, 0, row)} The largest feature of its output is "
        f"{marked(FEATURES[largest])}, {told_number(trace, 'output', (row, largest))}."
    )


def _who_does_it(trace: Trace, row: int) -> str:
    token = told_label(trace, "i", row)
    if not known(trace.tokens[row]):
        return _by_chance(token)
    if _has(trace, row, "action"):
        asks = _asks(trace, 1, row, f"{token} is an action", "looks for a person who does it")
        return asks + _because(trace, 1, row)
    looks = "looks for the action that it takes part in"
    return _asks(trace, 1, row, f"{token} is not an action", looks)


def _asks(trace: Trace, head: int, row: int, what: str, looks: str) -> str:
    """What a token is, and what the head does for it; a query of zeros asks for nothing."""
    if trace["Q"][head, row].any():
        return f"{what}: head {head + 1} {looks}."
    return f"{what}, and its query in head {head + 1} is 0: it asks for nothing."


def _because(trace: Trace, head: int, row: int) -> str:
    """Why a token reads most from another: of what the query and the key have most in common."""
    weights = trace["weights"][head, row]
    top = int(weights.argmax())
    terms = trace["Q"][head, row] * trace["K"][head, top]
    most = int(terms.argmax())
    if top == row or not weights[top] or 2 * terms[most] <= terms.sum():
        return ""
    asked = FEATURES[int(trace["W_K"][head][:, most].argmax())]
    query = told_number(trace, "Q", (head, row, most))
    key = told_number(trace, "K", (head, top, most))
    return (
        f" Its query and the key of {told_label(trace, 'j', top)} are both large for "
        f"{marked(asked)}: {query} and {key}."
    )


def _by_chance(token: str) -> str:
    return f"The row of {token} in X is random, so what it reads means nothing."


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
