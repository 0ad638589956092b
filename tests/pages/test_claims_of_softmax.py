"""Every sentence of the page on softmax, at the ends of its controls."""

import re
from collections.abc import Mapping

import numpy as np
from streamlit.testing.v1 import AppTest

from core.chapters.softmax.normalising import (
    COLDEST,
    HOTTEST,
    column_sums,
    growth,
    logits,
    over_family,
    row_sums,
)
from core.chapters.softmax.shares import below_zero, made_of, shares_family, twins
from core.program.trace import Trace
from tests.core.chapters.softmax import test_shares
from tests.quotes import proves
from tests.ui.agreement import Filled, number, plain, printed, row_of
from tests.ui.claims import RANDOM_WEIGHTS, Inventory, drawn_with
from tests.ui.plain_attention import softmax
from tests.ui.support import opened, stages


def typed(page: AppTest) -> np.ndarray:
    """The four scores as the sliders stand."""
    return np.array([page.session_state[f"softmax_{n}"] for n in range(1, 5)], dtype=float)


@proves("""
    Move the score of key 1 up to 5, then down to −5 | adding 1 to a logit multiplies its weight,
    relative to any other, by e ≈ {e} | Adding {constant} to every score changes the weights by
    {moved_by_adding}. Multiplying every score by {factor} changes them by up to
    {moved_by_multiplying} | Without this, adding {most} makes every exponential infinite | one
    query has {many} keys. If softmax did not divide by the total, its context would be a vector of
    length {plain}. With the division the length is {normalised}, and never more than that of the
    longest value row, {longest} | Weights of {keys} as bars. {name}: {weights} | At T =
    {temperature} the weights are {weights}. A vertical line marks T = {at} | With {keys} it is
    {plain} without dividing, and {normalised} when divided by the sum | Notice. The numbers in the
    {?} column add up to {total}. [divides] Divided by {total}, they become the weights: key 1 gets
    {first}, key 4 gets {last}. [else] Nothing can be divided by a sum of 0, so there are no weights
    here | Squares ignore the sign: [pairs > 1] {pairs} pairs of keys with opposite numbers get
    equal weights. [pairs] one pair of keys with opposite numbers gets equal weights. [else] a
    number far below 0 counts as much as one far above | Nothing was made positive. [negative]
    {negative} of the four {?} below 0. All four add up to 1, but they are not weights. [else] By
    luck none of the four is below 0 here. When numbers have both signs, some results are negative |
    A temperature $T$ divides every logit before softmax. [best == keys] All {keys} logits are
    equal, so the weights are equal at every temperature. [else] Towards {coldest} the largest logit
    takes nearly all the weight [best > 1] , split among the {best} keys that have it. Towards
    {hottest} all weights approach 1/{keys}. At a low temperature, a model writes its likeliest
    words. At a high temperature, it surprises more often | {constant} added to all | all times
    {factor}
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, row = page.session_state, typed(page)
    now = {f"softmax_{name}": state[f"softmax_{name}"] for name in ("made", "temperature", "plus")}
    trace = shares_family(row.tolist()).run(**now)
    made = made_of(trace, now)
    best = sum(row == row.max())
    changed = logits(row.tolist(), state.softmax_add, state.softmax_times)
    columns = [made.entering, *([] if made.positive is None else [made.positive])]
    grown = growth()
    lengths = {"plain": grown.plain[-1], "normalised": grown.normalised[-1]}
    return {
        "sum": {
            "total": made.total, "made": state.softmax_made, "divides": made.total != 0,
            "first": made.weights[0], "last": made.weights[3],
        },
        "squares": lambda: {"pairs": twins(trace)},
        "unchanged": lambda: {"negative": below_zero(trace)},
        "why_e": {"e": np.e, "base": "2", "temperature": 1 / np.log(2)},
        "temperature": {"best": best, "keys": 4, "coldest": COLDEST, "hottest": HOTTEST},
        "moving": {
            "constant": state.softmax_add, "moved_by_adding": changed.moved_by_adding,
            "factor": state.softmax_times, "moved_by_multiplying": changed.moved_by_multiplying,
        },
        "overflow": {"most": lambda most: number(most) + row.min() > np.log(np.finfo(float).max)},
        "longer": {"many": len(grown.plain), "longest": grown.longest, **lengths},
        "made_alt": {"columns": [*([..., numbers] for numbers in columns), [
            lambda title: printed(re.split("by |:", title)[1], made.total),
            made.weights,
        ]]},
        "weights_alt": {"keys": 4, "rows": [
            [..., changed.plain],
            [lambda name: number(name.split()[0]) == state.softmax_add, changed.added],
            [
                lambda name: number(plain(name).split()[-1]) == state.softmax_times,
                changed.multiplied,
            ],
        ]},
        "temperature_alt": {
            "keys": 4, "at": float(state.softmax_temperature),
            "ends": [[T, softmax(row / T)] for T in (COLDEST, HOTTEST)],
        },
        "growth_alt": {"keys": len(grown.plain), **lengths},
    }  # fmt: skip


proves("""
    numbers of at least 0 that add up to 1 | All four weights are above 0, and a larger score always
    gets a larger weight | Subtracting the largest score first changes none of them
""")(test_shares.test_both_ways_with_e_are_pytorchs_softmax)
proves("A factor above 1 makes the weights sharper, a factor between 0 and 1 more even")(
    test_shares.test_multiplying_sharpens_or_flattens
)
proves("""
    Multiplying the scores by any number but 1 changes the weights, unless all scores are equal
""")(test_shares.test_multiplying_sharpens_or_flattens)
proves("So softmax may subtract the row's largest score first")(
    test_shares.test_adding_to_every_logit_changes_nothing
)
proves("One row may read far more in total than another")(
    test_shares.test_what_is_not_divided_grows_and_a_mean_does_not
)


def as_the_formula(match: re.Match[str], page: AppTest) -> None:
    """What the formula gives for the four scores as they are typed."""
    text = match[0].replace("\\", "").replace("text{score}_", "score_")
    above, below = re.search(r"dfrac\{(.*)\}\{(sum.*|e\^.*)\}", text).groups()  # type: ignore[union-attr]
    if below.startswith("sum_i "):
        each = below.removeprefix("sum_i ")
        below = " + ".join(each.replace("score_i", f"score_{n}") for n in range(1, 5))
    at = {f"score_{n}": score for n, score in enumerate(typed(page), start=1)}

    def worked(tex: str) -> float:
        plain = re.sub(r"e\^\{([^}]*)\}", r"exp(\1)", tex).replace("^2", "**2")
        return float(eval(plain, {"exp": np.exp}, at))  # our own formula

    total, told = worked(below), stages(page)[0].texts("weights")
    for key, weight in enumerate(np.array(told, dtype=float).ravel() if total else (), start=1):
        made = worked(above.replace("score_j", f"score_{key}")) / total
        np.testing.assert_allclose(weight, made, rtol=0.06, atol=0.0051)


def over(page: AppTest) -> Trace:
    state = page.session_state
    return over_family(state.softmax_text).run(softmax_over=state.softmax_over)


INVENTORY = Inventory(
    "softmax",
    claims={
        r"\$.text\{weight\}_j = .dfrac\{.*": as_the_formula,
        RANDOM_WEIGHTS: drawn_with,
        r"\| sum of weights \| (.+) \|$": row_of(lambda page: range(1, 1 + len(over(page).tokens))),
        r"\| of each query \| (.+) \|$": row_of(lambda page: row_sums(over(page))),
        r"\| of each key \| (.+) \|$": row_of(lambda page: column_sums(over(page))),
    },
    module=globals(),
    texts={"only_differences": test_shares.test_multiplying_sharpens_or_flattens},
    panels=["fold_over"],
)


def test_softmax_over_scores_is_cited_from_the_first_attention() -> None:
    page = opened("softmax")
    page.session_state.in_code = True
    (said,) = (one.value for one in page.run().markdown if "In attention: " in one.value)
    assert said.partition("In attention: ")[2].startswith("Bahdanau, Cho and Bengio (2015)")
