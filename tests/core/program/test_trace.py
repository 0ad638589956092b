"""A run's cells: which there are, and where two runs differ."""

import re

import numpy as np
import pytest

from core import InputError, Inputs, Trace, attention_program, explain, toy_inputs
from tests.core.support import random_run
from tests.registry import REGISTRY

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
    back = {n: trace[n][:, ::-1] for n in ("X", "W_Q", "W_K", "W_V")}
    other = run_again(trace, **back)
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
                    with pytest.raises(InputError, match="count from 0"):
                        asked(array, cell)
                with pytest.raises(InputError, match="count from 0"):
                    explain(trace, array, cell)
        for cell in (inside[:-1], (*inside, 0)):
            with pytest.raises(InputError, match=array):
                trace.sources(array, cell)


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
    pinned = program.run(inputs, pinned={"scores": trace["scores"]})
    assert "10 steps" in repr(pinned)


def test_a_trace_of_any_program_is_printed_in_two_short_lines() -> None:
    for name, entry in REGISTRY.items():
        lines = repr(entry.run()).split("\n")
        assert len(lines) == 2, name
        assert all(0 < len(line) <= 400 for line in lines), name
