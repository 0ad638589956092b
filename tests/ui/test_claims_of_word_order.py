"""Every sentence of 'word order', at the ends of its controls."""

import json
import math
import re
from base64 import b64decode
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.program.labels import token_labels
from tests.quotes import proves
from tests.ui.claims import ALWAYS, Inventory, Values, number, printed, shown_with
from tests.ui.real_heads import (
    HOW_CHOSEN,
    NAMES_A_HEAD,
    arrays_of,
    causal_weights,
    how_chosen,
    names_a_head,
)
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


def plain(text: str) -> str:
    """A number of a cell without its link, and without escapes."""
    return re.sub(r"\\|\[|\]\(.*\)", "", text)


def named(text: str, page: AppTest) -> set[int]:
    """The positions of the tokens that are named, as the stage labels its rows."""
    labels = stage(page).labels("moved")[0]
    said = {part.strip("* ").replace("\\", "") for part in re.split(r", | and ", text)}
    return {at for at, label in enumerate(labels) if label in said}


def unmoved(said: Values, page: AppTest) -> None:
    assert order(page) == sorted(order(page))


@proves(r"""
    Notice. Every row has followed its token, unchanged: $f(PX) = P\,f(X)$ [gap] (up to {gap},
    rounding). [unmasked] Without a mask each token reads a set, and a set has no order: attention
    is equivariant
""")
def followed(said: Values, page: AppTest) -> None:
    assert not changed(page)
    assert order(page) != sorted(order(page))
    assert not said["gap"] or 0 < number(plain(said["gap"])) < 1e-14
    assert said["unmasked"] == (page.session_state.order_mask == "none")


def have_changed(said: Values, page: AppTest) -> None:
    new, moved = both(page)
    assert (said["changed"], said["rows"]) == (len(changed(page)), len(moved))
    printed(said["gap"], float(np.abs(new - moved).max()))


def others_now(said: Values, page: AppTest) -> None:
    assert page.session_state.order_mask == "causal"
    assert named(said["tokens"], page) == changed(page) - sees_the_same(page)


def turning(said: Values, page: AppTest) -> None:
    assert page.session_state.order_encoding == "rope"
    rows = {"Q": "queries", "K": "keys"}[page.session_state.order_arrows]
    assert said["rows"] == f"{rows} of head {page.session_state.order_told_head}"


Q_PAIRED, K_PAIRED, APART = [1.0, 2.0, 3.0, 4.0], [1.0, 0.0, -1.0, 2.0], 2
TURNS = (1.0, 0.01)


@proves("by turning queries and keys")
def rotation(said: Values, page: AppTest) -> None:
    """Arrows of the chart keep their lengths, turn by one angle more each, the first by none; and
    turned alike, a query and a key at other positions of one distance have the same score.
    """
    assert page.session_state.order_encoding == "rope"
    drawn = json.loads(page.get("plotly_chart")[0].proto.spec)["data"]
    by_pair: dict[str, dict[str, list[complex]]] = {}
    for arrow in drawn:
        if arrow["name"] in ("as it was", "turned"):
            kinds = by_pair.setdefault(arrow["xaxis"], {})
            kinds.setdefault(arrow["name"], []).append(complex(arrow["x"][1], arrow["y"][1]))
    assert len(by_pair) == len(TURNS)
    for turn, kinds in zip(TURNS, by_pair.values(), strict=True):
        was, now = (np.array(kinds[name]) for name in ("as it was", "turned"))
        np.testing.assert_allclose(now, was * np.exp(1j * turn * np.arange(len(was))), atol=1e-9)
        for start in range(5):
            q, k = was[0] * np.exp(1j * turn * (start + APART)), was[-1] * np.exp(1j * turn * start)
            first = was[0] * np.exp(1j * turn * APART) * was[-1].conj()
            assert abs((q * k.conj()).real - first.real) < 1e-9


