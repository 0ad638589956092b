"""Biases of the projections: inputs that are there only if asked for, and PyTorch's numbers."""

import itertools
from typing import Any

import numpy as np
import pytest

from core import InputError, Trace, attention_program, explain
from core.attention.layers.biases import BIASES
from core.program.labels import plainly
from core.pytorch.reference import largest_difference, multihead
from tests.sampling import DEEP, some

WEIGHTS = ("W_Q", "W_K", "W_V", "W_O")
SOME = [names for n in range(5) for names in itertools.combinations(BIASES, n)]


def run(seed: int, names: tuple[str, ...], T: int = 4, heads: int = 2, d_k: int = 3) -> Trace:
    draw = np.random.default_rng(seed)
    d_model = heads * d_k
    shapes: dict[str, tuple[int, ...]] = {f"W_{n}": (heads, d_model, d_k) for n in "QKV"}
    shapes |= {f"b_{n}": (heads, d_k) for n in "QKV"}
    shapes |= {"X": (T, d_model), "W_O": (d_model, d_model), "b_O": (d_model,)}
    arrays = {n: draw.normal(size=s) for n, s in shapes.items() if n in names or n[:2] != "b_"}
    return attention_program(heads=heads, biases=names).run(arrays)


@pytest.mark.parametrize("names", some(SOME, 3), ids="-".join)
def test_it_equals_multihead_attention_with_these_biases(names: tuple[str, ...]) -> None:
    for seed in range(60 if DEEP else 3):
        trace = run(seed, names, T=1 + seed % 7, heads=1 + seed % 4, d_k=1 + seed % 5)
        judged = multihead(trace)
        assert judged is not None
        for name, array in judged.items():
            np.testing.assert_allclose(trace[name], array, rtol=0, atol=1e-12)
    assert largest_difference(trace).equal


def test_without_them_nothing_is_different() -> None:
    plain = attention_program()
    assert attention_program(biases=False) is plain
    assert attention_program(biases=()) is plain
    assert not set(BIASES) & set(plain.names)
    assert "bias" not in "".join(phase.words for phase in plain.phases)
    whole = attention_program(biases=True)
    assert set(whole.names) == {*plain.names, *BIASES}
    assert [step.name for step in whole.steps] == [step.name for step in plain.steps]


def test_a_cell_has_its_bias_among_its_sources_and_in_its_line() -> None:
    maps = {"W_Q": [[[1], [10]]], "W_K": [[[1], [1]]], "W_V": [[[1], [1]]], "W_O": [[1, 1]]}
    arrays: dict[str, Any] = {"X": [[1, 2], [3, 4]], **maps, "b_Q": [[0.5]], "b_O": [0, 7]}
    trace = attention_program(heads=1, biases=["b_O", "b_Q"]).run(arrays)
    np.testing.assert_array_equal(trace["Q"], [[[21.5], [43.5]]])
    sources = {"X": [(1, 0), (1, 1)], "W_Q": [(0, 0, 0), (0, 1, 0)], "b_Q": [(0, 0)]}
    assert trace.sources("Q", (0, 1, 0)) == sources
    assert trace.uses("b_Q", (0, 0)) == {"Q": [(0, 0, 0), (0, 1, 0)]}
    told = explain(trace, "Q", (0, 1, 0))
    assert told.plain == ["(3*1) + (4*10) + 0.5 = 43.50"]
    assert plainly(told.words).endswith("a column of W_Q, plus the bias.")
    assert "bias" not in explain(trace, "K", (0, 1, 0)).words
    project = next(phase for phase in trace.program.phases if "Q" in phase.names)
    added = "A bias is added to every row of Q: the same numbers for every token."
    assert project.words.endswith(added)
    pairs = zip(trace.program.phases, attention_program(heads=1).phases, strict=True)
    assert [ours.main for ours, plain in pairs if ours.words != plain.words] == ["Q", "output"]
    np.testing.assert_allclose(trace["output"][:, 1] - trace["output"][:, 0], 7)


def test_a_result_that_is_given_is_not_said_to_have_a_bias_added() -> None:
    names = ("b_Q",)
    given = run(0, names)
    arrays = {n: given[n] for n in ("X", *WEIGHTS, *names)}
    pinned = attention_program(biases=names).run(arrays, pinned={"Q": given["Q"]})
    assert plainly(explain(pinned, "Q", (0, 0, 0)).words).endswith("looks for, as given.")


def test_a_bias_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="The bias is 'b_X'; the biases are b_Q, b_K, b_V, b_O"):
        attention_program(biases=["b_X"])
    arrays = {name: array for name, array in run(0, ()).items() if name in ("X", *WEIGHTS)}
    with pytest.raises(InputError, match="b_Q is missing"):
        attention_program(biases=True).run(arrays)
    with pytest.raises(InputError, match="b_Q has 1 along head"):
        attention_program(biases=["b_Q"]).run(arrays | {"b_Q": np.ones((1, 3))})
