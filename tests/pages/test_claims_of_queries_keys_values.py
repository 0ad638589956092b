"""Every sentence of 'queries, keys, values', at the ends of its controls."""

import math
import re
from collections.abc import Mapping

import numpy as np
from streamlit.testing.v1 import AppTest

from core.attention.tokens import tokenise
from core.chapters.queries_keys_values.ladder import climb, drawn_ladder, ladder_family, symmetry
from core.chapters.queries_keys_values.lookup import BETA, best_match, library, lookup_family
from core.chapters.queries_keys_values.parameters import (
    Budget,
    in_basis,
    moved_by_basis,
    turn_and_stretch,
)
from tests.core.chapters.queries_keys_values import test_ladder, test_lookup
from tests.core.chapters.queries_keys_values import test_parameters_basis as test_basis
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, only, plain
from tests.ui.claims import Inventory

SIZES = ("T", "d_model", "heads", "d_k", "d_v")


ADDS = (
    ("Only X", "the row of X itself. Nothing is learned"), ("Projections", "three rows of its own"),
    ("Softmax", "add up to 1"), ("Causal mask", "becomes −∞"),
)  # fmt: skip
"""What each version adds."""


@proves("""
    For {asks} the title of {found} fits best: {percent} % of what {asks} gets is the content of
    {found} | At this β, {asks} gets ({returned}). At β = 0 it gets the mean of all contents,
    ({mean}) | the result approaches the content of {found}, whose title fits best: ({stored}) |
    {queries} of {tokens} queries, {keys} of {tokens} keys and {scores} of {pairs} scores have
    changed | has {heads} heads with d_k = d_v = {d_k}, and {heads} × {d_k} = {d_model} = d_model |
    {parameters} parameters make n² = {scores} scores: {each} for each parameter. At n = {equal} the
    two counts are equal | give rank {rank} at {tokens} tokens | for queries and keys of {d_k}. The
    parameters stay at {parameters}. The scores grow as n²: they equal the parameters at n =
    {equal}. At n = {n} there are {scores} scores. Up to n = {d_k} the rank of the scores is n;
    above it, the rank is {d_k} | [one] Notice. {asks} gives itself a {?} of {there}. [else] Notice.
    {asks} gives {asked} a {?} of {there}. {asked} gives {asks} [hidden] {back}, because {asks}
    comes later and is hidden [same] the same: {back} [else] {back} | For the sentence above, X Xᵀ
    has {count}: {above} [zeros] [above] and {zeros}. None is below 0, because X Xᵀ is a matrix
    times its own transpose | [most] With random projections the two scores of a pair differ by up
    to {most}. [else] Even with random projections the two scores of each pair are equal here |
    {rung}. {adds} | In version 1 the two scores of this pair are equal: {score} | The picture above
    has β = {beta}
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, text = page.session_state, page.session_state.qkv_text
    rung, family = int(state.qkv_rung), ladder_family(text)
    trace, lowest = (
        family.run(qkv_rung=chosen, qkv_numbers=state.qkv_numbers)
        for chosen in (state.qkv_rung, "1")
    )
    title, adds = ADDS[rung - 1]
    query = min(2, len(trace.tokens) - 1)
    key = max(query - 1, 0)
    made = trace["weights" if rung >= 3 else "scores"][0]
    there, back = made[query, key], made[key, query]
    found = symmetry(text)
    opens, at = lookup_family().run(), library().tokens.index(state.qkv_search)
    best = best_match(opens, at)
    searched = lookup_family().run(qkv_beta=state.qkv_beta)
    last = best_match(searched, 2)
    A = turn_and_stretch(float(state.qkv_angle), float(state.qkv_stretch))
    sentence = drawn_ladder(text)
    moved = moved_by_basis(climb(4, sentence), climb(4, in_basis(sentence, A)))
    n, d_k = int(state.qkv_n), int(state.qkv_d_qk)
    budget = Budget(n, 512, d_k)
    counted = {"parameters": budget.parameters, "scores": budget.scores, "equal": budget.equal_at}
    return {
        "rung": {"rung": f"{rung} · {title}", "adds": lambda said: adds in plain(said)},
        "both_ways": {
            "asks": [trace.tokens[query]], "asked": [trace.tokens[key]], "weights": rung >= 3,
            "there": there, "back": back, "one": query == key,
            "same": bool(np.isclose(there, back)), "hidden": rung == 4 and query != key,
        },
        "only_x": only(rung > 1 and query != key, score=lowest["scores"][0, query, key]),
        "eigenvalues": {
            "count": len(tokenise(text)), "above": list(found.above), "zeros": found.zeros,
        },
        "differ": only(len(tokenise(text)) > 1, most=found.apart or ""),
        "found": {
            "asks": [state.qkv_search], "found": [library().tokens[best]],
            "percent": 100 * opens["weights"][0, at, best],
        },
        "lookup": {"beta": BETA.default},
        "lookup_result": {
            "asks": [library().tokens[2]], "found": [library().tokens[last]],
            "returned": searched["context"][0, 2], "stored": library()["V"][0, last],
            "mean": library()["V"][0].mean(axis=0),
        },
        "moved": vars(moved),
        "paper": {"heads": 8, "d_k": 64, "d_model": 512},
        "budget": {"d_model": 512},
        "counts": counted | {"each": budget.scores_per_parameter},
        "rank": {"d_k": d_k, "n": n, "any_scores": n <= d_k},
        "measured": {"tokens": 80, "rank": min(80, d_k)},
        "budget_alt": counted | {"d_k": d_k, "n": n},
    }  # fmt: skip


proves("""
    Without separate projections, “ball” and “red” would always score each other equally | a pair
    has the same score in both directions
""")(test_ladder.test_no_eigenvalue_of_x_alone_is_below_0)
learned_maps = proves("""
    A token asks with its query, is found by its key and passes on its value | Learned projections
    give each token a query to ask with, a key to be found by and a value to pass on
""")(test_ladder.test_learned_maps_need_not_be_symmetric_and_may_have_eigenvalues_below_0)
proves("""
    Version 1 compares the rows of the tokens directly. Version 2 compares queries with keys, and
    adds up values. Version 3 turns the scores into weights with softmax
""")(test_ladder.test_what_is_read_is_pytorchs)
proves("As β grows")(test_lookup.test_sharper_is_nearer_to_the_best_match)
proves("""
    All scores are $X$ (W_Q W_Kᵀ) Xᵀ: other matrices with the same product W_Q W_Kᵀ give the same
    scores
""")(test_basis.test_any_invertible_matrix_leaves_scores_and_weights)


def sizes(said: Values, page: AppTest) -> None:
    """Each shape by its axes, from the sizes of the controls (which fit in a link)."""
    size = {name: page.session_state[f"qkv_{name}"] for name in (*SIZES, "d_q")}
    assert size["d_q"] == size["d_k"]
    [table] = page.table
    axes = re.sub(r"\\text\{(\w+)\}", r"\1", " ".join(table.value["Axes"]))
    assert set(SIZES) <= set(re.findall(r"\w+", re.sub(r"[${}]", "", axes)))
    for named, shape in zip(table.value["Axes"], table.value["Sizes"], strict=True):
        names = re.sub(r"\\text|[${}]", "", named)
        products = [math.prod(size[n] for n in axis.split("·")) for axis in names.split(" × ")]
        assert [int(n) for n in shape.split(" × ")] == products


def do_not_fit(match: re.Match[str], page: AppTest) -> None:
    """The page began with sizes that do, whatever the link asked for."""
    assert int(match[1]) != int(match[2])
    assert page.session_state.qkv_d_q == page.session_state.qkv_d_k == 4


def drawn_here(match: re.Match[str], page: AppTest) -> None:
    """Said where weights are drawn, and only of the sentence that has them."""
    assert page.session_state.qkv_numbers == "drawn" or page.session_state.qkv_part == "basis"


INVENTORY = Inventory(
    "queries_keys_values",
    claims={
        r"Random weights \(\S+ = (4), one head, seed 0\)": drawn_here,
        r"K has (\d+) along key feature; scores needs (\d+) there": do_not_fit,
    },
    module=globals(),
    texts={
        "lede symmetric": test_ladder.test_no_eigenvalue_of_x_alone_is_below_0,
        "not_symmetric": learned_maps,
        "versions": test_ladder.test_what_is_read_is_pytorchs,
        "product": test_basis.test_any_invertible_matrix_leaves_scores_and_weights,
    },
)
