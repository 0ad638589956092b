"""Every sentence of 'word order', at the ends of its controls."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.tokens import tokenise
from core.chapters.word_order.encoding_parts import bits, waves
from core.chapters.word_order.encodings import (
    PLACES,
    encoding_family,
    is_flat,
    scores_by_distance,
    spread,
)
from core.chapters.word_order.pairings import DISTANCE, KEY, QUERY, pairings
from core.chapters.word_order.real_model import rotation_family, rotation_scores
from core.chapters.word_order.shuffled import is_as_typed, kinds_of_rows, shuffled_family
from core.models.captures import load_capture
from core.program.labels import token_labels
from core.program.trace import Trace
from tests.core.chapters.word_order import test_encodings, test_shuffled
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, only, rounding, row_of
from tests.ui.claims import SYMBOL, Inventory
from tests.ui.real_heads import OF_A_HEAD
from tests.ui.support import opened, stage, stages, told
from ui.page_texts import chart_texts

TURNS = [1.0, 0.01]


def shuffled(page: AppTest) -> Trace:
    """As typed and in the new order, which a test of the core compares with PyTorch."""
    state = page.session_state
    family = shuffled_family(state.order_text, state.order_yours)
    keys = ("order_tokens", "order_mask", "order_layers")
    return family.run(**{key: state[key] for key in keys})


@proves(r"""
    the same tokens and {?} the same in layer 1. Layer 2 reads what the others have read, and that
    has changed. So with two layers, a causal mask carries some order | With RoPE, a token gives
    {before} % of its weight to the token before it, on average. With the same $Q$ and $K$
    unrotated, {after} %; the first token gets {first} % | or by lowering scores | Notice. Every row
    has followed its token, unchanged: $f(PX) = P\,f(X)$ [gap] (up to {gap}, rounding). [unmasked]
    Without a mask each token reads a set, and a set has no order: attention is equivariant |
    {tokens} {?} the same, because {?} the same tokens as before. [shallow] In one layer, their
    order does not matter | {changed} of {rows} rows have changed, by at most {gap} | Under the
    causal mask a token reads itself and earlier tokens. For {tokens} the earlier ones are different
    now | {tokens} {?} other tokens, but {?} the same numbers | One token has only one order, so
    nothing can move. Type a longer sentence | On the stage they turn by {turns} radians per
    position | Here it is random, seed {seed}: {rows}, one for each position | The table is for $q$
    = ({query}) and $k$ = ({key}), {distance} positions apart | Here {token} is at each of {count}
    positions, and nothing else differs. The chart has its scores with itself in head {head} | Each
    position of distance costs $2^{ {near_power} } \approx$ {near} in head 1 and $2^{ {far_power} }
    \approx$ {far} in head 2: a large slope prefers near tokens | Of what {last} reads, less comes
    from the farthest token, {first}: {near_after} % instead of {near_before} % in head 1,
    {far_after} % instead of {far_before} % in head 2 | {rows} of head {head} | The {rows}, each
    pair of features | The model was trained with RoPE, base {base}
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, tokens = page.session_state, tokenise(page.session_state.order_text)
    trace, labels = shuffled(page), token_labels(tokens)
    rows = kinds_of_rows(trace)
    deep, causal = state.order_layers == "2", state.order_mask == "causal"
    gap = float(np.abs(trace["difference"]).max())
    moved = stage(page).labels("moved")[0]
    kind, head = state.order_encoding, state.order_told_head
    encoded, without = (
        encoding_family(state.order_text).run(order_encoding=k) for k in (kind, "none")
    )
    scores = scores_by_distance(kind, tokens[-1], head - 1)
    every = [score for several in scores.values() for score in several]
    real = rotation_scores(rotation_family(load_capture("smollm2-previous-token")))
    rows_of = {"Q": "queries", "K": "keys"}[state.order_arrows]
    arrows = f"{rows_of} of head {head}"

    others = [at for at in rows.changed if at not in rows.noticed]

    def counted(places: list[int]) -> dict[str, Any]:
        return {"tokens": [moved[at] for at in places], "count": len(places)}

    return {
        "one_token": only(len(tokens) == 1),
        "unmoved": only(is_as_typed(trace)),
        "followed": only(
            not rows.changed and not is_as_typed(trace), gap=rounding, unmasked=not causal
        ),
        "changed": {"changed": len(rows.changed), "rows": len(tokens), "gap": gap},
        "others": only(causal, tokens=[moved[at] for at in others]),
        "kept": counted(rows.kept) | {"shallow": not deep},
        "alike": counted(rows.alike),
        "noticed": only(deep, **counted(rows.noticed)),
        "second_seed": {"seed": 1},
        "turning": {"rows": arrows},
        "turning_alt": {"rows": arrows, "tokens": len(tokens), "pairs": 2, "turns": TURNS},
        "pairings": {"query": list(QUERY), "key": list(KEY), "distance": DISTANCE},
        "counting": {"waves": len(waves())},
        "counting_alt": {"waves": len(waves()), "last": bits().shape[1] - 1},
        "sinusoids": {"turns": [10_000 ** (-2 * wave / 8) for wave in range(4)]},
        "distances": {
            "token": [tokens[-1]], "count": PLACES, "head": head, "flat": is_flat(scores),
            "apart": spread(scores) or "",
        },
        "distance_alt": {
            "token": tokens[-1], "last": PLACES - 1, "several": bool(spread(scores)),
            "low": min(every), "high": max(every),
        },
        "table": {"seed": 0, "rows": len(tokens)},
        "slopes": {"near": 2**-4, "far": 2**-8, "near_power": -4, "far_power": -8},
        "farthest": {"last": [labels[-1]], "first": [labels[0]]} | {
            f"{name}_{when}": 100 * run["weights"][at, -1, 0]
            for at, name in enumerate(("near", "far"))
            for when, run in (("before", without), ("after", encoded))
        },
        "real_notice": {
            "before": 100 * real.previous_rotated, "after": 100 * real.previous_unrotated,
            "first": 100 * real.first_unrotated,
        },
        "real_rope": {"base": 100_000},
    }  # fmt: skip


