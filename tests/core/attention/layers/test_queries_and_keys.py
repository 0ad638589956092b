"""RoPE in the attention program: beside PyTorch, and what is said of it beside its numbers."""

import numpy as np
import pytest

from core import Inputs, explain
from core.attention.layers.queries_and_keys import with_rotation
from core.attention.program import attention_program
from core.program.trace import Trace
from core.pytorch.reference import largest_difference, torch_trace
from tests.by_torch import attention_by_torch

T, D, K = 4, 5, 6
BOTH = pytest.mark.parametrize("halves", [False, True])


def run(halves: bool, far: float = 0.0) -> Trace:
    """Two heads that share keys; `far` moves every position."""
    draw = np.random.default_rng(2)
    shapes = {"X": (T, D), "W_Q": (2, D, K), "W_K": (1, D, K), "W_V": (1, D, 3), "W_O": (6, D)}
    arrays = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    arrays["places"] = np.arange(float(T))[:, None] + far
    speeds = np.array([1.0, 0.3, 0.02])
    signed = [-speeds, speeds]
    arrays["frequency"] = (np.concatenate(signed) if halves else np.stack(signed, 1).ravel())[None]
    program = with_rotation(attention_program(heads=2, kv_heads=1), halves)
    return program.run(Inputs(arrays, tuple("abcd")))


@BOTH
def test_the_run_is_pytorchs_whole_and_fused(halves: bool) -> None:
    trace = run(halves)
    for theirs in (torch_trace(trace), attention_by_torch(trace)):
        for name, expected in theirs.items():
            np.testing.assert_allclose(trace[name], expected, rtol=0, atol=1e-12, err_msg=name)
    found = largest_difference(trace)
    assert found.equal
    assert found.judges == ("scaled_dot_product_attention",)


@BOTH
def test_scores_depend_on_distances_and_lengths_do_not_change(halves: bool) -> None:
    here, far = run(halves), run(halves, far=17.0)
    np.testing.assert_allclose(here["scores"], far["scores"], atol=1e-12)
    assert np.abs(here["Q_rot"] - far["Q_rot"]).max() > 0.1
    for name in "QK":
        lengths = (np.linalg.norm(here[n], axis=-1) for n in (name, f"{name}_rot"))
        np.testing.assert_allclose(*lengths)
    plain = here["Q"] @ here["K"].repeat(2, 0).swapaxes(-1, -2)
    diagonal = np.arange(T), np.arange(T)
    np.testing.assert_allclose(here["scores"][:, *diagonal], plain[:, *diagonal])


@BOTH
def test_what_is_said_of_partners_and_signs_is_what_the_numbers_do(halves: bool) -> None:
    trace = run(halves)
    for k in range(K):
        said = explain(trace, "frequency", (0, k)).words
        assert ("minus sign" in said) == (trace["frequency"][0, k] < 0)
        (pair,) = {*trace.sources("Q_rot", (1, 2, k))["Q"]} - {(1, 2, k)}
        assert f"together with feature {pair[2] + 1}." in explain(trace, "Q_rot", (1, 2, k)).words
        assert f"Feature {pair[2] + 1} is the other one" in said
        assert trace["frequency"][0, pair[2]] == -trace["frequency"][0, k]


@BOTH
def test_the_angle_that_is_said_of_a_score_is_that_of_the_turned_vectors(halves: bool) -> None:
    trace = run(halves)
    q, k = trace["Q_rot"][1, 3], trace["K_rot"][0, 0]
    cosine = q @ k / np.linalg.norm(q) / np.linalg.norm(k)
    degrees = round(float(np.degrees(np.arccos(cosine))))
    assert f"is {degrees}°" in explain(trace, "scores", (1, 3, 0)).words
