"""`sources` is what a finite change shows, and `uses` is its inverse."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import attention_program, toy_inputs
from core.attention.masks import KINDS
from core.program.running import run_program
from tests.core.properties import check_inverse, check_moved, every_cell, origins
from tests.core.support import cases, random_run
from tests.sampling import examples


@pytest.mark.parametrize("mask", [*KINDS])
def test_sources_followed_back_are_what_a_finite_change_moves(mask: str) -> None:
    trace = random_run(
        17, T=4, d_model=3, heads=2, kv_heads=1, d_k=2, d_v=3, size=0.9, mask=mask, window=2
    )
    check_moved(trace)


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
    trace = attention_program().run(toy_inputs("The cat sat on the mat"))
    assert trace.sources("masked", (0, 1, 3)) == {"mask": [(1, 3)]}
    assert trace.sources("masked", (0, 3, 1)) == {"scaled": [(0, 3, 1)], "mask": [(3, 1)]}
    assert trace.sources("weights", (0, 1, 3)) == {"masked": [(0, 1, 3)]}
    assert trace.sources("weights", (0, 0, 0)) == {"masked": [(0, 0, 0)]}
    assert trace.sources("weights", (0, 1, 0)) == {"masked": [(0, 1, 0), (0, 1, 1)]}
    assert trace.sources("context", (0, 1, 2)) == {
        "weights": [(0, 1, 0), (0, 1, 1)],
        "V": [(0, 0, 2), (0, 1, 2)],
    }
    assert trace.uses("scaled", (0, 1, 3)) == {}
    assert trace.uses("weights", (0, 1, 3)) == {}


def test_a_weight_that_underflows_to_zero_stays_live() -> None:
    program = attention_program(heads=1, scale=False)
    scores = np.array([[[0.0, 0, 0], [0, -900, 0], [0, -900, 0]]])
    trace = program.run(toy_inputs("a b c", heads=1, d_model=4), pinned={"scores": scores})
    assert trace["weights"][0, 2, 1] == 0
    assert (0, 2, 1) in trace.sources("context", (0, 2, 0))["weights"]
