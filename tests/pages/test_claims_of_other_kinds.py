"""Every sentence of the page on other kinds, at the ends of its controls."""

import re
from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.examples.river_bank import LEXICON
from core.attention.tokens import tokenise
from core.chapters.other_kinds import hopfield
from core.chapters.other_kinds.convolution import moved
from core.chapters.other_kinds.four import four_kinds
from core.chapters.other_kinds.linear import costs, linear_family
from core.chapters.other_kinds.recall import recall_family, wrong_entries
from core.chapters.other_kinds.scores import scored_family
from core.chapters.other_kinds.sentence import first_look
from core.program.labels import token_labels
from core.program.numbers.rounding import decimal_text
from core.program.trace import Trace
from tests.core.chapters.other_kinds import test_other_kinds
from tests.quotes import proves
from tests.ui import plain_kinds
from tests.ui.agreement import Filled, Values, number, only, row_of
from tests.ui.claims import SYMBOL, Inventory, shown_with

LONGER = 10


def options(page: AppTest, *names: str) -> dict[str, str]:
    return {f"kinds_{name}": page.session_state[f"kinds_{name}"] for name in names}


def linear(page: AppTest) -> Trace:
    """All pairs of the queries and keys on the stage of linear attention."""
    family = linear_family(page.session_state.kinds_text)
    return family.run(**options(page, "matrices", "numbers", "features"), kinds_brackets="pairs")


def projected(page: AppTest) -> tuple[torch.Tensor, torch.Tensor]:
    """The queries and keys of that stage, before φ."""
    q, k = (torch.tensor(np.array(linear(page)[name][0])) for name in "QK")
    return q, k


def recalled(page: AppTest) -> tuple[hopfield.Recall, np.ndarray, str, int]:
    """What the part on show recalls, the pattern that is sought, its name, and the update."""
    state = page.session_state
    if state.kinds_part == "rest":
        first = np.where(np.isin(range(8), (7, 0, 2, 4)[: state.kinds_off]), -1.0, 1.0)
        found = hopfield.run(hopfield.SMALL, first, 0)[1]
        return found, hopfield.SMALL[0], "pattern 1", state.kinds_update
    bits = f"{int(state.kinds_pictures or '0', 16):0192b}"
    drawn = np.array([2.0 * int(bit) - 1 for bit in bits]).reshape(3, 8, 8)
    pictures = drawn if state.kinds_pictures else hopfield.PICTURES
    asked = state.kinds_asked
    first = hopfield.noisy(pictures[asked - 1], state.kinds_noise, state.kinds_draw)
    found = hopfield.run(pictures, first, 0)[1]
    return found, pictures[asked - 1], f"picture {asked}", state.kinds_moment


