"""Runs that start from what is given: PyTorch agrees, and what can be taken away runs."""

from collections.abc import Mapping

import numpy as np
import pytest
import torch

from core.attention.given.matrix_set import setup_with
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.mistakes.wrong_lines_of_attention import WRONG_LINES
from core.attention.setups import Setup
from core.program.code.exercise import exercise_notebook
from core.program.code.script import notebook, numpy_script, plain_script
from core.program.labels import place_names
from core.program.trace import Trace
from core.pytorch.reference import largest_difference
from core.pytorch.snippet import torch_snippet
from stage.document.document import document
from stage.hosts.standalone import standalone
from stage.paper.worksheet import worksheet
from tests.alone import RunAlone
from tests.sampling import three

draw = np.random.default_rng(39)
T, S = 3, 5


def drawn(*shape: int) -> np.ndarray:
    return draw.normal(size=shape).round(2)


def sure(*shape: int) -> np.ndarray:
    """A mask in which each query sees the first key."""
    mask = draw.random(shape) < 0.5
    mask[..., 0] = True
    return mask


VECTORS = {"Q": drawn(2, T, 4), "K": drawn(1, S, 4), "V": drawn(1, S, 2)}
WEIGHTS = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]])
SENTENCE = Setup("a b c", heads=2, d_model=4)
GIVEN: dict[str, Mapping[str, np.ndarray]] = {
    "biases": {"b_Q": drawn(2, 2), "b_K": drawn(2, 2), "b_V": drawn(2, 2), "b_O": drawn(1, 4)},
    "one bias": {"b_V": drawn(2, 2)},
    "a bias for each pair": {"bias": drawn(3, 3)},
    "a bias by head": {"bias": drawn(2, 3, 3)},
    "a mask by head": {"mask": sure(2, 3, 3)},
    "padding": {"mask": np.array([[1, 1, 0]])},
    "an additive mask": {"mask": np.where(sure(3, 3), 0, -np.inf)},
    "a bias that hides": {"mask": np.where(sure(3, 3), drawn(3, 3), -1e9)},
    "vectors": VECTORS,
    "vectors and tokens": {
        **VECTORS,
        "tokens": np.array(["a", " b", "\n"]),
        "key_tokens": np.array(["v", "w", "x", "y", "z"]),
    },
    "vectors, W_O and its bias": {**VECTORS, "W_O": drawn(4, 3), "b_O": drawn(1, 3)},
    "vectors and a mask by head": {**VECTORS, "mask": sure(2, T, S)},
    "weights": {"weights": WEIGHTS},
    "weights and values": {"weights": WEIGHTS, "V": drawn(3, 2)},
    "a wider output": {"W_O": drawn(4, 6), "b_O": drawn(1, 6), "X": drawn(3, 4),
                       "W_Q": drawn(2, 4, 2), "W_K": drawn(2, 4, 2), "W_V": drawn(2, 4, 2)},
}  # fmt: skip
"""Of each a set by the names of this product, on a sentence of three tokens."""
NAMES = pytest.mark.parametrize("name", GIVEN)


def run(name: str) -> Trace:
    return setup_with(SENTENCE, GIVEN[name]).setup.trace


@NAMES
def test_pytorch_computes_the_same(name: str) -> None:
    found = largest_difference(run(name))
    assert found.equal, str(found)


@pytest.mark.parametrize("name", ["a bias by head", "a bias that hides", "an additive mask",
                                  "a mask by head", "padding", "a bias for each pair"])  # fmt: skip
def test_a_mask_is_pytorchs_explicit_attn_mask(name: str) -> None:
    ((kind, given),) = GIVEN[name].items()
    trace = run(name)
    mask = given != 0 if np.isin(given, (0, 1)).all() else given.astype(float)
    if kind == "bias":  # on top of the causal rule
        mask = np.where(np.tri(3, dtype=bool), mask, -np.inf)
    Q, K, V = (torch.tensor(trace[n])[None] for n in "QKV")
    explicit = torch.tensor(np.broadcast_to(mask, (2, 3, 3)).copy())[None]
    expected = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=explicit)
    np.testing.assert_allclose(trace["context"], expected[0].numpy(), rtol=0, atol=1e-12)


@NAMES
def test_its_scripts_run_and_check_themselves(name: str, run_alone: RunAlone) -> None:
    trace = run(name)
    ends, errors = run_alone([numpy_script(trace), plain_script(trace)])
    assert ends == ["ran", "ran"], errors
    if len(trace.steps) > 1:
        exec(torch_snippet(trace), {})


@pytest.mark.parametrize("name", three(list(GIVEN)))
def test_the_rest_can_be_taken_away(name: str) -> None:
    setup = setup_with(SENTENCE, GIVEN[name]).setup
    trace = setup.trace
    assert '"cells"' in notebook(trace)
    opening = (setup.opening_array, (0, *setup.opening))
    assert document(trace, opening, family=setup.family, options=setup.options)
    assert "<html" in standalone(trace, opening, family=setup.family, options=setup.options)
    if trace.steps:
        assert "<html" in worksheet(trace, list(trace.steps))
        assert '"cells"' in exercise_notebook(trace, MISTAKES.values(), WRONG_LINES)


@NAMES
def test_its_toggles_lead_to_runs(name: str) -> None:
    setup = setup_with(SENTENCE, GIVEN[name]).setup
    family = setup.family
    for key, toggle in family.toggle.items():
        for option in toggle.options:
            if key != "heads" or option == setup.options["heads"]:
                assert len(family.run(**{**setup.options, key: option})["weights"])


def test_tokens_of_queries_and_keys() -> None:
    trace = run("vectors and tokens")
    assert place_names(trace, "i") == ["a", "␣b", "⏎"]
    assert place_names(trace, "j") == ["v", "w", "x", "y", "z"]
