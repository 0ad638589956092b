"""What the opening example shows on any sentence, each number from the run that is on show."""

from collections.abc import Sequence

import numpy as np

from core.attention.lexicon import FEATURE_NAMES, Lexicon
from core.attention.river_bank import BANK_LEXICON
from core.program.labels import listed_names, marked_token, told_label, told_number
from core.program.rounding import decimal_text
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("river_bank")
BY_HAND = TEXTS("by_hand")
MOST_NAMED = 6
"""How many words with random rows are named."""


def meanings(trace: Trace, lexicon: Lexicon = BANK_LEXICON) -> list[str]:
    """Say what each token looks for and why it reads as it does, head by head, token by token."""
    tokens = range(len(trace.tokens))
    return [text(trace, row, lexicon) for text in (_which_meaning, _who_does_it) for row in tokens]


def notes(
    trace: Trace,
    drawn: Sequence[str] = (),
    scaled: Trace | None = None,
    lexicon: Lexicon = BANK_LEXICON,
) -> str:
    """Say what else there is to a run. `drawn` are its words without a row made by hand.

    `scaled` is the same run with the scale on, if it is off.
    """
    text = filter(None, [_later(trace), _sharper(trace, scaled, lexicon)])
    return " ".join([*text, *_drawn(drawn, lexicon), BY_HAND])


def opening(trace: Trace, lexicon: Lexicon = BANK_LEXICON) -> tuple[int, int] | None:
    """The token that asks in head 1, and of those up to it the key that it scores highest."""
    row = asking(trace, lexicon)
    return None if row is None else (row, int(trace["scores"][0, row, : row + 1].argmax()))


def asking(trace: Trace, lexicon: Lexicon = BANK_LEXICON) -> int | None:
    """The last token that is open in meaning."""
    open_tokens = [at for at, token in enumerate(trace.tokens) if lexicon.is_open(token)]
    return max(open_tokens, default=None)


def _unknown(trace: Trace, row: int, lexicon: Lexicon) -> str:
    """What is said of a word without a row made by hand."""
    return TEXTS("by_chance" if lexicon.is_drawn else "zeros", token=told_label(trace, "i", row))


def _which_meaning(trace: Trace, row: int, lexicon: Lexicon) -> str:
    token, word = told_label(trace, "i", row), trace.tokens[row]
    if not lexicon.knows(word):
        return _unknown(trace, row, lexicon)
    if not lexicon.is_open(word):
        return TEXTS("settled" if _asks(trace, 0, row) else "not_asking", token=token)
    asks = TEXTS("open", token=token)
    if not trace["weights"][0, row].any():
        return asks
    largest = int(trace["output"][row].argmax())
    return TEXTS(
        "opened",
        open=asks,
        because=_because(trace, 0, row, lexicon),
        feature=marked_token(lexicon.features[largest]),
        number=told_number(trace, "output", (row, largest)),
    )


def _who_does_it(trace: Trace, row: int, lexicon: Lexicon) -> str:
    token, word = told_label(trace, "i", row), trace.tokens[row]
    if not lexicon.knows(word):
        return _unknown(trace, row, lexicon)
    asks = _asks(trace, 1, row)
    if lexicon.row_of(word)[FEATURE_NAMES.index("action")] > 0:
        text = TEXTS("action" if asks else "still_action", token=token)
        return f"{text} {_because(trace, 1, row, lexicon)}".strip()
    return TEXTS("no_action" if asks else "still", token=token)


def _asks(trace: Trace, head: int, row: int) -> bool:
    """Whether a token asks for something: a query of zeros asks for nothing."""
    return bool(trace["Q"][head, row].any())


def _because(trace: Trace, head: int, row: int, lexicon: Lexicon) -> str:
    """Say why a token reads most from another: the feature that query and key have in common."""
    weights = trace["weights"][head, row]
    top = int(weights.argmax())
    terms = trace["Q"][head, row] * trace["K"][head, top]
    most = int(terms.argmax())
    if top == row or not weights[top] or 2 * terms[most] <= terms.sum():
        return ""
    asked = lexicon.features[int(trace["W_K"][head][:, most].argmax())]
    query = told_number(trace, "Q", (head, row, most))
    key = told_number(trace, "K", (head, top, most))
    token = told_label(trace, "j", top)
    return TEXTS("because", token=token, feature=marked_token(asked), query=query, key=key)


def _later(trace: Trace) -> str:
    """Say that some token reads a later one, if one does: the one that does most."""
    later = np.triu(trace["weights"], 1)
    if not later.any():
        return ""
    head, row, key = map(int, np.unravel_index(later.argmax(), later.shape))
    number = told_number(trace, "weights", (head, row, key))
    reader, read = told_label(trace, "i", row), told_label(trace, "j", key)
    return TEXTS("later", head=head + 1, reader=reader, read=read, number=number)


def _sharper(trace: Trace, scaled: Trace | None, lexicon: Lexicon) -> str:
    """Compare the largest weight of a token that asks with the same weight under the scale."""
    row = asking(trace, lexicon)
    if scaled is None or row is None or not trace["weights"][0, row].any():
        return ""
    top = int(trace["weights"][0, row].argmax())
    on, off = (float(run["weights"][0, row, top]) for run in (scaled, trace))
    if off <= on:
        return ""
    now = told_number(trace, "weights", (0, row, top))
    return TEXTS("sharper", on=decimal_text(on, 2), off=now)


def _drawn(words: Sequence[str], lexicon: Lexicon) -> list[str]:
    if not words:
        return []
    named = listed_names([marked_token(word) for word in words[:MOST_NAMED]])
    id = "drawn" if lexicon.is_drawn else "all_zeros"
    return [TEXTS(id, words=named, more=len(words) - MOST_NAMED)]
