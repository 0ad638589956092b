"""Linear attention: either bracketing, beside a plain loop; P10's 9/4."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import torch

from core.chapters.other_kinds import linear
from core.chapters.other_kinds.sentence import BY_HAND, DRAWN
from core.program.trace import Trace
from tests.core.properties import real_inputs
from tests.quotes import proves


def by_loop(trace: Trace, features: str) -> np.ndarray:
    """One query after another over the keys down to it, with PyTorch's functions of one entry."""
    phi = {"elu": lambda x: torch.nn.functional.elu(x) + 1, "none": lambda x: x}[features]
    Q, K = (phi(torch.tensor(np.array(trace[name][0]))).numpy() for name in "QK")
    rows = []
    for i, query in enumerate(Q):
        met = [float(query @ K[j]) for j in range(i + 1)]
        read = sum(m * trace["V"][0, j] for j, m in enumerate(met))
        rows.append(read / sum(met) if sum(met) else np.zeros(trace["V"].shape[-1]))
    return np.array(rows)


@proves("""
    keeps the numbers of queries and keys from being negative, so their dot products can be weights.
    A common choice is ELU + 1: $\\phi(x)$ is $e^x$ for $x$ below 0, and $x + 1$ for any other $x$ |
    Row $i$ reads
""")
@pytest.mark.parametrize("features", linear.FEATURES.options)
@pytest.mark.parametrize("brackets", linear.BRACKETS.options)
def test_either_bracketing_is_the_plain_loop(features: str, brackets: str) -> None:
    program = linear.linear_program(brackets, features)
    sizes = {"i": 6, "j": 6, "m": 4, "k": 2, "v": 2, "o": 1}
    for seed in range(20):
        trace = program.run(real_inputs(program, sizes, seed=seed))
        looped = by_loop(trace, features)
        np.testing.assert_allclose(trace["context"][0], looped, rtol=1e-9, atol=1e-12)
        if features == "elu":
            for name in "QK":
                x = trace[name]
                made = np.where(x < 0, np.exp(x.clip(max=0)), x + 1)
                np.testing.assert_allclose(trace[f"{name}_phi"], made, atol=1e-12)


K, V = [(1, 0), (0, 1), (1, 1)], [1, 2, 3]
"""P10, whose query is (1, 1)."""


@proves("""
    A query (1, 1) meets the keys (1, 0), (0, 1) and (1, 1), with the values 1, 2 and 3. Without φ,
    all pairs give {pairs} = {pairs_read}, and the state gives {state} = {state_read}
""")
@pytest.mark.parametrize("brackets", linear.BRACKETS.options)
def test_the_example_gives_nine_quarters(brackets: str) -> None:
    """P10, as the stage has it: the last row sees all three keys."""
    family = linear.linear_family("cat")
    trace = family.run(kinds_numbers="hand", kinds_features="none", kinds_brackets=brackets)
    np.testing.assert_array_equal(trace["Q"][0], [(1, 1)] * 3)
    np.testing.assert_array_equal(trace["K"][0], K)
    np.testing.assert_array_equal(trace["V"][0, :, 0], V)
    met = [sum(k) for k in K]
    expected = Fraction(sum(m * v for m, v in zip(met, V, strict=True)), sum(met))
    assert expected == Fraction(9, 4)
    assert trace["context"][0, -1, 0] == float(expected)
    read = linear.either_way("none")[brackets]
    assert (read.quotient, read.context) == (expected, trace["context"][0, -1, 0])


@proves("""
    The query can move out of the sum | Then no pairs are needed: each token is added to one state,
    and queries read the state
""")
@pytest.mark.parametrize("features", linear.FEATURES.options)
def test_brackets_move_in_each_row_and_not_in_the_product_of_the_matrices(features: str) -> None:
    """As the stage says it where it divides: a mask stands between, so each row has its state."""
    trace = linear.linear_family("The cat sat on the mat").run(
        kinds_brackets=linear.STATE, kinds_features=features, kinds_matrices=DRAWN
    )
    suffix = "_phi" if features == "elu" else ""
    q, k, v = (np.array(trace[name][0]) for name in (f"Q{suffix}", f"K{suffix}", "V"))
    pairs = np.tril(q @ k.T) @ v
    np.testing.assert_allclose(trace["sums"][0], pairs, atol=1e-12)
    for i, query in enumerate(q):
        np.testing.assert_allclose(query @ (k[: i + 1].T @ v[: i + 1]), pairs[i], atol=1e-12)
    assert np.abs(q @ (k.T @ v) - pairs).max() > 0.1
    said = next(phase.words for phase in trace.program.phases if "context" in phase.names)
    assert "Row by row" in said
    assert "either way" not in said
    assert said.endswith("the mask is between φ(Q) φ(K)ᵀ and V.")


@proves("""
    All pairs are {pairs} numbers here. The state and its sum of keys are {state} numbers for any
    text
""")
@pytest.mark.parametrize(("matrices", "numbers"), [(DRAWN, 2 * 2 + 2), (BY_HAND, 4 * 2 + 4)])
def test_a_state_has_as_many_numbers_however_long_the_text_is(matrices: str, numbers: int) -> None:
    for text in ("a b", "a b c d e f g h"):
        run = partial(linear.linear_family(text).run, kinds_matrices=matrices)
        trace = run(kinds_brackets=linear.STATE)
        T, (pairs, state) = len(trace.tokens), linear.costs(trace)
        assert (trace["state"].shape[-1] + trace["key_sum"].shape[-1], state) == (numbers, numbers)
        assert pairs == run(kinds_brackets=linear.PAIRS)["weights"].size == T * T
