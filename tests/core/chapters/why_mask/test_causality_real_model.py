"""A real head that gives its weight to the first token: each number by a plain loop."""

import math

import numpy as np
import pytest

from core.chapters.why_mask.causality import FROM_VECTORS, REAL_HEAD, first_if_equal, sink_of
from core.models.captures import load_capture, vectors_of


def test_its_program_gives_what_the_model_computed() -> None:
    capture = load_capture(REAL_HEAD)
    trace = FROM_VECTORS.run(vectors_of(capture))
    np.testing.assert_allclose(trace["weights"][0], capture.weights, rtol=0, atol=1e-5)


@pytest.mark.parametrize("T", [2, 3, 19])
def test_equal_weights_are_one_over_the_keys_that_a_row_sees(T: int) -> None:
    rows = [[1 / (i + 1)] * (i + 1) for i in range(T)]
    assert first_if_equal(T) == pytest.approx(sum(row[0] for row in rows[1:]) / (T - 1))


def test_a_sink_has_the_weight_and_the_lengths_of_a_loop() -> None:
    capture = load_capture(REAL_HEAD)
    lengths = [math.sqrt(sum(v * v for v in row)) for row in capture.V.tolist()]
    firsts = [row[0] for row in capture.weights.tolist()[1:]]
    found = sink_of(capture)
    assert found.percent == pytest.approx(100 * sum(firsts) / len(firsts))
    assert found.length == pytest.approx(lengths[0])
    assert found.other_length == pytest.approx(sum(lengths[1:]) / len(lengths[1:]))
    assert found.length < min(lengths[1:])
