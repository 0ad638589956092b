"""What the opening example shows on any sentence, each number from the run that is on show."""

from collections.abc import Sequence

import numpy as np

from core.attention.examples.river_bank import BANK_LEXICON
from core.attention.examples.two_meanings import BANK_MEANINGS, FEATURE_NAMES, TEN, Lexicon
from core.program.labels import listed_names, marked_token, told_label, told_number
from core.program.numbers.rounding import decimal_text
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("river_bank")
BY_HAND = TEXTS("by_hand")
MOST_NAMED = 6
"""How many words with random rows are named."""
_OPEN = FEATURE_NAMES.index("open")
_TELLING = (*BANK_MEANINGS.features, "person", "action", "thing")


def meanings(trace: Trace, lexicon: Lexicon = BANK_LEXICON) -> list[str]:
    """Say what each token means or looks for, head by head, token by token."""
    tokens = range(len(trace.tokens))
    return [text(trace, row, lexicon) for text in (_which_meaning, _who_does_it) for row in tokens]


def taught(trace: Trace, lexicon: Lexicon = BANK_LEXICON) -> dict[str, tuple[str, ...]]:
    """What is said besides from a step on: why a token reads as it does, and what it becomes."""
    heads, rows = range(len(trace["weights"])), range(len(trace.tokens))
    return {
        name: tuple(text(trace, head, row, lexicon) for head in heads for row in rows)
        for name, text in (("X", _is_open), ("scores", _because), ("output", _becomes))
    }


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


def openings(trace: Trace, lexicon: Lexicon = BANK_LEXICON) -> dict[str, tuple[int, ...]]:
    """The number of each array that the story of the token that asks goes through.

    First that it is open, then the feature by which it finds its key, and what that passes on. No
    mask and no scale changes them. If no token asks, each array opens at a word with a meaning.
    """
    found = opening(trace, lexicon)
    if found is None:
        return _at_word(trace, lexicon)
    row, key = found
    value = trace["V"][0, key]
    passed = int(value.argmax())
    return {
        "X": (row, _OPEN),
        "Q": (0, row, int((trace["Q"][0, row] * trace["K"][0, key]).argmax())),
        "context": (0, row, passed),
        "concat": (row, passed),
        "output": (row, int((value @ trace["W_O"][: len(value)]).argmax())),
    }


def _at_word(trace: Trace, lexicon: Lexicon) -> dict[str, tuple[int, ...]]:
    """The row of a word in each array that has one: of two meanings elsewhere, or a known one's.

    Of a sentence with neither there are none.
    """
    tokens = [token.lower() for token in trace.tokens]
    elsewhere = [at for at, token in enumerate(tokens) if token in {two.word for two in TEN}]
    known = [  # those with a feature besides what nearly every word has
        at for at, token in enumerate(tokens) if any(lexicon.has(token, one) for one in _TELLING)
    ]
    if not (rows := elsewhere or known):
        return {}
    row = rows[-1]
    key = int(trace["scores"][0, row, : row + 1].argmax())
    at = {"i": row, "j": key}
    return {
        array: tuple(at.get(letter, 0) for letter in letters)
        for array, letters in trace.program.letters.items()
        if array in trace.steps or array == "X"
    }


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
        return TEXTS("one_meaning", token=token, asks=_asks(trace, 0, row))
    return f"{TEXTS('open', token=token)} {_settled(trace, row, lexicon)}".strip()


