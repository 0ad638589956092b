"""Four scores and their shares beside PyTorch; what softmax notices; which sum divides."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attention.from_scores import MASKED, run_from_scores
from core.chapters.softmax import normalising, shares
from core.program.formulas import latex
from tests.quotes import proves

Row = list[float]
rows = st.lists(st.floats(-20, 20), min_size=4, max_size=4)


@proves("""
    $e^x$ is never 0, keeps the order of scores, and turns differences into ratios: adding 1 to a
    logit multiplies its weight, relative to any other
""")
@given(rows, st.sampled_from(shares.TEMPERATURES), st.sampled_from(("-5", "0", "5")))
def test_both_ways_with_e_are_pytorchs_softmax(row: Row, temperature: str, added: str) -> None:
    wanted = torch.softmax(torch.tensor(row, dtype=torch.float64) / float(temperature), -1)
    chosen = {"softmax_temperature": temperature, "softmax_plus": added}
    for made in ("exp", "stable"):
        trace = shares.shares_family(row).run(softmax_made=made, **chosen)
        np.testing.assert_allclose(shares.shares_of(trace), wanted, rtol=1e-9, atol=1e-12)


@given(
    st.lists(st.integers(-5, 5), min_size=4, max_size=4),
    st.sampled_from(tuple(shares.MADE.options)),
)
def test_whatever_makes_them_positive_they_add_up_to_1(row: list[int], made: str) -> None:
    trace = shares.shares_family(row).run(softmax_made=made)
    plain = {"square": [x * x for x in row], "none": row}.get(made, [math.exp(x) for x in row])
    assert shares.cannot_be_divided(trace) == (sum(plain) == 0)
    if not shares.cannot_be_divided(trace):
        np.testing.assert_allclose(shares.shares_of(trace).sum(), 1)
        if made not in ("exp", "stable"):
            np.testing.assert_allclose(shares.shares_of(trace), np.array(plain) / sum(plain))


def test_squares_forget_the_sign_and_nothing_leaves_it() -> None:
    row = [2, 1, 0, -1]
    squared = shares.shares_family(row).run(softmax_made="square")
    assert shares.twins(squared) == 1
    assert shares.shares_of(squared)[1] == shares.shares_of(squared)[3] > 0
    assert shares.twins(shares.shares_family([2, -2, 3, -3]).run(softmax_made="square")) == 2
    assert shares.twins(shares.shares_family([0, 0, 0, 1]).run(softmax_made="square")) == 0
    plain = shares.shares_family(row).run(softmax_made="none")
    assert shares.below_zero(plain) == 1
    np.testing.assert_allclose(shares.shares_of(plain), [1, 0.5, 0, -0.5])


@given(rows, st.floats(-1000, 1000))
def test_adding_to_every_logit_changes_nothing(row: list[float], c: float) -> None:
    found = normalising.logits(row, c, 1)
    np.testing.assert_allclose(found.added, found.plain, rtol=0, atol=1e-12)
    assert found.moved_by_adding == 0
    assert found.moved_by_multiplying == 0


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=6, unique=True))
def test_multiplying_sharpens_or_flattens(row: list[int]) -> None:
    sharper, flatter = normalising.logits(row, 0, 4), normalising.logits(row, 0, 0.25)
    assert flatter.multiplied.max() < sharper.plain.max() < sharper.multiplied.max() + 1e-12
    assert sharper.moved_by_multiplying > 0
    wanted = torch.softmax(4.0 * torch.tensor(row, dtype=torch.float64), -1)
    np.testing.assert_allclose(sharper.multiplied, wanted, rtol=0, atol=1e-14)


@given(st.lists(st.integers(-5, 5), min_size=4, max_size=4, unique=True))
def test_cold_gives_all_to_the_largest_and_heat_makes_all_equal(row: list[int]) -> None:
    found = normalising.by_temperature(row)
    ends = normalising.CURVE[0], normalising.CURVE[-1]
    assert ends == pytest.approx((normalising.COLDEST, normalising.HOTTEST))
    largest = found[:, int(np.argmax(row))]
    assert largest[0] > 0.999
    assert all(warmer <= colder + 1e-12 for colder, warmer in pairwise(largest))
    np.testing.assert_allclose(
        shares.shares_of(shares.shares_family([x / 1e9 for x in row]).run()), [0.25] * 4, atol=1e-8
    )
    for at in (0, 30, 60):
        wanted = torch.softmax(torch.tensor(row, dtype=torch.float64) / normalising.CURVE[at], -1)
        np.testing.assert_allclose(found[at], wanted, atol=1e-12)


@proves("""
    Another base only makes all weights sharper or more even: ${base}^x$ is $e^{x/T}$ with $T$ ≈
    {temperature}, a temperature
