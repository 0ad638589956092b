"""Each rung computes its formula, adds to the one below, and explains itself."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from core import Inputs, attention_program, toy_inputs
from core.attention.examples.presets import PRESETS
from core.attention.setups import DEFAULT_TEXT
from core.chapters.queries_keys_values import ladder
from core.chapters.queries_keys_values.ladder import asymmetry, climb, red_ball, symmetry
from tests.quotes import proves
from tests.sampling import examples

ALL = range(1, len(ladder.RUNGS) + 1)


def random_inputs(seed: int, T: int = 5, d_model: int = 7, d_k: int = 3, d_v: int = 2) -> Inputs:
    draw = np.random.default_rng(seed)
    widths = {"W_Q": d_k, "W_K": d_k, "W_V": d_v}
    given = {name: draw.normal(size=(1, d_model, width)) for name, width in widths.items()}
    given["X"] = draw.normal(size=(T, d_model))
    return Inputs(given, tuple("abcdefghijk"[:T]))


def by_torch(inputs: Inputs, rung: int) -> torch.Tensor:
    """The last array of a rung in PyTorch."""
    X = torch.tensor(inputs["X"])
    if rung == 1:
        return (X @ X.T) @ X
    Q, K, V = (X @ torch.tensor(inputs[f"W_{n}"][0]) for n in "QKV")
    if rung == 2:
        return (Q @ K.T) @ V
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(Q[None], K[None], V[None], is_causal=rung == 4)[0]


@proves("""
    Version 1 compares the rows of the tokens directly. Version 2 compares queries with keys, and
    adds up values. Version 3 turns the scores into weights with softmax: that is attention | A
    score is the dot product of a row of Q and a row of K. In a matrix product, the rows of K have
    to be columns: Kᵀ
""")
@pytest.mark.parametrize("rung", ALL)
@given(seed=st.integers(0, 2**32 - 1), T=st.integers(1, 11), d_k=st.integers(1, 5))
@examples(10)
def test_what_is_read_is_pytorchs(rung: int, seed: int, T: int, d_k: int) -> None:
    inputs = random_inputs(seed, T=T, d_k=d_k)
    context = ladder.climb(rung, inputs)["context"][0]
    np.testing.assert_allclose(context, by_torch(inputs, rung), rtol=0, atol=1e-11)


def test_ball_s_row_of_weights_unscaled_is_that_of_the_preset() -> None:
    """P11b: .018, .965, .018."""
    scores = ladder.climb(2, ladder.red_ball())["scores"]
    arrays = {name: ladder.red_ball()[name] for name in ladder.RUNGS[2].inputs}
    weights = ladder.ladder_program(3).run(arrays, pinned={"scaled": scores})["weights"][0, 2]
    np.testing.assert_array_equal(np.round(weights, 3), [0.018, 0.965, 0.018])
    np.testing.assert_allclose(weights, PRESETS["P11b"].run()["weights"][0, 2], rtol=1e-15)


@proves("Version 4 adds a causal mask")
def test_the_top_rung_is_attention_s_own_steps() -> None:
    top = ladder.ladder_program(4).steps
    assert all(mine is theirs for mine, theirs in zip(top, ladder.ATTENTION.steps, strict=False))
    assert [step.name for step in ladder.ATTENTION.steps[len(top) :]] == ["concat", "output"]
    inputs = ladder.drawn_ladder(DEFAULT_TEXT)
    whole = attention_program(heads=1).run(inputs)
    for name, array in ladder.climb(4, inputs).items():
        np.testing.assert_array_equal(array, whole[name])


def test_both_directions_are_two_cells_of_what_the_rung_ends_with() -> None:
    runs = [ladder.climb(rung, ladder.red_ball()) for rung in ALL]
    made = [ladder.both_ways(run, 2, 1) for run in runs]
    assert [pair.array for pair in made] == ["scores", "scores", "weights", "weights"]
    assert {(pair.there, pair.back) for pair in made} == {((0, 2, 1), (0, 1, 2))}
    assert [pair.same for pair in made] == [True, False, False, False]
    assert [pair.hidden for pair in made] == [False, False, False, True]
    pairs = zip(runs, made, strict=True)
    numbers = [[run[of.array][cell] for cell in (of.there, of.back)] for run, of in pairs]
    wanted = [[0.0, 0.0], [4.0, 0.0], [0.894, 0.333], [0.894, 0.0]]
    np.testing.assert_allclose(numbers, wanted, atol=5e-4)
    drawn = ladder.drawn_ladder(DEFAULT_TEXT)
    one, two = (ladder.both_ways(ladder.climb(rung, drawn), 2, 1) for rung in (1, 2))
    assert one.same
    assert not two.same


NUMBERS = st.integers(-90, 90).map(lambda n: n / 10)


@given(arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=NUMBERS))
def test_no_eigenvalue_of_x_alone_is_below_0(X: np.ndarray) -> None:
    """They are the squares of the singular values of X, and 0 where X has fewer."""
    trace = climb(1, Inputs({"X": X}, tuple("abcdefg"[: len(X)])))
    found = ladder.eigenvalues_of_scores(trace)
    singular = torch.linalg.svdvals(torch.tensor(X)).numpy()
    squares = np.zeros(len(X))
    squares[: len(singular)] = singular**2
    np.testing.assert_allclose(found, np.sort(squares), rtol=1e-9, atol=1e-10 * (1 + squares.max()))
    assert min(found) >= 0
    assert asymmetry(trace) <= 1e-12 * (1 + squares.max())


def test_learned_maps_need_not_be_symmetric_and_may_have_eigenvalues_below_0() -> None:
    """Ball asks red with 4, red asks ball with 0; turned maps make every eigenvalue negative."""
    assert asymmetry(climb(2, red_ball())) == 4
    one = red_ball()
    turned = Inputs({**one.arrays, "W_Q": -one["W_K"]}, one.tokens)
    assert np.linalg.eigvalsh(climb(2, turned)["scores"][0]).min() < 0


@pytest.mark.parametrize("text", ["cat", "a a", "a b", "The cat sat on the mat"])
def test_what_is_found_of_a_sentence_is_true_of_it(text: str) -> None:
    toy = toy_inputs(text, heads=1, d_model=4, d_k=2, d_v=3)
    X, found = toy["X"], symmetry(text)
    values = torch.linalg.eigvalsh(torch.tensor(X @ X.T)).numpy()
    rank = np.linalg.matrix_rank(X)
    assert (len(found.eigenvalues), len(found.above), found.zeros) == (len(X), rank, len(X) - rank)
    np.testing.assert_allclose(found.above, values[len(X) - rank :], rtol=0, atol=1e-9)
    Q, K = (X @ toy[f"W_{name}"][0] for name in "QK")
    most = np.abs(Q @ K.T - (Q @ K.T).T).max()
    assert found.apart == pytest.approx(most, abs=1e-9)
    assert bool(found.apart) == (most > 0)
