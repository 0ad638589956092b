"""Linear attention: either bracketing, beside a plain loop; P10's 9/4."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from core.chapters.other_kinds.linear import (
    BRACKETS,
    FEATURES,
    PAIRS,
    STATE,
    costs,
    linear_family,
    linear_program,
    softmax_weights,
)
from core.program.inputs import Inputs
from core.program.trace import Trace
from tests.core.properties import real_inputs

TEXT = "The cat sat on the mat"


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


@pytest.mark.parametrize("features", FEATURES.options)
@pytest.mark.parametrize("brackets", BRACKETS.options)
@pytest.mark.parametrize("seed", range(20))
def test_either_bracketing_is_the_plain_loop(features: str, brackets: str, seed: int) -> None:
    program = linear_program(brackets, features)
    sizes = {"i": 6, "j": 6, "m": 4, "k": 2, "v": 2, "o": 1}
    trace = program.run(real_inputs(program, sizes, seed=seed))
    np.testing.assert_allclose(trace["context"][0], by_loop(trace, features), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("brackets", BRACKETS.options)
def test_the_example_gives_nine_quarters(brackets: str) -> None:
    """P10: q = (1, 1), keys (1, 0), (0, 1), (1, 1), values 1, 2, 3, as they are.

    The last row sees all three keys. The projections are identities.
    """
    program = linear_program(brackets, "none")
    K, V = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([[1.0], [2.0], [3.0]])
    X = np.hstack([np.ones((3, 2)), K, V])
    maps = {f"W_{name}": np.zeros((1, 5, 2 if name != "V" else 1)) for name in "QKV"}
    maps["W_Q"][0, :2], maps["W_K"][0, 2:4], maps["W_V"][0, 4] = np.eye(2), np.eye(2), 1.0
    trace = program.run(Inputs({"X": X, **maps}, ("a", "b", "c")))
    met = [int(k.sum()) for k in K]
    expected = Fraction(sum(m * int(v[0]) for m, v in zip(met, V, strict=True)), sum(met))
    assert expected == Fraction(9, 4)
    assert trace["context"][0, -1, 0] == float(expected)


@pytest.mark.parametrize("features", FEATURES.options)
def test_shares_add_up_to_1_and_no_later_token_is_read(features: str) -> None:
    trace = linear_family(TEXT).run(kinds_brackets=PAIRS, kinds_features=features)
    weights = trace["weights"][0]
    np.testing.assert_allclose(weights.sum(1), 1)
    assert (weights >= 0).all() == (features == "elu")
    assert not np.triu(weights, 1).any()
    assert trace.is_removed("weights", (0, 0, 3))
    assert softmax_weights(TEXT).shape == weights.shape
    assert abs(softmax_weights(TEXT) - weights).max() > 0.05


@pytest.mark.parametrize("features", FEATURES.options)
def test_brackets_move_in_each_row_and_not_in_the_product_of_the_matrices(features: str) -> None:
    """As the stage says it where it divides: a mask stands between, so each row has its state."""
    trace = linear_family(TEXT).run(kinds_brackets=STATE, kinds_features=features)
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
    assert said.endswith("the mask stands between φ(Q) φ(K)ᵀ and V.")


def test_a_state_has_as_many_numbers_however_long_the_text_is() -> None:
    for text in ("a b", "a b c d e f g h"):
        trace = linear_family(text).run(kinds_brackets=STATE)
        T, (pairs, state) = len(trace.tokens), costs(len(trace.tokens))
        row = trace["state"].shape[-1] + trace["key_sum"].shape[-1]
        assert (row, state) == (6, 6)
        assert pairs == linear_family(text).run(kinds_brackets=PAIRS)["weights"].size == T * T