def pairings(said: Values, page: AppTest) -> None:
    """Of the three lines of the table the last has the score of the first, not of the second."""
    q, k = ([number(x) for x in said[name].split(", ")] for name in ("query", "key"))
    assert (q, k, said["distance"]) == (Q_PAIRED, K_PAIRED, APART)
    table = next(m.value for m in page.markdown if "| neighbours" in m.value)
    scores = re.findall(r"\| (\S+) \|$", table, re.MULTILINE)[2:]
    assert len(scores) == 3
    assert scores[0] == scores[2] != scores[1]


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


@proves("""
    {tokens} {?} the same, because {?} the same tokens as before. [shallow] In one layer, their
    order does not matter
""")
def kept(said: Values, page: AppTest) -> None:
    found = named(said["tokens"], page)
    assert found == sees_the_same(page) - changed(page)
    assert said["count"] == len(found)
    assert said["shallow"] == (page.session_state.order_layers == "1")


def alike(said: Values, page: AppTest) -> None:
    found = named(said["tokens"], page)
    assert found == set(range(len(order(page)))) - changed(page) - sees_the_same(page)
    assert said["count"] == len(found)


@proves("""
    the same tokens and {?} the same in layer 1. Layer 2 reads what the others have read, and that
    has changed. So with two layers, a causal mask carries some order
""")
def noticed(said: Values, page: AppTest) -> None:
    assert page.session_state.order_layers == "2"
    found = named(said["tokens"], page)
    assert found == sees_the_same(page) & changed(page)
    assert not found & changed(page, 1)
    assert said["count"] == len(found) > 0


def one_token(said: Values, page: AppTest) -> None:
    assert len(tokens(page)) == 1


@proves("""
    Without a mask, attention ignores the order of its tokens; a causal mask carries only part of it
""")
def why(said: Values, page: AppTest) -> None:
    """The scores of the moved rows are those of the rows, moved; without a mask, so is the rest."""
    X = np.asarray(toy_inputs(page.session_state.order_text, heads=1, d_model=4)["X"])
    toy = toy_inputs(page.session_state.order_text, heads=1, d_model=4)
    placed = order(page)

    def scores(rows: np.ndarray) -> np.ndarray:
        made: np.ndarray = (rows @ toy["W_Q"][0]) @ (rows @ toy["W_K"][0]).T
        return made

    np.testing.assert_allclose(scores(X[placed]), scores(X)[placed][:, placed], atol=1e-9)
    if page.session_state.order_mask == "none":
        assert not changed(page)


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


def second_seed(said: Values, page: AppTest) -> None:
    made = toy_inputs("a", heads=1, d_model=4, seed=said["seed"])["W_Q"]
    shown = np.array(stage(page).texts("W_Q_2"), dtype=float)
    np.testing.assert_allclose(np.squeeze(shown), made[0], atol=1e-9)


