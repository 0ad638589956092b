"""Every sentence of 'word order', at the ends of its controls."""

import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.support import stage

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
EIGHT = "a b c d e f g h"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.order_text)


def order(page: AppTest) -> list[int]:
    """The new order, from what its toggle says."""
    T = len(tokens(page))
    places = list(range(T))
    return {
        "typed": places,
        "earlier": [*reversed(places[:-1]), places[-1]],
        "front": [places[-1], *places[:-1]],
        "reversed": places[::-1],
    }[page.session_state.order_tokens]


def rows_read(page: AppTest, X: np.ndarray, layers: int) -> np.ndarray:
    """What one layer or two read, layer on layer, by the walkthrough's program."""
    for layer in range(layers):
        inputs = toy_inputs(page.session_state.order_text, heads=1, d_model=4, seed=layer)
        program = attention_program(heads=1, mask=page.session_state.order_mask)
        X = np.asarray(program.run({**inputs, "X": X})["context"][0])
    return X


def both(page: AppTest, layers: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """What is read in the new order, and as typed with its rows moved."""
    depth = layers or int(page.session_state.order_layers)
    X = np.asarray(toy_inputs(page.session_state.order_text, heads=1, d_model=4)["X"])
    return rows_read(page, X[order(page)], depth), rows_read(page, X, depth)[order(page)]


def changed(page: AppTest, layers: int | None = None) -> set[int]:
    new, moved = both(page, layers)
    return {int(at) for at in np.flatnonzero(np.abs(new - moved).max(axis=1) > 1e-9)}


def sees_the_same(page: AppTest) -> set[int]:
    """Places whose token sees the tokens that it saw as typed."""
    placed = order(page)
    if page.session_state.order_mask == "none":
        return set(range(len(placed)))
    return {at for at, old in enumerate(placed) if set(placed[: at + 1]) == set(range(old + 1))}


def named(text: str, page: AppTest) -> set[int]:
    """The places of the tokens that are named, as the stage labels its rows."""
    labels = stage(page).labels("moved")[0]
    said = {part.strip("* ") for part in re.split(r", | and ", text)}
    return {at for at, label in enumerate(labels) if label in said}


def as_typed(match: Match, page: AppTest) -> None:
    assert order(page) == sorted(order(page))


def followed(match: Match, page: AppTest) -> None:
    assert not changed(page)
    assert order(page) != sorted(order(page))


def up_to(match: Match, page: AppTest) -> None:
    if match[1]:
        assert 0 < number(match[1]) < 1e-14


def unmasked(match: Match, page: AppTest) -> None:
    assert page.session_state.order_mask == "none"


def have_changed(match: Match, page: AppTest) -> None:
    new, moved = both(page)
    assert (int(match[1]), int(match[2])) == (len(changed(page)), len(moved))
    printed(match[3], float(np.abs(new - moved).max()))


def causal(match: Match, page: AppTest) -> None:
    assert page.session_state.order_mask == "causal"


def kept(match: Match, page: AppTest) -> None:
    found = named(match[1], page)
    assert found == sees_the_same(page) - changed(page)
    assert match[2] == ("s" if len(found) == 1 else "")


def one_layer(match: Match, page: AppTest) -> None:
    assert page.session_state.order_layers == "1"


def alike(match: Match, page: AppTest) -> None:
    assert named(match[1], page) == set(range(len(order(page)))) - changed(page) - sees_the_same(
        page
    )


def noticed(match: Match, page: AppTest) -> None:
    found = named(match[1], page)
    assert found == sees_the_same(page) & changed(page)
    assert not found & changed(page, 1)


def deep(match: Match, page: AppTest) -> None:
    assert page.session_state.order_layers == "2"
    assert sees_the_same(page) & changed(page)


def drawn_with(match: Match, page: AppTest) -> None:
    made = toy_inputs("a", heads=1, d_model=int(match[1]), seed=int(match[2]))["W_Q"]
    shown = np.squeeze(np.array(stage(page).texts("W_Q_1"), dtype=float))
    np.testing.assert_allclose(shown, made[0], atol=1e-9)


INVENTORY = Inventory(
    "word_order",
    ends={
        "order_text": ("cat", EIGHT),
        "order_tokens": ("typed", "earlier", "front", "reversed"),
        "order_mask": ("none", "causal"),
        "order_layers": ("1", "2"),
    },
    claims={
        r"Word order: how does attention know position\?": ALWAYS,
        r"Dog bites man and man bites dog have the same tokens": ALWAYS,
        r"Attention compares each query with each key and mixes values: nothing": ALWAYS,
        r"See what follows, and what a causal mask changes": ALWAYS,
        r"Before:|Why mask, Queries, keys, values\.|Time: ": ALWAYS,
        r"Here a sentence goes through attention twice, with the same matrices:": ALWAYS,
        rf"A permutation matrix {SYMBOL} moves the rows of {SYMBOL}; the last step": ALWAYS,
        rf"Drawn here with {SYMBOL} = (\d+), one head and seed (\d+)\.$": drawn_with,
        r"The order is as typed, so nothing has moved": as_typed,
        r"Choose another one\.$": as_typed,
        r"Every row has followed its token, and no number in it has changed: ": followed,
        r"Every row has followed .*?(?:, up to (\S+), for floats are added in anot|\.$)": up_to,
        r"Without a mask each token reads from all, a weighted mean over a set": unmasked,
        r"A set has no order: attention is equivariant under permutations": unmasked,
        r"(\d) of (\d) rows have changed, by (\S+) at most\.$": have_changed,
        r"Under the causal mask a token reads from those that stand before it": causal,
        r"(.+) read(s?) the same: (?:it sees|they see) the tokens that (?:it|they) saw as": kept,
        r"In which order these stand, the mask does not say": one_layer,
        r"(.+) sees? other tokens, and yet what (?:it reads|they read) comes to": alike,
        r"(.+) sees? the same tokens as typed, and in the first layer reads? the": noticed,
        r"But in the second layer (?:it reads|they read) what the others have": deep,
        r"So with two layers a causal mask tells something of the order": deep,
        rf"What to notice\.$|Moving a row of {SYMBOL} moves a row of {SYMBOL}": ALWAYS,
        r"In the scores a row and a column move, and no number changes": ALWAYS,
        r"Softmax takes a row's numbers in any order, and so does the sum of": ALWAYS,
        r"A token's place is in none of these numbers, and only a mask reads it": ALWAYS,
        r"In code$|Predict, then reveal$|To take away\.$": ALWAYS,
        r"Without positions and without a mask, attention gives each token": ALWAYS,
        r"A causal mask tells nothing of the order of what is seen in one layer": ALWAYS,
    },
    others=[
        {"order_mask": "causal", "order_tokens": "earlier"},
        {"order_mask": "causal", "order_tokens": "earlier", "order_layers": "2"},
        {"order_mask": "causal", "order_tokens": "reversed", "order_text": "ha ha ha"},
        {"order_mask": "causal", "order_tokens": "earlier", "order_text": "a b a x"},
        {"order_layers": "2", "order_tokens": "earlier"},
    ],
)


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
