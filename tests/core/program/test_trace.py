"""A run's cells: which there are, where two runs differ, and `sources` with its inverse."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Inputs, Trace, attention_program, explain, toy_inputs
from core.attention.masks import KINDS
from core.program.running import run_program
from tests.core.properties import check_inverse, check_moved, every_cell, origins
from tests.core.support import cases, random_run, refuses, toy_run
from tests.registry import REGISTRY
from tests.sampling import examples

GIVEN = ("X", "W_Q", "W_K", "W_V", "W_O")


def run_again(trace: Trace, **changed: np.ndarray) -> Trace:
    """The same program on the same inputs, but for some of them."""
    inputs = {name: trace[name] for name in GIVEN} | changed
    return attention_program(heads=2, kv_heads=1).run(Inputs(inputs, trace.tokens))


@pytest.fixture(scope="module")
def trace() -> Trace:
    return random_run(3, d_model=7, heads=2, kv_heads=1)


def test_the_same_sums_in_another_order_do_not_differ(trace: Trace) -> None:
    """Features counted the other way round: the same numbers, but for float noise."""
    other = run_again(trace, **{n: trace[n][:, ::-1] for n in ("X", "W_Q", "W_K", "W_V")})
    for name in trace.steps:
        if trace[name].dtype == bool:
            continue
        assert (trace[name] != other[name]).any()
        finite = np.isfinite(trace[name])
        np.testing.assert_allclose(trace[name][finite], other[name][finite], rtol=0, atol=1e-13)
        assert not trace.differs(other, name).any(), name
        assert not other.differs(trace, name).any(), name


@pytest.mark.parametrize("change", [1.0, 1e-3, 1e-7])
def test_what_differs_by_more_than_noise_differs(trace: Trace, change: float) -> None:
    X = np.array(trace["X"])
    X[2, 4] += change
    other = run_again(trace, X=X)
    for name in ("X", *trace.steps):
        if trace[name].dtype == bool:
            assert not trace.differs(other, name).any()
            continue
        both = np.isfinite(trace[name])
        apart = np.abs(np.where(both, trace[name], 0) - np.where(both, other[name], 0))
        differs = trace.differs(other, name)
        assert differs[apart > 2e-9].all(), name
        assert not differs[apart == 0].any(), name
        assert differs.any(), name
        assert not differs[..., :2, :].any() or name in ("K", "V", "scores", "scaled"), name


def test_a_cell_is_asked_for_from_zero_and_within_its_array(trace: Trace) -> None:
    for array, values in trace.items():
        inside = tuple(size - 1 for size in values.shape)
        for asked in (trace.sources, trace.uses):
            asked(array, inside)
        explain(trace, array, inside)
        for axis, size in enumerate(values.shape):
            for place in (-1, -size, size):
                cell = (*inside[:axis], place, *inside[axis + 1 :])
                for asked in (trace.sources, trace.uses):
                    refuses("count from 0", asked, array, cell)
                refuses("count from 0", explain, trace, array, cell)
        for cell in (inside[:-1], (*inside, 0)):
            refuses(array, trace.sources, array, cell)


def test_a_trace_is_printed_in_two_lines_of_what_it_computes_and_its_shapes() -> None:
    program = attention_program(heads=2, kv_heads=1)
    inputs = toy_inputs("The cat sat", heads=2, kv_heads=1)
    trace = program.run(inputs)
    run, shapes = repr(trace).split("\n")
    for name in ("output", *GIVEN):
        assert re.search(rf"\b{name}\b", run)
    assert "11 steps" in run
    assert run.endswith("The cat sat")
    assert shapes.split("; ") == [f"{name} {trace[name].shape}" for name in program.names]
    assert "10 steps" in repr(program.run(inputs, pinned={"scores": trace["scores"]}))


def test_a_trace_of_any_program_is_printed_in_two_short_lines() -> None:
    for name, entry in REGISTRY.items():
        lines = repr(entry.run()).split("\n")
        assert len(lines) == 2, name
        assert all(0 < len(line) <= 400 for line in lines), name


@pytest.mark.parametrize("mask", [*KINDS])
def test_sources_followed_back_are_what_a_finite_change_moves(mask: str) -> None:
    sizes = {"T": 4, "d_model": 3, "d_k": 2, "d_v": 3}
    check_moved(random_run(17, **sizes, kv_heads=1, size=0.9, mask=mask, window=2))


@given(cases(longest=4, widest=6), st.booleans())
@examples(15)
def test_uses_is_the_exact_inverse_of_sources(case: dict[str, Any], pin: bool) -> None:
    trace = random_run(**case)
    if pin:
        inputs = {i.name: trace[i.name] for i in trace.program.inputs}
        trace = run_program(trace.program, inputs, pinned={"scores": trace["scores"]})
    check_inverse(trace)
    asked = list(every_cell(trace))
    one_by_one = [trace.uses(*at) for at in asked]
    assert trace.every_use
    assert [trace.uses(*at) for at in asked] == one_by_one


@given(cases(longest=6, widest=4))
@examples(10)
def test_no_output_comes_from_a_future_token_under_the_causal_mask(case: dict[str, Any]) -> None:
    trace = random_run(**{**case, "mask": "causal"})
    for i in range(len(trace["X"])):
        found = origins(trace, "output", (i, 0))
        assert {row for row, _ in found["X"]} == set(range(i + 1))
        assert all(j <= i for name in ("K", "V") for _, j, _ in found[name])


def test_what_the_mask_removes_is_no_source() -> None:
    trace = toy_run("The cat sat on the mat")
    assert trace.sources("masked", (0, 1, 3)) == {"mask": [(1, 3)]}
    assert trace.sources("masked", (0, 3, 1)) == {"scaled": [(0, 3, 1)], "mask": [(3, 1)]}
    assert trace.sources("weights", (0, 1, 3)) == {"masked": [(0, 1, 3)]}
    assert trace.sources("weights", (0, 0, 0)) == {"masked": [(0, 0, 0)]}
    assert trace.sources("weights", (0, 1, 0)) == {"masked": [(0, 1, 0), (0, 1, 1)]}
    mixed = {"weights": [(0, 1, 0), (0, 1, 1)], "V": [(0, 0, 2), (0, 1, 2)]}
    assert trace.sources("context", (0, 1, 2)) == mixed
    assert trace.uses("scaled", (0, 1, 3)) == {}
    assert trace.uses("weights", (0, 1, 3)) == {}


def test_a_weight_that_underflows_to_zero_stays_live() -> None:
    scores = np.array([[[0.0, 0, 0], [0, -900, 0], [0, -900, 0]]])
    trace = toy_run("a b c", 1, scale=False, pinned={"scores": scores})
    assert trace["weights"][0, 2, 1] == 0
    assert (0, 2, 1) in trace.sources("context", (0, 2, 0))["weights"]