def _settled(trace: Trace, row: int, lexicon: Lexicon) -> str:
    """Say which of its meanings a word has in a run, and from which word; "" if that is not clear.

    It is clear if of the features that it looks for the same one is largest in what the word
    becomes and in the one word that it reads most.
    """
    weights, becomes = trace["weights"][0, row], trace["output"][row]
    sought = trace["W_K"][0] @ trace["Q"][0, row]
    sides = np.flatnonzero(np.isclose(sought, sought.max()))
    if not weights.any() or len({decimal_text(float(n), 2) for n in becomes[sides]}) == 1:
        return TEXTS("unsettled")
    top, feature = int(weights.argmax()), int(sides[becomes[sides].argmax()])
    alone = np.count_nonzero(np.isclose(weights, weights[top])) == 1
    has = trace["X"][top, sides]
    same = has.any() and sides[has.argmax()] == feature
    if top == row or not alone or not same:
        return ""
    name = lexicon.features[feature]
    return TEXTS(
        "settled", key=told_label(trace, "j", top), mostly=bool(weights[top] > 0.5),
        means=lexicon.means.get((trace.tokens[row].lower(), name), ""), feature=marked_token(name),
    )  # fmt: skip


def _is_open(trace: Trace, head: int, row: int, lexicon: Lexicon) -> str:
    """Say why a word of two meanings has a number for being open."""
    if head or not lexicon.is_open(trace.tokens[row]):
        return ""
    return TEXTS("is_open", feature=marked_token(lexicon.features[_OPEN]))


def _becomes(trace: Trace, head: int, row: int, lexicon: Lexicon) -> str:
    """Say what a word of two meanings has become, and what that is for."""
    is_open = lexicon.is_open(trace.tokens[row])
    if head or not is_open or not trace["weights"][0, row].any():
        return ""
    texts = [decimal_text(float(number), 2) for number in trace["output"][row]]
    largest = int(trace["output"][row].argmax())
    if texts.count(texts[largest]) > 1:
        return ""
    feature = marked_token(lexicon.features[largest])
    number = told_number(trace, "output", (row, largest))
    second = _of_second_head(trace, row, largest, lexicon)
    return TEXTS("becomes", feature=feature, number=number, second=second)


def _of_second_head(trace: Trace, row: int, largest: int, lexicon: Lexicon) -> str:
    """The largest other feature of what a token becomes, if head 2 makes most of it; else ""."""
    if len(trace["weights"]) != 2:
        return ""
    others = trace["output"][row].copy()
    others[largest] = -np.inf
    second, d_v = int(others.argmax()), trace["context"].shape[-1]
    by_head = [trace["context"][h, row] @ trace["W_O"][h * d_v : (h + 1) * d_v] for h in (0, 1)]
    is_its = by_head[1][second] > abs(by_head[0][second]) + 0.005
    return marked_token(lexicon.features[second]) if is_its else ""


def _who_does_it(trace: Trace, row: int, lexicon: Lexicon) -> str:
    token, word = told_label(trace, "i", row), trace.tokens[row]
    if not lexicon.knows(word):
        return _unknown(trace, row, lexicon)
    asks = _asks(trace, 1, row)
    if lexicon.has(word, "action"):
        return TEXTS("action" if asks else "still_action", token=token)
    return TEXTS("no_action" if asks else "still", token=token)


def _asks(trace: Trace, head: int, row: int) -> bool:
    """Whether a token asks for something: a query of zeros asks for nothing."""
    return bool(trace["Q"][head, row].any())


def _because(trace: Trace, head: int, row: int, lexicon: Lexicon) -> str:
    """Say why a token reads most from another: the feature that query and key have in common.

    Features of a query have no names of their own; each stands for what its key is made of.
    """
    asks = lexicon.has(trace.tokens[row], ("open", "action")[head])
    weights = trace["weights"][head, row]
    top = int(weights.argmax())
    terms = trace["Q"][head, row] * trace["K"][head, top]
    most = int(terms.argmax())
    if not asks or top == row or not weights[top] or 2 * terms[most] <= terms.sum():
        return ""
    asked = lexicon.features[int(trace["W_K"][head][:, most].argmax())]
    query = told_number(trace, "Q", (head, row, most))
    key = told_number(trace, "K", (head, top, most))
    return TEXTS(
        "because", token=told_label(trace, "j", top), number=most + 1,
        feature=marked_token(asked), query=query, key=key,
    )  # fmt: skip


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
