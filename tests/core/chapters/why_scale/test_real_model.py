"""A real head with the division by √d_k and without: each number by a plain loop."""

import math

import numpy as np
import pytest

from core.chapters.why_scale.real_model import (
    REAL_HEAD,
    REAL_SCALED,
    largest_weight,
    other_variances,
    real_head_family,
    variance_of_scores,
)
from core.models.captures import Capture, captured_heads, load_capture
from core.program.trace import Trace


def run(name: str) -> Trace:
    return real_head_family(load_capture(REAL_HEAD)).run(**{REAL_SCALED.key: name})


def visible_scores(capture: Capture, divisor: float) -> list[list[float]]:
    """Of each row the scores of the keys up to its own."""
    return [
        [sum(a * b for a, b in zip(q, k, strict=True)) / divisor for k in capture.K[: i + 1]]
        for i, q in enumerate(capture.Q)
    ]


def weights(scores: list[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def variance(capture: Capture, divisor: float) -> float:
    every = [score for row in visible_scores(capture, divisor) for score in row]
    mean = sum(every) / len(every)
    return sum((score - mean) ** 2 for score in every) / len(every)


def test_with_the_division_it_is_what_the_model_computed() -> None:
    expected = load_capture(REAL_HEAD).weights
    np.testing.assert_allclose(run("on")["weights"][0], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("name", "divisor"), [("on", 8.0), ("off", 1.0)])
def test_weights_and_their_largest_are_those_of_a_loop(name: str, divisor: float) -> None:
    rows = [weights(scores) for scores in visible_scores(load_capture(REAL_HEAD), divisor)]
    found = run(name)["weights"][0]
    for i, row in enumerate(rows):
        np.testing.assert_allclose(found[i, : i + 1], row, rtol=0, atol=1e-12)
    largest = [max(row) for row in rows[1:]]
    assert largest_weight(found) == pytest.approx(sum(largest) / len(largest), abs=1e-12)


def test_the_first_row_is_left_out() -> None:
    assert largest_weight(np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.5, 0.3]])) == 0.5


def test_variances_are_of_what_the_mask_shows() -> None:
    capture, trace = load_capture(REAL_HEAD), run("off")
    assert variance_of_scores(trace, "scores") == pytest.approx(variance(capture, 1), rel=1e-12)
    assert variance_of_scores(run("on"), "scaled") == pytest.approx(variance(capture, 8), rel=1e-12)


def test_the_other_heads_are_all_others_of_this_model() -> None:
    model = captured_heads()[REAL_HEAD][0].model
    others = [n for n, (r, _) in captured_heads().items() if r.model == model and n != REAL_HEAD]
    expected = [variance(load_capture(name), 8) for name in others]
    found = other_variances(REAL_HEAD)
    assert found.heads == len(others) > 5
    assert (found.low, found.high) == pytest.approx((min(expected), max(expected)), rel=1e-9)
