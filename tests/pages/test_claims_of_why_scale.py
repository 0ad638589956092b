"""Every sentence of 'why scale', at the ends of its controls."""

from collections.abc import Callable, Mapping

import numpy as np
from streamlit.testing.v1 import AppTest

from core.chapters.why_scale.real_model import (
    largest_weight,
    real_head_family,
    sentence_family,
    trained_variances,
    variance_of_scores,
)
from core.chapters.why_scale.variance import DIMENSIONS, RowWeights, sample, saturation
from core.models.captures import load_capture
from tests.core.chapters.why_scale import test_variance
from tests.quotes import proves
from tests.ui.agreement import Check, Filled, row_of
from tests.ui.claims import Inventory
from tests.ui.real_heads import OF_A_HEAD
from tests.ui.support import opened


@proves("""
    At d = {d}, the scores q·k have variance {variance}. Divided by √{d}, they have variance
    {scaled} | The grid shows these terms for d = {grid_d}, as means over your {draws} draws: they
    add up to {grid_sum}. At d = {d}, q·k has mean {mean} | 0 if one key has all the weight, {most}
    bits if all {keys} are equal | Softmax then puts nearly all weight on one key | the largest
    weight is {without} on average. With scores divided by √d, it is {with_root} | {?} the scale,
    {query} gives {key} the weight {ours}; {?} it, {theirs} | for d = {d}. q·k has standard
    deviation {plain}, q·k / √d has standard deviation {scaled} | up to {plain} at d = {d}. The
    variance of q·k / √d stays near 1, and is {scaled} there | On the diagonal they are {low} to
    {high}. Off the diagonal, none is further from 0 than {away} | At d = {d}, the mean entropy
    divided by its maximum is {entropy_without} without √d and {entropy_with} with it. The mean norm
    of the Jacobian of softmax is {norm_without} without √d and {norm_with} with it | These scores
    have variance {variance}; divided by √d_k, {scaled}. In rows 2 to {rows}, the largest weight is
    {largest} on average. Undivided, it is {undivided} | {above} of the model's {heads} heads have
    more than 1 on this text. The median is {median} | Half of the heads have {quarter} to
    {three_quarters}, and the largest variance is {most} | Over many such rows, the largest weight
    is {without} on average | Training does not keep the variance at 1. After the division, {above}
    of the model's {heads} heads have more than 1 on this text | Many rows: means of {rows} such
    rows at every d
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, d = page.session_state, page.session_state.scale_d
    drawn, rows = sample(state.scale_draws, state.scale_seed), saturation(state.scale_row)
    here, last = drawn.at(d), DIMENSIONS[-1]
    grid, off = np.diag(drawn.grid), drawn.grid[~np.eye(4, dtype=bool)]
    without, with_root = rows.at(64)
    scaled = state.scale_on == "on"
    ours, theirs = (
        sentence_family(state.scale_text).run(scale_on=on, scale_d_k=state.scale_d_k)
        for on in (("on", "off") if scaled else ("off", "on"))
    )
    i = min(2, len(ours.tokens) - 1)
    j = max(i - 1, 0)
    capture = load_capture("smollm2-pronouns")
    divided, undivided = (real_head_family(capture).run(scale_real_on=on) for on in ("on", "off"))
    every = trained_variances(capture.run)
    return {
        "spread": {"d": d, "variance": here.variance, "scaled": here.scaled_variance},
        "spread_alt": {
            "d": d, "plain": here.variance**0.5, "scaled": here.scaled_variance**0.5,
        },
        "proof": {
            "d": d, "grid_d": 4, "draws": state.scale_draws, "grid_sum": drawn.grid_sum,
            "mean": here.mean,
        },
        "variance_alt": {
            "d": last, "plain": drawn.at(last).variance, "scaled": drawn.at(last).scaled_variance,
        },
        "grid_alt": {
            "count": 4, "low": grid.min(), "high": grid.max(), "away": np.abs(off).max(),
        },
        "row_scores": {"scores": rows.row},
        "entropy": {"keys": 8, "most": 3},
        "largest": {"without": without, "with_root": with_root},
        "many": {"rows": 1_000},
        "saturation_alt": {
            "d": last, "entropy_without": rows.unscaled.evenness[-1],
            "entropy_with": rows.scaled.evenness[-1],
            "norm_without": rows.unscaled.jacobian_norm[-1],
            "norm_with": rows.scaled.jacobian_norm[-1],
        },
        "weight": {
            "query": [ours.tokens[i]], "key": [ours.tokens[j]], "scaled": scaled,
            "ours": ours["weights"][0, i, j], "theirs": theirs["weights"][0, i, j],
        },
        "difference": {"scaled": scaled},
        "real_notice": {
            "variance": variance_of_scores(divided, "scores"), "rows": len(divided.tokens),
            "scaled": variance_of_scores(divided, "scaled"),
            "largest": largest_weight(divided["weights"][0]),
            "undivided": largest_weight(undivided["weights"][0]),
        },
        "real_trained": {
            "heads": every.heads, "above": every.above_1, "most": every.most,
            "quarter": every.quarter, "median": every.median,
            "three_quarters": every.three_quarters,
        },
    }  # fmt: skip


proves("""
    with mean 0 and variance 1 | The mean of q·k is then 0, so its variance is the mean of its
    square | If i ≠ j, the four factors are independent with mean 0, so the term is 0. That leaves d
    terms of 1, so the variance is d. Dividing q·k by √d divides its square by d, and the variance
    becomes 1 | With more draws, the mean approaches 0
""")(test_variance.test_the_terms_of_the_variance_are_1_on_the_diagonal_and_0_off_it)
proves("""
    With independent entries (mean 0, variance 1), a dot product has variance $d_k$. Dividing by …
    makes the variance 1 | Scores spread wider when queries and keys have more features | The upper
    scores spread out, the lower ones do not
""")(test_variance.test_the_variance_is_d_and_scaled_it_is_1)
proves("If one weight is near 1, all slopes are near 0")(
    test_variance.test_without_scaling_entropy_and_gradient_vanish_and_with_it_they_stay
)


def line_of(make: Callable[[RowWeights], float]) -> Check:
    """A line of the table: one number for the row, one for the divided row."""

    def both(page: AppTest) -> list[float]:
        rows = saturation(page.session_state.scale_row)
        return [make(rows.divided(by)) for by in (1, page.session_state.scale_divisor)]

    return row_of(both)


INVENTORY = Inventory(
    "why_scale",
    claims={
        r"\| measure \| undivided \| divided by (\d+) \|": row_of(
            lambda page: [page.session_state.scale_divisor]
        ),
        r"\| Largest weight \| (\S+ \| \S+) \|": line_of(lambda row: row.largest),
        r"\| Entropy in bits \| (\S+ \| \S+) \|": line_of(lambda row: row.bits),
        r"\| Norm of the Jacobian \| (\S+ \| \S+) \|": line_of(lambda row: row.jacobian_norm),
        r"Random weights \(\$d_{.text{model}}\$ = (\d+), one head, seed 0\)": row_of(
            lambda page: [int(page.session_state.scale_d_k)]
        ),
        **OF_A_HEAD,
    },
    module=globals(),
    texts={
        "try": test_variance.test_the_variance_is_d_and_scaled_it_is_1,
        "jacobian": test_variance.test_jacobian_is_diag_p_minus_p_pt,
    },
    panels=["fold_scale_real"],
)


def test_a_small_number_is_the_difference_from_the_run_that_is_not_on_show() -> None:
    for on, other in (("on", "without"), ("off", "with")):
        told = [one.value for one in opened("why_scale", scale_on=on).markdown]
        assert any(f"its difference from the run {other} the scale" in one for one in told)
