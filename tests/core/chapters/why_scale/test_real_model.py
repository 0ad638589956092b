"""A real head with the division by √d_k and without: each number by a plain loop."""

import numpy as np
import pytest

from core.chapters.why_scale import real_model
from core.chapters.why_scale.real_model import REAL_HEAD, largest_weight, variance_of_scores
from core.models.captures import Capture, captured_heads, load_capture, load_variances
from core.program.trace import Trace
from tests.core.support import causal_weights


def run(name: str) -> Trace:
    return real_model.real_head_family(load_capture(REAL_HEAD)).run(
        **{real_model.REAL_SCALED.key: name}
    )


def variance(capture: Capture, divisor: float) -> float:
    """Of the scores of all queries with the keys up to their own."""
    scores = capture.Q @ capture.K.T / divisor
    return float(scores[np.tri(len(scores), dtype=bool)].var())


def test_with_the_division_it_is_what_the_model_computed() -> None:
    expected = load_capture(REAL_HEAD).weights
    np.testing.assert_allclose(run("on")["weights"][0], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("name", "divisor"), [("on", 8.0), ("off", 1.0)])
def test_weights_and_their_largest_are_those_of_a_loop(name: str, divisor: float) -> None:
    capture, found = load_capture(REAL_HEAD), run(name)["weights"][0]
    looped = causal_weights(capture.Q, capture.K, divisor=divisor)
    np.testing.assert_allclose(found, looped, rtol=0, atol=1e-12)
    largest = [max(row) for row in looped[1:]]
    assert largest_weight(found) == pytest.approx(sum(largest) / len(largest), abs=1e-12)


def test_the_first_row_is_left_out() -> None:
    assert largest_weight(np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.5, 0.3]])) == 0.5


def test_variances_are_of_what_the_mask_shows() -> None:
    capture, trace = load_capture(REAL_HEAD), run("off")
    assert variance_of_scores(trace, "scores") == pytest.approx(variance(capture, 1), rel=1e-12)
    assert variance_of_scores(run("on"), "scaled") == pytest.approx(variance(capture, 8), rel=1e-12)


def test_the_variances_of_a_file_are_those_of_its_heads_own_queries_and_keys() -> None:
    for run, head in captured_heads().values():
        capture = load_capture(head.name)
        if run.mask == "causal":
            expected = variance(capture, 8)
        else:
            expected = float((capture.Q @ capture.K.T * head.scale).var())
        assert load_variances(run)[head.place] == pytest.approx(expected, rel=1e-4)


def test_the_head_is_a_typical_one_and_quartiles_are_counted() -> None:
    run, head = captured_heads()[REAL_HEAD]
    every = load_variances(run)
    found, ranked = real_model.trained_variances(run), sorted(every.ravel().tolist())
    assert found.heads == len(ranked) == run.n_layers * run.n_heads
    assert found.above_1 == sum(value > 1 for value in ranked)
    assert found.most == ranked[-1]
    for part, value in ((0.25, found.quarter), (0.5, found.median), (0.75, found.three_quarters)):
        assert sum(one <= value for one in ranked) / len(ranked) == pytest.approx(part, abs=0.01)
    assert found.quarter < every[head.place] < found.three_quarters
