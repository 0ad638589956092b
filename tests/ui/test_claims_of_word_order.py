"""Every sentence of 'word order', at the ends of its controls."""

import json
import math
import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.program.labels import token_labels
from tests.ui.claims import ALWAYS, Check, Inventory, number, printed
from tests.ui.support import opened, stage, stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
EIGHT = "a b c d e f g h"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.order_text)


def order(page: AppTest) -> list[int]:
    """The new order, from what its toggle says."""
    T = len(tokens(page))
    places = list(range(T))
    left, yours = dict(enumerate(tokens(page))), []
    for token in page.session_state.order_yours.split():
        yours.append(next(at for at in left if left[at] == token))
        del left[yours[-1]]
    return {
        "hand": yours or places,
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


def others_now(match: Match, page: AppTest) -> None:
    assert page.session_state.order_mask == "causal"
    assert named(match[1], page) == changed(page) - sees_the_same(page)


def head_of_arrows(match: Match, page: AppTest) -> None:
    assert page.session_state.order_encoding == "rope"
    assert int(match[1]) == page.session_state.order_told_head


Q_PAIRED, K_PAIRED, APART = [1.0, 2.0, 3.0, 4.0], [1.0, 0.0, -1.0, 2.0], 2
TURNS = (1.0, 0.01)


def apart_by(match: Match, page: AppTest) -> None:
    q, k = ([number(x) for x in said.split(", ")] for said in (match[1], match[2]))
    assert (q, k, int(match[3])) == (Q_PAIRED, K_PAIRED, APART)


def turned_score(q: list[float], k: list[float], pairs: list[tuple[int, int]]) -> float:
    """Both rows turned, the query by two positions and the key by none; then a dot product."""
    found = 0.0
    for (a, b), turn in zip(pairs, TURNS, strict=True):
        cos, sin = math.cos(APART * turn), math.sin(APART * turn)
        found += (q[a] * cos - q[b] * sin) * k[a] + (q[a] * sin + q[b] * cos) * k[b]
    return found


def paired(match: Match, page: AppTest) -> None:
    """By the pairs, or the order of features, that the line itself names."""
    named = [int(n) - 1 for n in re.findall(r"\d", match[2])]
    if "order" in match[2]:
        q, k = ([row[at] for at in named] for row in (Q_PAIRED, K_PAIRED))
        assert sorted(named) == [0, 1, 2, 3]
        printed(match[3], turned_score(q, k, [(0, 2), (1, 3)]))
        return
    pairs = list(zip(named[::2], named[1::2], strict=True))
    assert pairs == {"neighbours": [(0, 1), (2, 3)], "halves": [(0, 2), (1, 3)]}[match[1]]
    printed(match[3], turned_score(Q_PAIRED, K_PAIRED, pairs))


def same_in_order(match: Match, page: AppTest) -> None:
    """The last of three lines has the score of the first, the second one has another."""
    table = next(m.value for m in page.markdown if "| neighbours" in m.value)
    scores = re.findall(r"\| (\S+) \|$", table, re.MULTILINE)[2:]
    assert len(scores) == 3
    assert scores[0] == scores[2] != scores[1]


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


def alone(match: Match, page: AppTest) -> None:
    assert len(tokens(page)) == 1


def deep(match: Match, page: AppTest) -> None:
    assert page.session_state.order_layers == "2"
    assert sees_the_same(page) & changed(page)


def drawn_with(match: Match, page: AppTest) -> None:
    heads = {"one head": 1, "2 heads": 2}[match[2]]
    made = toy_inputs("a", heads=heads, d_model=int(match[1]), seed=int(match[3]))["W_Q"]
    told = stages(page)[heads - 1]
    shown = np.array(told.texts({1: "W_Q_1", 2: "W_Q"}[heads]), dtype=float)
    np.testing.assert_allclose(
        np.squeeze(shown),
        made[page.session_state.order_told_head - 1 if heads > 1 else 0],
        atol=1e-9,
    )


def second_seed(match: Match, page: AppTest) -> None:
    made = toy_inputs("a", heads=1, d_model=4, seed=int(match[1]))["W_Q"]
    shown = np.array(stage(page).texts("W_Q_2"), dtype=float)
    np.testing.assert_allclose(np.squeeze(shown), made[0], atol=1e-9)


def told_by(*kinds: str) -> Check:
    """The sentence is about one of these encodings."""

    def check(match: Match, page: AppTest) -> None:
        assert page.session_state.order_encoding in kinds

    return check


def wave_count(match: Match, page: AppTest) -> None:
    assert page.session_state.order_encoding == "sinusoidal"
    below = page.get("plotly_chart")[0]
    assert int(match[1]) == len(json.loads(below.proto.spec)["data"][1]["y"])


def dots_by_distance(page: AppTest) -> dict[int, set[float]]:
    """What the last chart shows: for each distance its scores."""
    (dots,) = json.loads(page.get("plotly_chart")[-1].proto.spec)["data"]
    found: dict[int, set[float]] = {}
    for distance, score in zip(dots["x"], dots["y"], strict=True):
        found.setdefault(distance, set()).add(score)
    return found


def at_places(match: Match, page: AppTest) -> None:
    assert match[1] == tokens(page)[-1]
    assert int(match[2]) == len(dots_by_distance(page))


def in_head(match: Match, page: AppTest) -> None:
    assert int(match[1]) == page.session_state.order_told_head


def flat(match: Match, page: AppTest) -> None:
    assert page.session_state.order_encoding == "none"
    assert len(set().union(*dots_by_distance(page).values())) == 1


def differing(match: Match, page: AppTest) -> None:
    assert page.session_state.order_encoding in ("sinusoidal", "learned")
    printed(
        match[1], max(max(several) - min(several) for several in dots_by_distance(page).values())
    )


def one_each(match: Match, page: AppTest) -> None:
    assert page.session_state.order_encoding in ("rope", "alibi")
    found = dots_by_distance(page)
    assert all(len(several) == 1 for several in found.values())
    assert len(set().union(*found.values())) > 1


def turns(match: Match, page: AppTest) -> None:
    said = [number(n) for n in re.findall(r"[\d.]+(?:e−\d+)?", match[1])]
    np.testing.assert_allclose(said, [10_000 ** (-2 * wave / 8) for wave in range(4)])


def table_rows(match: Match, page: AppTest) -> None:
    assert page.session_state.order_encoding == "learned"
    assert int(match[2]) == len(tokens(page))
    assert int(match[1]) == 0


def slopes(match: Match, page: AppTest) -> None:
    """The power in full, and what the stage shows of it: the power is what can be worked with."""
    for head, (power, shown) in enumerate((match.groups()[:2], match.groups()[2:]), 1):
        assert int(power) == -8 * head / 2
        printed(re.sub(r"[\[\]]|\(.*\)", "", shown), 2.0 ** int(power))


def refused(match: Match, page: AppTest) -> None:
    assert match[2].split(", ") == tokens(page)
    assert sorted(match[1].split(", ")) != sorted(tokens(page))
    assert page.session_state.order_yours == ""


def farthest(match: Match, page: AppTest) -> None:
    """PyTorch's softmax with and without slope times distance."""
    last = len(tokens(page)) - 1
    text = page.session_state.order_text
    labels = token_labels(tokens(page))
    assert [match[1], match[2]] == [labels[last], labels[0]]
    given = toy_inputs(text, heads=2, d_model=8)
    for head, slope in enumerate((1 / 16, 1 / 256)):
        X, W_Q, W_K = (np.asarray(given[n]) for n in ("X", "W_Q", "W_K"))
        scores = torch.from_numpy((X[-1] @ W_Q[head]) @ (X @ W_K[head]).T / 2)
        apart = torch.arange(last, -1, -1)
        shares = [scores.softmax(0)[0], (scores - slope * apart).softmax(0)[0]]
        said = match[3 + 2 * head], match[4 + 2 * head]
        for text, share in zip(said, shares, strict=True):
            printed(text, 100 * float(share))
        assert shares[1] < shares[0]


def read_in(text: str, mask: str, places: str) -> dict[str, np.ndarray]:
    """What each word reads, by PyTorch: sines and cosines of its place added to its row."""
    toy = toy_inputs(text, heads=1, d_model=8, d_k=4, d_v=4)
    X = torch.tensor(np.array(toy["X"]))
    if places == "on":
        angles = torch.arange(3.0, dtype=X.dtype)[:, None] * 10_000 ** (-torch.arange(4) / 4)
        X = X + torch.cat([angles.sin(), angles.cos()], dim=1)
    q, k, v = (X @ torch.tensor(np.array(toy[f"W_{name}"][0])) for name in "QKV")
    made = torch.nn.functional.scaled_dot_product_attention(
        q[None, None], k[None, None], v[None, None], is_causal=mask == "causal"
    )
    return dict(zip(text.split(), made[0, 0].numpy(), strict=True))


def same_rows(match: Match, page: AppTest) -> None:
    state = page.session_state
    above, below = (
        read_in(text, state.order_pair_mask, state.order_pair_places)
        for text in ("dog bites man", "man bites dog")
    )
    same = [np.allclose(above[word], below[word], atol=1e-9) for word in above]
    assert [int(match[1]), int(match[2])] == [sum(same), len(same)]
    assert any(same) == ((state.order_pair_mask, state.order_pair_places) == ("none", "off"))


def of_pair(case: str) -> Check:
    def check(match: Match, page: AppTest) -> None:
        state = page.session_state
        assert f"{state.order_pair_mask} {state.order_pair_places}" == case

    return check


INVENTORY = Inventory(
    "word_order",
    ends={
        "order_pair_mask": ("none", "causal"),
        "order_pair_places": ("off", "on"),
        "order_text": ("cat", EIGHT),
        "order_tokens": ("typed", "earlier", "front", "reversed", "hand"),
        "order_yours": ("", "mat the cat on sat The"),
        "order_mask": ("none", "causal"),
        "order_layers": ("1", "2"),
        "order_encoding": ("none", "sinusoidal", "learned", "rope", "alibi"),
        "order_arrows": ("Q", "K"),
    },
    claims={
        r"Word order: how does attention know position\?": ALWAYS,
        r"Dog bites man and man bites dog have the same tokens": ALWAYS,
        r"Attention compares each query with each key and mixes values: nothing": ALWAYS,
        r"See what follows, and what a causal mask changes": ALWAYS,
        r"Try it\.$|Switch the mask to causal, then tell attention the positions: see": ALWAYS,
        r"What to notice\. (\d) of (\d) tokens have the same row after attention in": same_rows,
        r"Each token reads from the same set, wherever it stands": of_pair("none off"),
        r"Each token reads itself and those before it, and before": of_pair("causal off"),
        r"A row for its place was added to the row of each token": of_pair("none on"),
        r"Both the mask and the rows for the places tell the two": of_pair("causal on"),
        r"Your sentence in another order: which rows follow\?$": ALWAYS,
        r"Here a sentence goes through attention twice, with the same matrices:": ALWAYS,
        rf"A permutation matrix {SYMBOL} moves the rows of {SYMBOL}; the last step": ALWAYS,
        rf"Random weights \({SYMBOL} = (\d+), (one head|2 heads), seed (\d+)\)": drawn_with,
        r"The matrices of the second layer are drawn with seed (\d+)\.$": second_seed,
        r"Four ways to tell a place$|A model is told in its rows, in its queries and": ALWAYS,
        rf"Sinusoidal and learned: a row for each place is added to {SYMBOL}": ALWAYS,
        rf"RoPE \(rotary\): pairs of features of {SYMBOL} and {SYMBOL} are turned by": ALWAYS,
        r"ALiBi: the distance, times a slope of the head, is taken off": ALWAYS,
        r"Nothing but the mask knows a place here: equal tokens have equal rows": told_by("none"),
        r"Counting in binary, and in waves\.$": told_by("sinusoidal"),
        r"Above, each place in bits; below, the sines of (\d+) waves, orange": wave_count,
        r"In binary the bit for 1 changes at every place, each next bit half as": (
            told_by("sinusoidal")
        ),
        r"Waves do the same smoothly": told_by("sinusoidal"),
        r"Those on the stage turn by (.+) radians from one place to the next": turns,
        r"By distance\.$": ALWAYS,
        r"Here (\S+) stands at each of (\d+) places, and nothing": at_places,
        r"Its scores with itself in head (\d), before the mask:$": in_head,
        r"One score at every distance: no score tells how far apart two places are": flat,
        r"Scores of one distance differ, by up to (\S+): it counts where both stand": differing,
        r"At each distance one score: it counts how far apart both stand, and not": one_each,
        r"Fast ones tell neighbours apart, slow ones tell far places apart": told_by("sinusoidal"),
        r"In the step Distance map each diagonal holds one number": told_by("sinusoidal"),
        r"Training sets this table, as it sets the embeddings": told_by("learned"),
        r"Here it is drawn at random, with seed (\d+): (\d+) rows?, one for each": table_rows,
        r"A place beyond the table's last has no row, so such a model reads no": told_by("learned"),
        r"The (?:queries|keys) of head (\d), a pair of features as an arrow": head_of_arrows,
        r"The arrow of place 0 stays|From place to place the turn grows by": told_by("rope"),
        r"Query and key are turned alike, so their score depends on what they": told_by("rope"),
        r"Which features are a pair\?$|Here 1 and 2, then 3 and 4: neighbours, as": told_by("rope"),
        r"Hugging Face's port of Llama pairs each feature of the first half with": told_by("rope"),
        r"It also puts the columns of .* into another order, so that the scores": same_in_order,
        r"Without that order the scores differ\.$": told_by("rope"),
        rf"For {SYMBOL} = \((.+)\) and {SYMBOL} = \((.+)\), (\d) positions apart:$": apart_by,
        r"\| pairs \| score \|$": told_by("rope"),
        r"\| (neighbours|halves)[:,] (.*) \| (\S+) \|$": paired,
        r"No row is changed\.$": told_by("alibi"),
        r"Of what (\S+) reads, the share of the farthest token, (\S+), falls from (\S+) % without "
        r"positions to (\S+) % in head 1, and from (\S+) % to (\S+) % in head 2\.$": farthest,
        r"In head 1 each place of distance costs \$2\^\{(\S+)\} \\approx\$ (\S+), in head 2 "
        r"\$2\^\{(\S+)\} \\approx\$ (\S+): a head": slopes,
        r"The same distance costs the same anywhere in the text, also beyond": told_by("alibi"),
        r"One token has one order, so nothing can move\.$|Type a longer sentence": alone,
        r"The order is as typed, so nothing has moved": as_typed,
        r"Choose another one\.$": as_typed,
        r"Every row has followed its token, and no number in it has changed: ": followed,
        r"Every row has followed .*?(?:, up to (\S+), for floats are added in anot|\.$)": up_to,
        r"Without a mask each token reads from all, a weighted mean over a set": unmasked,
        r"A set has no order: attention is equivariant under permutations": unmasked,
        r"(\d) of (\d) rows have changed, by (\S+) at most\.$": have_changed,
        r"Under the causal mask a token reads itself and those that stand before it; for (.+) the "
        r"ones before are others now\.$": others_now,
        r"(.+) read(s?) the same: (?:it sees|they see) the tokens that (?:it|they) saw as": kept,
        r"In which order these stand, the mask does not say": one_layer,
        r"(.+) sees? other tokens, and yet what (?:it reads|they read) comes to": alike,
        r"(.+) sees? the same tokens as typed, and in the first layer reads? the": noticed,
        r"But in the second layer (?:it reads|they read) what the others have": deep,
        r"So with two layers a causal mask tells something of the order": deep,
        rf"What to notice\.$|Moving a row of {SYMBOL} moves a row of {SYMBOL}": ALWAYS,
        r"In the scores of the first layer a row and a column move, and no number": ALWAYS,
        r"Softmax takes a row's numbers in any order, and so does the sum of": ALWAYS,
        r"A token's place is in none of these numbers, and only a mask reads it": ALWAYS,
        r"In the link:$|The default is used instead\.$": ALWAYS,
        r"The order has (.+); the tokens of the sentence are (.+): type each of these": refused,
        r"In code$|Predict, then reveal$|To take away\.$": ALWAYS,
        r"Without positions and without a mask, attention gives each token": ALWAYS,
        r"So places are told: added to the rows, turned into queries and keys": ALWAYS,
    },
    others=[
        {"order_mask": "causal", "order_tokens": "earlier"},
        {"order_mask": "causal", "order_tokens": "earlier", "order_layers": "2"},
        {"order_mask": "causal", "order_tokens": "reversed", "order_text": "ha ha ha"},
        {"order_mask": "causal", "order_tokens": "earlier", "order_text": "a b a x"},
        {"order_layers": "2", "order_tokens": "earlier"},
        {"order_tokens": "hand", "order_yours": "on The cat the sat mat", "order_mask": "causal"},
        {
            "order_tokens": "hand",
            "order_text": "a b a",
            "order_yours": "a a b",
            "order_mask": "causal",
            "order_layers": "2",
        },
        *({"order_encoding": kind} for kind in ("none", "learned", "rope")),
        *({"order_encoding": kind, "order_told_head": "2"} for kind in ("alibi", "learned")),
        {"order_encoding": "rope", "order_arrows": "K"},
    ],
)


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()


@pytest.mark.parametrize("head", ["1", "2"])
def test_arrows_are_those_of_the_head_on_the_stage(head: str) -> None:
    page = opened("word_order", order_encoding="rope", order_told_head=head)
    said = " ".join(one.value for one in page.markdown)
    assert f"**The queries of head {head}**" in said