def waves_drawn(said: Values, page: AppTest) -> None:
    """The two strips of the chart, and what their rows do."""
    assert page.session_state.order_encoding == "sinusoidal"
    bits, waves = json.loads(page.get("plotly_chart")[0].proto.spec)["data"]
    assert said["waves"] == len(waves["y"])
    if "last" in said:
        values = rows_of(bits["z"], len(bits["y"]))
        assert values.shape[1] == said["last"] + 1
        changes = (np.diff(values, axis=1) != 0).sum(axis=1)
        assert changes.tolist() == [said["last"] // 2**n for n in range(len(changes))]
        steps = np.abs(np.diff(rows_of(waves["z"], len(waves["y"])), axis=1)).mean(axis=1)
        assert (np.diff(steps) < 0).all()


def rows_of(told: Any, count: int) -> np.ndarray:
    """The numbers of a strip, as a chart's text has them."""
    if isinstance(told, dict):
        return np.frombuffer(b64decode(told["bdata"]), told["dtype"]).reshape(count, -1)
    return np.array(told)


def sinusoids(said: Values, page: AppTest) -> None:
    """Turns as in the paper; each diagonal of the map has one number; bits halve their changes."""
    assert page.session_state.order_encoding == "sinusoidal"
    turns = [number(plain(text)) for text in re.split(r", | and ", said["turns"])]
    np.testing.assert_allclose(turns, [10_000 ** (-2 * wave / 8) for wave in range(4)])
    shown = np.array(stages(page)[1].texts("PE_dot"), dtype=float)
    for offset in range(len(shown)):
        assert len({*np.diagonal(shown, offset), *np.diagonal(shown, -offset)}) == 1


def dots_by_distance(page: AppTest) -> dict[int, set[float]]:
    """What the last chart shows: for each distance its scores."""
    (dots,) = json.loads(page.get("plotly_chart")[-1].proto.spec)["data"]
    found: dict[int, set[float]] = {}
    for distance, score in zip(dots["x"], dots["y"], strict=True):
        found.setdefault(distance, set()).add(score)
    return found


def by_distance(said: Values, page: AppTest) -> None:
    found = dots_by_distance(page)
    if "last" in said:
        assert said["last"] == max(found)
        every = set().union(*found.values())
        printed(said["low"], min(every))
        printed(said["high"], max(every))
        assert said["several"] == any(len(several) > 1 for several in found.values())
        assert said["token"] == tokens(page)[-1]
        return
    assert said["token"].strip("*").replace("\\", "") == tokens(page)[-1]
    assert (said["count"], said["head"]) == (len(found), page.session_state.order_told_head)
    apart = max(max(several) - min(several) for several in found.values())
    kind = page.session_state.order_encoding
    assert said["flat"] == (kind == "none") == (len(set().union(*found.values())) == 1)
    assert bool(said["apart"]) == (kind in ("sinusoidal", "learned")) == (apart > 0)
    if said["apart"]:
        printed(said["apart"], apart)


def table_rows(said: Values, page: AppTest) -> None:
    assert page.session_state.order_encoding == "learned"
    assert (said["seed"], said["rows"]) == (0, len(tokens(page)))


def slopes(said: Values, page: AppTest) -> None:
    """The power in full, and what the stage shows of it: the power is what can be worked with."""
    assert page.session_state.order_encoding == "alibi"
    for head, name in enumerate(("near", "far"), 1):
        assert said[f"{name}_power"] == -8 * head / 2
        shown = plain(said[name]).replace("e−", "e-")
        assert float(shown) == pytest.approx(2.0 ** -(4 * head), abs=0.005, rel=0.05)


def refused(match: Match, page: AppTest) -> None:
    assert match[2].split(", ") == tokens(page)
    assert sorted(match[1].split(", ")) != sorted(tokens(page))
    assert page.session_state.order_yours == ""


@proves("or by lowering scores")
def farthest(said: Values, page: AppTest) -> None:
    """PyTorch's softmax with and without slope times distance."""
    last = len(tokens(page)) - 1
    text = page.session_state.order_text
    labels = token_labels(tokens(page))
    assert [plain(said[name]).strip("*") for name in ("last", "first")] == [
        labels[last], labels[0],
    ]  # fmt: skip
    given = toy_inputs(text, heads=2, d_model=8)
    for head, slope in enumerate((1 / 16, 1 / 256)):
        X, W_Q, W_K = (np.asarray(given[n]) for n in ("X", "W_Q", "W_K"))
        scores = torch.from_numpy((X[-1] @ W_Q[head]) @ (X @ W_K[head]).T / 2)
        apart = torch.arange(last, -1, -1)
        shares = [scores.softmax(0)[0], (scores - slope * apart).softmax(0)[0]]
        name = ("near", "far")[head]
        for way, share in zip(("before", "after"), shares, strict=True):
            printed(said[f"{name}_{way}"], 100 * float(share))
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


def turning_alt(said: Values, page: AppTest) -> None:
    turning(said, page)
    assert (said["tokens"], said["pairs"]) == (len(tokens(page)), len(TURNS))
    assert [number(text) for text in said["turns"].split(" and ")] == list(TURNS)


@proves("""
    have the same tokens. Without a mask, nothing in attention says where a token is | So models add
    positions: to the rows | [causal and placed] The mask and the rows of the positions both tell
    the sentences apart | [causal] Each token reads itself and earlier tokens, and the earlier ones
    are different now | [placed] The row of a position is added to each token's row, so every token
    reads other rows | [else] Each token reads the same set
""")
def pair(said: Values, page: AppTest) -> None:
    """Which rows are the same, and what each token reads from: its set, and with which rows."""
    state = page.session_state
    sentences = ("dog bites man", "man bites dog")
    above, below = (
        read_in(text, state.order_pair_mask, state.order_pair_places) for text in sentences
    )
    same = [np.allclose(above[word], below[word], atol=1e-9) for word in above]
    assert (said["same"], said["count"]) == (sum(same), len(same))
    assert said["causal"] == (state.order_pair_mask == "causal")
    assert said["placed"] == (state.order_pair_places == "on")
    assert any(same) == (not said["causal"] and not said["placed"])
    if said["causal"]:  # no token sees the same ones in both
        for word in above:
            one, other = (set(text.partition(word)[0].split()) for text in sentences)
            assert one != other


def turned_back(rows: np.ndarray, base: float) -> np.ndarray:
    """Each pair of neighbours turned by minus its position times base^(−2p/d_k)."""
    T, d_k = rows.shape
    pairs = rows[:, ::2] + 1j * rows[:, 1::2]
    angles = [[-i * base ** (-2 * p / d_k) for p in range(d_k // 2)] for i in range(T)]
    back = pairs * np.exp(1j * np.array(angles))
    return np.stack([back.real, back.imag], axis=-1).reshape(T, d_k)


@proves("""
    With RoPE, a token gives {before} % of its weight to the token before it, on average. With the
    same $Q$ and $K$ unrotated, {after} %; the first token gets {first} %
""")
def real_notice(said: Values, page: AppTest) -> None:
    arrays = arrays_of("smollm2-keys", "smollm2-previous-token")
    Q, K = (turned_back(arrays[name], 100_000) for name in "QK")
    unrotated = causal_weights(Q, K, 8)
    for text, part in (
        (said["before"], np.diagonal(arrays["weights"], -1)),
        (said["after"], np.diagonal(unrotated, -1)),
        (said["first"], unrotated[1:, 0]),
    ):
        printed(text, 100 * sum(part) / len(part))


def real_rope(said: Values, page: AppTest) -> None:
    """In the first layer a token's key, turned back, is the same at both of its positions."""
    keys = arrays_of("smollm2-keys", "smollm2-even")["K"]
    back = turned_back(keys, number(said["base"]))
    np.testing.assert_allclose(back[3], back[9], rtol=0, atol=1e-6)  # the, the


INVENTORY = Inventory(
    "word_order",
    typed={"order_text": ("cat", EIGHT), "order_yours": ("", "mat the cat on sat The")},
    claims={
        rf"Random weights \({SYMBOL} = (\d+), (one head|2 heads), seed (\d+)\)": drawn_with,
        r"\| (neighbours|halves)[:,] (.*) \| (\S+) \|$": paired,
        r"In the link:$|The default is used instead\.$|\| pairs \| score \|$": ALWAYS,
        NAMES_A_HEAD: names_a_head,
        HOW_CHOSEN: how_chosen,
        r"The order has (.+); the tokens of the sentence are (.+): type each token": refused,
    },
    module=globals(),
    always="lede twice encodings takeaway origin",
    texts={
        "changed": have_changed,
        "others": others_now,
        "none": shown_with(order_encoding="none"),
        "counting": waves_drawn,
        "counting_alt": waves_drawn,
        "table": table_rows,
        "distances": by_distance,
        "distance_alt": by_distance,
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
    panels=["fold_order_real"],
)


@pytest.mark.parametrize("head", ["1", "2"])
def test_arrows_are_those_of_the_head_on_the_stage(head: str) -> None:
    page = opened("word_order", order_encoding="rope", order_told_head=head)
    said = " ".join(one.value for one in page.markdown)
    assert f"**The queries of head {head}**" in said