""")
@given(st.floats(1.1, 20), st.floats(-5, 5))
def test_another_base_is_another_temperature(base: float, x: float) -> None:
    assert base**x == pytest.approx(math.exp(x / normalising.temperature_of_base(base)))


@proves("""
    Over the keys, each query's weights add up to 1. So its context is a mean of values, each entry
    between their smallest and their largest | Over the queries, each column adds up to 1, and a row
    need not | Without a sum, the weights are the bare exponentials
""")
def test_the_sum_runs_over_the_keys_the_queries_or_nothing() -> None:
    keys, queries, none = (
        normalising.over_family("The cat sat down").run(softmax_over=over)
        for over in (normalising.KEYS, normalising.QUERIES, normalising.NOTHING)
    )
    masked = torch.tensor(keys["masked"][0])
    np.testing.assert_allclose(keys["weights"][0], torch.softmax(masked, -1), atol=1e-12)
    np.testing.assert_allclose(queries["weights"][0], torch.softmax(masked, 0), atol=1e-12)
    np.testing.assert_allclose(none["weights"][0], masked.exp(), atol=1e-12)
    np.testing.assert_allclose(normalising.row_sums(keys), 1)
    np.testing.assert_allclose(normalising.column_sums(queries), 1)
    assert not np.allclose(normalising.row_sums(queries), 1)
    low, high = keys["V"].min(axis=1), keys["V"].max(axis=1)
    assert ((low - 1e-12 <= keys["context"][0]) & (keys["context"][0] <= high + 1e-12)).all()
    assert not np.allclose(normalising.column_sums(keys), 1)


@proves("""
    The weights of a query depend only on the scores in its own row | The queries compete for a key:
    a later token changes what earlier tokens read, so the causal mask no longer hides the future
""")
@pytest.mark.parametrize("over", [normalising.KEYS, normalising.QUERIES, normalising.NOTHING])
def test_over_the_queries_a_later_token_reaches_earlier_rows(over: str) -> None:
    """P7: the scores of the last query alone are others; what moves above it?"""
    T = 3
    mask = np.tri(T, dtype=bool)
    scores = np.zeros((2, T, T))
    scores[1, -1] = 4.0
    step, operands = normalising.program_over(over).step["weights"], MASKED.step["weights"].operands
    program = MASKED.replaced("weights", replace(step, operands=operands))  # its mask given
    before, after = (run_from_scores(s, mask, program)["weights"][0] for s in scores)
    assert bool(np.abs(before - after)[:-1].max() > 0) == (over == normalising.QUERIES)


@pytest.mark.parametrize("made", shares.MADE.options)
@pytest.mark.parametrize("temperature", shares.TEMPERATURES)
@pytest.mark.parametrize("plus", ["-5", "0", "5"])
def test_the_formula_gives_the_shares(made: str, temperature: str, plus: str) -> None:
    """Read as anybody reads it: brackets first, then powers, products and sums."""
    family = shares.shares_family([2, 1, 0, -1])
    options = {"softmax_temperature": temperature, "softmax_plus": plus}
    trace = family.run(**{shares.MADE.key: made}, **options)
    formula = latex(trace.program.definitions[-1])
    text = re.sub(r"\\operatorname\{(\w+)\}|\\(exp|max)", r"\1\2", formula)
    plain = text.replace(r"\times", "*").replace("^{2}", "**2")
    names = {name: trace[name][0, 0] for name in ("scores", "constant") if name in trace}
    found = eval(plain, {"exp": np.exp, "max": np.max, "sum": np.sum}, names)  # our own
    np.testing.assert_allclose(found, shares.shares_of(trace), rtol=1e-12)


@proves("the context tends to grow with the number of keys")
def test_what_is_not_divided_grows_and_a_mean_does_not() -> None:
    grown = normalising.growth()
    assert len(grown.plain) == normalising.MANY
    assert grown.normalised.max() <= grown.longest + 1e-12
    assert grown.plain[-1] > 4 * grown.plain[0]
    assert grown.plain[-16:].mean() > 1.5 * grown.plain[:16].mean()