@proves(r"""
    The largest weight of the last row is {softmax} with softmax; a query {times} times as long
    makes it {longer} | {before} of {entries} signs of the state {?} from pattern {pattern}, and
    {after} after one update | Of {few} stored patterns of {entries} entries, {most} % stay as they
    are; of {many}, {least} % ({draws} draws) | which is attention with $\beta = 1$ | four ways to
    weigh the same values | {reader} reads most from {softmax} with softmax, {linear} with linear
    attention and {additive} with the additive score. A convolution only counts positions: it gives
    most to {distance} | [positive] With linear attention, no query could make a weight of this row
    larger than {limit} | $e^x$ turns differences into ratios, so a longer query can make softmax
    sharper. [positive] φ is always above 0, so every visible key gets some weight. [below] Without
    φ, {below} {?} below 0 here. Each row still adds up to 1, but such numbers are not weights.
    [else] Without φ, numbers may be below 0, and such numbers are not weights. Here none is below
    0. [empty] {empty} {?} all 0 here, because {?} dot products add up to 0 | [additive] Notice. No
    score here is further from 0 than {bound}, because tanh stays between −1 and 1 | [else] Notice.
    Dividing by | W_Q, W_K and $v_a$ were made by hand for this score. [open] The query of {reader}
    is {query} in both features: there tanh is steep, so keys count. The query of a word with one
    meaning is at most {flat}: there tanh is nearly flat | [before and not after] All its signs are
    back | Notice. At first, {before} of {size} entries {?} from {name}; after {updates} updates,
    {after}. The energy goes from {first} to {last}. [not rests] It is not at rest: some entries
    changed during the last {size} updates | multiply the row of {token} by −1 | with {stored}
    patterns {turned} % of entries would change (theory: {expected} %) | Flipped entries of pattern
    1 | has stored three pictures of {cells} cells, each 1 or −1 | has entries of 1 and −1
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state = page.session_state
    text, matrices = state.kinds_text, state.kinds_matrices
    names = token_labels(tokenise(text))
    kinds, look = four_kinds(text, matrices), first_look(text, matrices)
    made, (q, k) = linear(page), projected(page)
    weights, positive = made["weights"][0], state.kinds_features == "elu"
    softmax = [
        float(torch.softmax(times * q[-1] @ k.T / q.shape[1] ** 0.5, -1).max())
        for times in (1, LONGER)
    ]
    additive = state.kinds_score == "additive"
    scored = scored_family(text).run(**options(page, "matrices", "score"))
    update = recall_family(state.kinds_flips).run(**options(page, "beta", "pattern"))
    before, after = wrong_entries(update, int(state.kinds_pattern) - 1)
    recall, pattern, name, now = recalled(page)
    energies = recall.energies
    assert pattern.size in (8, 64)
    assert {*pattern.ravel()} <= {-1, 1}
    assert hopfield.PICTURES.shape == (3, 8, 8)
    few, many = (c for c in hopfield.capacities() if c.stored in (6, 20))
    first = hopfield.capacities()[0]
    return {
        "notice": {"reader": [names[look.reader]]} | {
            kind: f"{names[of.most]} ({decimal_text(max(of.weights[look.reader]))})"
            for kind, of in kinds.items()
        },
        "sizes": dict(zip(("pairs", "state"), costs(made), strict=True)),
        "linear_notice": {
            "softmax": softmax[0], "times": LONGER, "longer": softmax[1], "positive": positive,
            "limit": lambda said: limited(number(said), page),
        },
        "linear_more": {
            "positive": positive, "below": (weights < 0).sum(),
            "empty": sum(not row.any() for row in weights),
        },
        "by_hand": {"pairs": "9/4", "pairs_read": 2.25, "state": "9/4", "state_read": 2.25},
        "score_notice": {
            "additive": additive, "bound": np.abs(scored["v_a"]).sum() if additive else "",
        },
        "score_by_hand": only(
            matrices == "hand" and additive, open=look.is_open, reader=[names[look.reader]],
            query=scored["Q"][0, look.reader, 0],
            flat=max(plain_kinds.asks(row.tolist()) for word, row in LEXICON.items()
                     if word not in ("bank", "banks", "pool", "deposit")),
        ),
        "distance_try": {"token": [names[look.key]]},
        "memory_notice": {
            "before": before, "after": after, "entries": 8, "pattern": int(state.kinds_pattern),
        },
        "paint": {"cells": 64},
        "recall": {
            "before": recall.wrong(0, pattern), "after": recall.wrong(-1, pattern), "name": name,
            "size": pattern.size, "updates": recall.last, "rests": recall.rests,
            "first": energies[0], "last": energies[-1],
        },
        "energy_alt": {
            "updates": recall.last, "now": now, "first": energies[0], "last": energies[-1],
            "at": energies[now],
        },
        "capacity_notice": {
            "few": 6, "many": 20, "entries": 64, "draws": 400, "all_stay": True,
            "most": lambda said: stays(said, few), "least": lambda said: stays(said, many),
        },
        "capacity_more": {
            "stored": 20, "turned": 100 * many.turned, "expected": 100 * many.expected,
        },
        "capacity_alt": {
            "fewest": 1, "most": 20, "classical_first": 100 * first.staying,
            "classical_last": 100 * many.staying, "modern_first": 100, "modern_last": 100,
        },
    }  # fmt: skip


proves("A kernel has the same weights for every text. Attention computes new ones")(
    test_other_kinds.test_another_token_moves_weights_of_attention_and_none_of_a_convolution
)
proves("gives dot products of independent entries the same spread for every $d_k$")(
    test_other_kinds.test_what_sets_the_size_of_an_additive_score_and_that_dividing_bounds_nothing
)


def limited(limit: float, page: AppTest) -> None:
    """Queries drawn at random, of any length, never give more; some query nearly does."""
    _, k = projected(page)
    scattered = torch.randn(2000, k.shape[1], generator=torch.Generator().manual_seed(0)) * 5
    met = torch.cat([scattered.double(), 1e3 * (2 * torch.eye(k.shape[1]).double() - 1)])
    asked, keys = (torch.nn.functional.elu(rows) + 1 for rows in (met, k))
    reached = asked @ keys.T
    most = float((reached / reached.sum(1, keepdim=True)).max())
    assert limit - 0.01 <= most <= limit + 0.005


@proves("""
    Without $e^x$ the text fits into a state of fixed size, but a longer query cannot sharpen the
    weights without limit | [else] In linear attention without φ a longer query changes nothing
""")
def two_forms(said: Values, page: AppTest) -> None:
    q, k = projected(page)
    one, other = (plain_kinds.linear(c * q, k, "none") for c in (1, 7))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def stays(said: str, found: hopfield.Capacity) -> None:
    """Many more draws say the same, so that it is no luck of the chart's."""
    assert float(said) == pytest.approx(100 * found.staying, abs=0.051)
    assert float(said) == pytest.approx(100 * staying(found.stored), abs=1)


@cache
def staying(stored: int) -> float:
    """The part of patterns that stay after one update: 2,000 networks of our own."""
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(2000, stored, 64))
    W = patterns.swapaxes(1, 2) @ patterns
    W[:, range(64), range(64)] = 0
    return float(((patterns @ W >= 0) == (patterns > 0)).all(axis=-1).mean())


