"""Queries and keys in another basis: both change, and nothing that is made of their product."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import attention_program, toy_inputs
from core.attention.setups import DEFAULT_TEXT
from core.chapters.queries_keys_values import parameters
from core.chapters.queries_keys_values.ladder import climb, drawn_ladder
from core.chapters.queries_keys_values.parameters import in_basis, moved_by_basis, turn_and_stretch
from tests.quotes import proves
from tests.sampling import examples


@proves("""
    The scores are X (W_Q W_Kᵀ) Xᵀ. The features of a query have no meaning of their own: another A
    changes them and keeps every score
""")
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.sampled_from([1, 2]))
@examples(8)
def test_any_invertible_matrix_leaves_scores_and_weights(seed: int, d_k: int, kv: int) -> None:
    inputs = toy_inputs("a b c d e", heads=2, kv_heads=kv, d_model=7, d_k=d_k, d_v=3)
    draw = np.random.default_rng(seed)
    left, right = (np.linalg.qr(draw.normal(size=(d_k, d_k)))[0] for _ in range(2))
    A = left @ np.diag(draw.uniform(0.3, 3, size=d_k)) @ right
    program = attention_program(heads=2, kv_heads=kv)
    before, after = program.run(inputs), program.run(in_basis(inputs, A))
    for name in ("scores", "weights", "context", "output"):
        np.testing.assert_allclose(after[name], before[name], rtol=0, atol=1e-12)


def test_a_turn_alone_keeps_lengths_and_a_stretch_acts_on_the_first_feature() -> None:
    np.testing.assert_allclose(turn_and_stretch(90.0, 1.0), [[0, 1], [-1, 0]], atol=1e-15)
    np.testing.assert_allclose([[1, 1]] @ turn_and_stretch(0.0, 4.0), [[4, 1]])


@pytest.mark.parametrize(
    ("degrees", "stretch"), [(0.0, 1.0), (0.0, 2.0), (180.0, 1.0), (30.0, 0.25)]
)
def test_what_a_basis_moves_is_counted(degrees: float, stretch: float) -> None:
    before = climb(4, drawn_ladder(DEFAULT_TEXT))
    after = climb(4, in_basis(drawn_ladder(DEFAULT_TEXT), turn_and_stretch(degrees, stretch)))
    moved = moved_by_basis(before, after)
    pairs = [zip(after[name][0], before[name][0], strict=True) for name in ("Q", "K")]
    rows = [sum(bool(np.abs(new - old).max() > 1e-9) for new, old in pair) for pair in pairs]
    T = before["X"].shape[0]
    assert moved == parameters.ChangedNumbers(rows[0], rows[1], scores=0, tokens=T, pairs=T * T)
    assert rows == ([0, 0] if (degrees, stretch) == (0, 1) else [T, T])
