"""A real head with its rotation and without: turned back and forth, and against plain loops."""

import cmath

import numpy as np
import pytest

from core.chapters.word_order.real_model import REAL_HEAD, ROTATION, rotation_family, unrotated
from core.models.captures import load_capture
from core.models.model_facts import ROTATION_BASES
from core.program.trace import Trace
from tests.core.support import causal_weights

FIRST_LAYER = "smollm2-even"
"""A head that reads embeddings, in which equal tokens are equal at every position."""
BASE = ROTATION_BASES[load_capture(REAL_HEAD).run.model]


def run(name: str) -> Trace:
    return rotation_family(load_capture(REAL_HEAD)).run(**{ROTATION.key: name})


def turned_back(rows: np.ndarray, base: float) -> np.ndarray:
    """Each pair of neighbours as a complex number, turned by minus position times frequency."""
    found = np.zeros_like(rows)
    T, d_k = rows.shape
    for position in range(T):
        for pair in range(d_k // 2):
            a, b = rows[position, 2 * pair : 2 * pair + 2]
            angle = -position * base ** (-2 * pair / d_k)
            turned = complex(a, b) * cmath.exp(1j * angle)
            found[position, 2 * pair : 2 * pair + 2] = turned.real, turned.imag
    return found


@pytest.mark.parametrize("name", [REAL_HEAD, FIRST_LAYER])
def test_turning_back_is_a_loop_over_complex_numbers(name: str) -> None:
    capture = load_capture(name)
    for rows in (capture.Q, capture.K):
        expected = turned_back(rows, BASE)
        np.testing.assert_allclose(unrotated(rows[None], BASE)[0], expected, rtol=0, atol=1e-9)


def test_only_the_base_of_the_model_makes_equal_tokens_equal_in_its_first_layer() -> None:
    """So the base, the pairs and the sense of the rotation are those of the model."""
    capture = load_capture(FIRST_LAYER)
    assert capture.head.layer == 0
    places = [at for at, token in enumerate(capture.run.tokens) if token == "Ġthe"]
    assert len(places) == 2

    def apart(base: int) -> float:
        first, second = unrotated(capture.K[None], base)[0, places]
        return float(np.abs(first - second).max())

    assert apart(BASE) < 1e-6
    assert min(map(apart, (10_000, 50_000, 130_000))) > 0.01


def test_rotated_it_is_what_the_model_computed() -> None:
    capture, trace = load_capture(REAL_HEAD), run("rope")
    for name, rows in (("Q_rot", capture.Q), ("K_rot", capture.K)):
        np.testing.assert_allclose(trace[name][0], rows, rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["weights"][0], capture.weights, rtol=0, atol=1e-5)
    np.testing.assert_allclose(trace["context"][0], capture.context, rtol=0, atol=1e-5)


def test_unrotated_its_weights_are_those_of_the_rows_turned_back() -> None:
    capture = load_capture(REAL_HEAD)
    Q, K = (turned_back(rows, BASE) for rows in (capture.Q, capture.K))
    expected = causal_weights(Q, K, divisor=8)
    np.testing.assert_allclose(run("none")["weights"][0], expected, rtol=0, atol=1e-9)