def beside(page: AppTest, kind: str) -> np.ndarray:
    """The last row of the weights that are compared."""
    q, k = projected(page)
    found: np.ndarray = linear(page)["weights"][0, -1]
    return plain_kinds.by_dot_product(q, k)[-1] if kind == "softmax" else found


def changed(page: AppTest, kind: str) -> list[str]:
    text, matrices = page.session_state.kinds_text, page.session_state.kinds_matrices
    made = {"by distance": "convolution"}.get(kind, "attention")
    found = moved(text, made, first_look(text, matrices).key, matrices)
    return [f"{found.weights} of {found.of_weights}", f"{found.rows} of {found.of_rows}"]


def made_by_hand(said: re.Match[str] | Values, page: AppTest) -> None:
    """The matrices are the example's, and these words are not in its lexicon."""
    assert page.session_state.kinds_matrices == "hand"
    drawn = [
        word
        for word in dict.fromkeys(tokenise(page.session_state.kinds_text))
        if word.lower() not in LEXICON
    ]
    told = next(one.value for one in page.caption if "made by hand" in one.value)
    assert all(f"*{word}*" in told for word in drawn[:6])
    assert bool(drawn) == ("random rows" in told)


INVENTORY = Inventory(
    "other_kinds",
    claims={
        rf"Random weights \({SYMBOL} = 4, one head, seed 0\)": shown_with(kinds_matrices="drawn"),
        r"These words have random rows, because": made_by_hand,
        r"\| last row \| (.+) \|$": row_of(lambda page: token_labels(linear(page).tokens)),
        r"\| (softmax|linear) \| (.+) \|$": row_of(beside),
        r"\| (by \w+) \| (\d+ of \d+ \| \d+ of \d+) \|$": row_of(changed),
    },
    module=globals(),
    texts={"made": made_by_hand},
)
