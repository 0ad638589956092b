"""Every trace equals PyTorch's."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given

from core.attention.examples.presets import preset
from core.attention.masks import KINDS
from core.program.trace import Trace
from core.pytorch.reference import largest_difference, multihead, torch_trace
from tests.by_torch import attention_by_torch
from tests.core.support import cases, random_run, toy_run
from tests.sampling import examples


def assert_close(trace: Trace, name: str, theirs: np.ndarray) -> None:
    finite = np.isfinite(trace[name])
    np.testing.assert_array_equal(finite, np.isfinite(theirs), err_msg=name)
    ours = np.where(finite, trace[name], 0.0)
    tolerance = 1e-11 * max(1.0, float(np.abs(ours).max(initial=0.0)))
    np.testing.assert_allclose(ours, np.where(finite, theirs, 0.0), rtol=0, atol=tolerance)


@given(cases())
@examples(12)
def test_every_array_of_every_run_equals_pytorch(case: dict[str, Any]) -> None:
    trace = random_run(**case)
    for theirs in (torch_trace(trace), attention_by_torch(trace)):
        for name, array in theirs.items():
            assert_close(trace, name, array)


@pytest.mark.parametrize("mask", [*KINDS][:4])
@pytest.mark.parametrize("heads", [1, 2, 4])
def test_weights_and_output_equal_multihead_attention(mask: str, heads: int) -> None:
    trace = toy_run("one two three four five six seven", heads, mask=mask)
    theirs = multihead(trace)
    assert theirs is not None
    for name, array in theirs.items():
        assert_close(trace, name, array)


def test_multihead_attention_is_not_asked_what_it_cannot_do() -> None:
    assert multihead(random_run(1, heads=2, kv_heads=1)) is None
    assert multihead(random_run(1, d_model=6, d_k=3, d_v=3, scale=False)) is None
    assert multihead(random_run(3, d_model=6, d_k=3, d_v=3, mask="custom")) is None


def test_pinned_scores_are_taken_as_given_by_both() -> None:
    scores = np.log(np.array([[[1.0, 2, 3], [3, 2, 1], [1, 1, 1]]]))
    trace = toy_run(heads=1, scale=False, pinned={"scores": scores})
    np.testing.assert_allclose(trace["weights"][0, 1], [0.6, 0.4, 0])
    assert largest_difference(trace).largest < 1e-15


def with_change(trace: Trace, name: str, cell: tuple[int, ...], by: float) -> Trace:
    """The same run with one number changed by so much."""
    array = np.array(trace[name], dtype=float)
    array[cell] += by
    return Trace(
        trace.program, {**trace.arrays, name: array},
        trace.steps, trace.noise, trace.tokens, trace.pinned,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["Q", "scores", "scaled", "weights", "context", "output"])
def test_a_difference_is_said_and_where_it_is(name: str) -> None:
    trace = toy_run()
    cell = (1, 2, 0) if trace[name].ndim == 3 else (2, 0)
    found = largest_difference(with_change(trace, name, cell, 1e-3))
    assert (found.array, found.cell, found.equal) == (name, cell, False)
    np.testing.assert_allclose(found.largest, 1e-3, rtol=1e-6)
    head = " of head 2" if len(cell) == 3 else ""
    key = "the" if name in ("scores", "scaled", "weights") else "1"
    assert str(found).startswith("differs from PyTorch's ")
    assert f": {name}[sat, {key}]{head} is " in str(found)
    assert "equals" not in str(found)


def test_only_float_noise_counts_as_equal() -> None:
    trace = toy_run()
    for by, equal in ((0.0, True), (1e-13, True), (1e-7, False), (np.nan, False), (np.inf, False)):
        found = largest_difference(with_change(trace, "weights", (0, 1, 0), by))
        assert found.equal is equal, by
        assert str(found).startswith("equals PyTorch's " if equal else "differs from PyTorch's ")


@pytest.mark.parametrize("size", [1.0, 100.0, 1e4, 1e6])
def test_large_numbers_are_equal_for_what_float64_can_hold(size: float) -> None:
    for seed in range(5):
        trace = random_run(seed, T=9, d_model=8, d_k=4, d_v=4, size=size, scale=True)
        assert largest_difference(trace).equal
        changed = with_change(trace, "output", (0, 0), 1e-3 * float(np.abs(trace["output"]).max()))
        assert not largest_difference(changed).equal


def gaps(trace: Trace) -> list[float]:
    """How far apart each number of each array is from PyTorch's, by either of its ways."""
    judges = [torch_trace(trace), multihead(trace) or {}]
    finite = [
        np.abs(np.where(np.isfinite(trace[name]), 1.0 * trace[name] - theirs, 0.0))
        for judge in judges
        for name, theirs in judge.items()
    ]
    return [float(gap) for array in finite for gap in array.ravel()]


@pytest.mark.filterwarnings("ignore:invalid value")  # −∞ less −∞ is left out
@pytest.mark.parametrize("size", [1.0, 100.0, 1e4])
def test_of_all_noise_the_widest_is_told(size: float) -> None:
    for seed in range(3):
        trace = random_run(seed, T=9, d_model=8, d_k=4, d_v=4, size=size, scale=True)
        found = largest_difference(trace)
        assert found.equal
        assert found.largest == max(gaps(trace)) > 0
        assert abs(found.ours - found.theirs) == found.largest


def test_what_pytorch_makes_of_an_empty_row_is_measured_and_said() -> None:
    run = preset("P9b").run()
    assert not run["mask"][0].any()
    found = largest_difference(run)
    assert found.equal
    masked, mask = torch.tensor(run["masked"]), torch.tensor(run["mask"])
    assert torch.softmax(masked, dim=-1)[0, 0].isnan().all()
    Q, K, V = (torch.tensor(run[name])[None] for name in "QKV")
    fused = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    gives = "NaN" if fused[0, 0, 0].isnan().all() else "0"
    assert found.empty == (
        "Row PAD sees no key: PyTorch's softmax gives NaN and PyTorch's "
        f"scaled_dot_product_attention gives {gives} there. The comparison sets such rows to zero "
        "on PyTorch's side."
    )
    assert found.empty in str(found)
    assert largest_difference(random_run(5)).empty == ""
