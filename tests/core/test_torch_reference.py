"""Every trace equals PyTorch's."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from core import attention_program, toy_inputs
from core.programs import Trace
from core.torch_reference import available, largest_difference, multihead, torch_trace
from tests.core.support import MASKS, cases, random_run
from tests.deep import examples


def assert_close(trace: Trace, name: str, theirs: np.ndarray) -> None:
    finite = np.isfinite(trace[name])
    np.testing.assert_array_equal(finite, np.isfinite(theirs), err_msg=name)
    ours = np.where(finite, trace[name], 0.0)
    tolerance = 1e-11 * max(1.0, float(np.abs(ours).max(initial=0.0)))
    np.testing.assert_allclose(ours, np.where(finite, theirs, 0.0), rtol=0, atol=tolerance)


@given(cases())
@examples(40)
def test_every_array_of_every_run_equals_pytorch(case: dict[str, Any]) -> None:
    trace = random_run(**case)
    for name, theirs in torch_trace(trace).items():
        assert_close(trace, name, theirs)


@pytest.mark.parametrize("mask", MASKS[:4])
@pytest.mark.parametrize("heads", [1, 2, 4])
def test_weights_and_output_equal_multihead_attention(mask: str, heads: int) -> None:
    trace = attention_program(heads=heads, mask=mask).run(
        toy_inputs("one two three four five six seven", heads=heads)
    )
    theirs = multihead(trace)
    assert theirs is not None
    for name, array in theirs.items():
        assert_close(trace, name, array)


def test_multihead_attention_is_not_asked_what_it_cannot_do() -> None:
    assert multihead(random_run(1, heads=2, kv_heads=1)) is None
    assert multihead(random_run(1, d_model=6, d_k=3, d_v=3, scale=False)) is None
    assert multihead(random_run(3, d_model=6, d_k=3, d_v=3, mask="custom")) is None


def test_pinned_scores_are_taken_as_given_by_both() -> None:
    program = attention_program(heads=1, scale=False)
    inputs = toy_inputs("the cat sat", heads=1, d_model=4)
    scores = np.log(np.array([[[1.0, 2, 3], [3, 2, 1], [1, 1, 1]]]))
    trace = program.run(inputs, pinned={"scores": scores})
    np.testing.assert_allclose(trace["weights"][0, 1], [0.6, 0.4, 0])
    assert largest_difference(trace).largest < 1e-15


def test_the_difference_is_found_where_it_is() -> None:
    trace = random_run(5)
    broken = Trace(
        trace.program,
        {**trace.arrays, "context": trace["context"] + 1e-3},
        trace.steps, trace.noise, trace.tokens, trace.pinned,
    )  # fmt: skip
    found = largest_difference(broken)
    assert found.array == "context"
    np.testing.assert_allclose(found.largest, 1e-3, rtol=1e-6)


def test_pytorch_is_installed_where_the_tests_run() -> None:
    assert available()