proves("by turning queries and keys")(test_encodings.test_scores_of_rope_depend_on_distance)
order_is_ignored = proves("""
    Without a mask, attention ignores the order of its tokens; a causal mask carries only part of it
""")(test_shuffled.test_both_ways_are_pytorchs_attention_and_rows_follow_where_nothing_is_hidden)


def drawn_with(match: re.Match[str], page: AppTest) -> None:
    heads, state = {"one head": 1, "2 heads": 2}[match[2]], page.session_state
    made = toy_inputs("a", heads=heads, d_model=int(match[1]), seed=int(match[3]))["W_Q"]
    shown = stages(page)[heads - 1].texts({1: "W_Q_1", 2: "W_Q"}[heads]).astype(float)
    np.testing.assert_allclose(
        np.squeeze(shown), made[state.order_told_head - 1 if heads > 1 else 0], atol=1e-9
    )


def second_seed(said: Values, page: AppTest) -> None:
    made = toy_inputs("a", heads=1, d_model=4, seed=said["seed"])["W_Q"]
    np.testing.assert_allclose(stage(page).texts("W_Q_2").astype(float), made[0], atol=1e-9)


def refused(match: re.Match[str], page: AppTest) -> None:
    tokens = tokenise(page.session_state.order_text)
    assert match[2].split(", ") == tokens
    assert sorted(match[1].split(", ")) != sorted(tokens)
    assert page.session_state.order_yours == ""


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


@proves("""
    {same} of {count} tokens have the same row after attention in both sentences | added to the rows
    | have the same tokens. Without a mask, nothing in attention says where a token is | So models
    add positions: to the rows | [causal and placed] The mask and the rows of the positions both
    tell the sentences apart | [causal] Each token reads itself and earlier tokens, and the earlier
    ones are different now | [placed] The row of a position is added to each token's row, so every
    token reads other rows | [else] Each token reads the same set
""")
def pair(said: Values, page: AppTest) -> None:
    """Which rows are the same, and what each token reads from: its set, and with which rows."""
    ((board,),) = told(page, "two_orders")
    words = map(chart_texts("word_order"), ("board_same", "board_other"))
    assert [*words] == ["same row", "another row"]
    assert board["switches"]["places"] == {"off": "none", "on": "added to the rows"}
    assert board["switches"]["mask"] == {"none": "none", "causal": "causal"}
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


INVENTORY = Inventory(
    "word_order",
    claims={
        rf"Random weights \({SYMBOL} = (\d+), (one head|2 heads), seed (\d+)\)": drawn_with,
        r"\| ((?:neighbours|halves)[:,] .*) \| (\S+) \|$": row_of(
            lambda page, pairs: [one.score for one in pairings() if one.words == pairs]
        ),
        **OF_A_HEAD,
        r"The order has (.+); the tokens of the sentence are (.+): type each token": refused,
    },
    module=globals(),
    texts={"why": order_is_ignored},
    panels=["fold_order_real"],
)


@pytest.mark.parametrize("head", ["1", "2"])
def test_arrows_are_those_of_the_head_on_the_stage(head: str) -> None:
    page = opened("word_order", order_encoding="rope", order_told_head=head)
    said = " ".join(one.value for one in page.markdown)
    assert f"**The queries of head {head}**" in said
