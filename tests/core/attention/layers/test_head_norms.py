"""Norms of queries and keys in the attention program: beside PyTorch, and what is said of them."""

from collections.abc import Mapping

import numpy as np
import pytest

from core import Inputs, explain
from core.attention.layers.queries_and_keys import with_head_norms, with_rotation
from core.attention.program import attention_program
from core.program.trace import Trace
from core.pytorch.reference import largest_difference, torch_trace
from tests.by_torch import attention_by_torch, torch_steps
from tests.core.program.test_explanations import check_lines

T, D, K = 4, 5, 6
BOTH = pytest.mark.parametrize("rotated", [False, True])


def run(
    rotated: bool = False, long: float = 1.0, pinned: Mapping[str, np.ndarray] | None = None
) -> Trace:
    """Two heads that share keys; rows of X are `long` times as long as they are drawn."""
    draw = np.random.default_rng(2)
    shapes = {"X": (T, D), "W_Q": (2, D, K), "W_K": (1, D, K), "W_V": (1, D, 3), "W_O": (6, D)}
    shapes |= {"g_Q": (K,), "g_K": (K,)}
    arrays = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    arrays["X"] *= long
    program = with_head_norms(attention_program(heads=2, kv_heads=1), 1e-3)
    if rotated:
        arrays["places"] = np.arange(float(T))[:, None]
        speeds = np.array([1.0, 0.3, 0.02])
        arrays["frequency"] = np.concatenate([-speeds, speeds])[None]
        program = with_rotation(program, halves=True)
    return program.run(Inputs(arrays, tuple("abcd")), pinned or {})


@BOTH
def test_the_run_is_pytorchs_whole_fused_and_step_by_step(rotated: bool) -> None:
    trace = run(rotated)
    for theirs in (torch_trace(trace), torch_steps(trace), attention_by_torch(trace)):
        for name, expected in theirs.items():
            np.testing.assert_allclose(trace[name], expected, rtol=0, atol=1e-12, err_msg=name)
    found = largest_difference(trace)
    assert found.equal
    assert found.judges == ("scaled_dot_product_attention",)


@pytest.mark.parametrize("name", ["mean_square_Q", "normed_K", "Q_norm"])
def test_a_given_norm_is_used_by_pytorch_too(name: str) -> None:
    given = np.abs(np.random.default_rng(4).normal(size=run()[name].shape))
    assert largest_difference(run(True, pinned={name: given})).equal


def test_scores_do_not_grow_with_the_lengths_of_queries_and_keys() -> None:
    most = K * np.abs(run()["g_Q"] * run()["g_K"]).max()
    for long in (1.0, 1e2, 1e6):
        assert np.abs(run(long=long)["scores"]).max() <= most
    assert np.abs(run(long=0.0)["Q_norm"]).max() == 0


@BOTH
def test_what_is_said_names_the_token_and_recomputes(rotated: bool) -> None:
    trace = run(rotated)
    at = (1, 2, 3)
    for name, role, cell in (("Q", "query", at), ("K", "key", (0, 2, 3))):
        said = explain(trace, f"normed_{name}", cell).words
        assert f"divided by the size of the {role}" in said
        for made in (f"mean_square_{name}", f"normed_{name}", f"{name}_norm"):
            place = (*cell[:2], 0) if "mean" in made else cell
            assert f"{role} of c" in explain(trace, made, place).words
            check_lines(trace, made, place)
        assert f"Feature 4 of each normalised {role}" in explain(trace, f"g_{name}", (3,)).words
        assert trace.program.roles[f"{name}_norm"] == trace.program.roles[f"g_{name}"] == role
    titles = [phase.title for phase in trace.program.phases]
    assert titles[2:4] == ["Norm of the queries", "Norm of the keys"]
    assert (titles[4:6] == ["Angles", "Turn Q and K"]) == rotated
    for stop, role in zip(trace.program.phases[2:4], ("query", "key"), strict=True):
        size, gain = stop.phases
        assert f"Each {role} is divided" in size.words
        assert "0.001 is added" in size.words
        name = role[0].upper()
        assert size.names == (f"mean_square_{name}", f"normed_{name}")
        assert gain.names == stop.names == (f"{name}_norm",)
