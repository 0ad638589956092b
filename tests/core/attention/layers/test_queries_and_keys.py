"""What a layer does to queries and keys: RoPE and norms, beside PyTorch; what is said is so."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest

from core import Inputs, Trace, attention_program, explain
from core.attention.layers.queries_and_keys import with_head_norms, with_rotation
from core.pytorch.reference import largest_difference, torch_trace
from tests.by_torch import attention_by_torch, torch_steps
from tests.core.program.test_explanations import check_lines

T, D, K = 4, 5, 6
BOTH = pytest.mark.parametrize("halves", [False, True])


def run(
    halves: bool | None = None,
    far: float = 0.0,
    normed: bool = False,
    long: float = 1.0,
    pinned: Mapping[str, np.ndarray] | None = None,
) -> Trace:
    """Two heads that share keys, turned if it is said in what way, by positions that are `far` on.

    Rows of X are `long` times as long as they are drawn.
    """
    draw = np.random.default_rng(2)
    shapes = {"X": (T, D), "W_Q": (2, D, K), "W_K": (1, D, K), "W_V": (1, D, 3), "W_O": (6, D)}
    shapes |= {"g_Q": (K,), "g_K": (K,)} if normed else {}
    arrays = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    arrays["X"] *= long
    program = attention_program(heads=2, kv_heads=1)
    if normed:
        program = with_head_norms(program, 1e-3)
    if halves is not None:
        arrays["places"] = np.arange(float(T))[:, None] + far
        speeds = np.array([1.0, 0.3, 0.02])
        signed = [-speeds, speeds]
        turned = np.concatenate(signed) if halves else np.stack(signed, 1).ravel()
        arrays["frequency"] = turned[None]
        program = with_rotation(program, halves)
    return program.run(Inputs(arrays, tuple("abcd")), pinned or {})


normed_run = partial(run, normed=True)


@pytest.mark.parametrize("trace", [run(False), run(True), normed_run(), normed_run(True)])
def test_the_run_is_pytorchs_whole_fused_and_step_by_step(trace: Trace) -> None:
    for theirs in (torch_trace(trace), torch_steps(trace), attention_by_torch(trace)):
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


@pytest.mark.parametrize("name", ["mean_square_Q", "normed_K", "Q_norm"])
def test_a_given_norm_is_used_by_pytorch_too(name: str) -> None:
    given = np.abs(np.random.default_rng(4).normal(size=normed_run()[name].shape))
    assert largest_difference(normed_run(True, pinned={name: given})).equal


def test_scores_do_not_grow_with_the_lengths_of_queries_and_keys() -> None:
    most = K * np.abs(normed_run()["g_Q"] * normed_run()["g_K"]).max()
    for long in (1.0, 1e2, 1e6):
        assert np.abs(normed_run(long=long)["scores"]).max() <= most
    assert np.abs(normed_run(long=0.0)["Q_norm"]).max() == 0


@pytest.mark.parametrize("rotated", [False, True])
def test_what_is_said_names_the_token_and_recomputes(rotated: bool) -> None:
    trace = normed_run(rotated or None)
    for name, role, cell in (("Q", "query", (1, 2, 3)), ("K", "key", (0, 2, 3))):
        assert f"divided by the size of the {role}" in explain(trace, f"normed_{name}", cell).words
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
