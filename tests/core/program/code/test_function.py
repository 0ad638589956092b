"""A program as one function: of numpy and of PyTorch, for any text, computing what the run did."""

import ast
from typing import Any

import numpy as np
import pytest
import torch

from core import Trace, attention_program, toy_inputs
from core.program.code.function import numpy_function
from core.program.running import run_program
from core.pytorch.snippet import fused_function, torch_function
from tests.core.support import toy_run
from tests.registry import REGISTRY
from tests.sampling import some

EVERY = pytest.mark.parametrize("name", some(list(REGISTRY), 8, 0))


def arguments(source: str) -> list[str]:
    """The arguments of the last function of a source."""
    made = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return [argument.arg for argument in made[-1].args.args]


def check(source: str, trace: Trace, array: Any = torch.tensor) -> None:
    """The function of a source makes the last step of what a run was given."""
    names: dict[str, Any] = {}
    exec(source, names)
    found = names["made"](*(array(trace[name]) for name in arguments(source)))
    wanted = trace[trace.program.steps[-1].name]
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=0, atol=1e-11, equal_nan=True)


@EVERY
def test_the_functions_compute_the_last_step_of_every_program(name: str) -> None:
    trace = REGISTRY[name].run()
    check(numpy_function(trace, "made"), trace, np.array)
    check(torch_function(trace, "made"), trace)
    if source := fused_function(trace, "made"):
        check(source, trace)


def test_pytorchs_own_attention_stands_where_right_weights_mix_values() -> None:
    """Wherever softmax of (scaled, masked) dot products weighs values, and nowhere else."""
    fused = {name for name in REGISTRY if fused_function(REGISTRY[name].run(), "made")}
    # All at once, one text's, as typed.
    beside = (
        "tiles", "streaming", "ring", "padded", "packed", "shuffled", "messages", "two sentences",
        "block", "a language model", "an encoder", "mixed by attention", "scored, dot", "recall",
        "a model's head", "a model's layer", "a captured head", "a real head",
        "two heads on one key",
    )  # fmt: skip
    alike = {n for n in REGISTRY if n.startswith(("attention", "gallery", *beside))}
    assert fused == alike | {
        "similarity, dot", "similarity, scaled", "similarity, cosine", "ladder, rung 3",
        "ladder, rung 4", "lookup", "softmax over keys", "four heads", "shared among 8",
        "a decoder's step", "a decoder's step, several new", "a decoder's step, upper left",
        "one query, 0", "one query, 2", "a shared beginning",
        "encoded, none", "encoded, sinusoidal", "encoded, learned", "encoded, rope",
        "from Q, K, V", "from Q, K, V, fewer queries", "from Q, K, V, a mask",
        "from Q, K, V, a bias", "from Q, K, V, a mask and a bias by head",
        "mistake, swapped", "mistake, swapped, on the walkthrough", "mistake, reshape",
    }  # fmt: skip
    source = fused_function(REGISTRY["attention"].run(), "made")
    assert "context = F.scaled_dot_product_attention(Q, K, V, is_causal=True)" in source
    assert "softmax" not in source


SETTINGS: list[dict[str, Any]] = [
    {}, {"mask": "none", "scale": False}, {"mask": "window", "window": 2},
    {"mask": "prefix", "prefix": 3, "scale": 0.3}, {"heads": 4, "kv_heads": 2},
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_function_takes_another_sentence_than_its_own(settings: dict[str, Any]) -> None:
    short, long = (toy_run(text, **settings) for text in ("a b", "the cat sat on the mat again"))
    check(numpy_function(short, "made"), long, np.array)
    check(torch_function(short, "made"), long)
    check(fused_function(short, "made"), long)


@pytest.mark.parametrize("pin", ["scores", "scaled", "masked", "weights", "V", "mask", "output"])
def test_what_was_pinned_is_an_argument(pin: str) -> None:
    free = toy_run()
    values = np.array(free[pin])
    trace = run_program(
        free.program,
        {i.name: free[i.name] for i in free.program.inputs},
        pinned={pin: values if pin in ("mask", "masked") else values + 0.25},
    )
    source = numpy_function(trace, "made")
    assert pin in arguments(source)
    check(source, trace, np.array)
    check(torch_function(trace, "made"), trace)
    fused = fused_function(trace, "made")
    assert bool(fused) == (pin in ("V", "mask"))
    if fused:
        check(fused, trace)


@pytest.mark.parametrize("text", ["a", "a b", "a b c d"])
@pytest.mark.parametrize("pins", [("Q",), ("K", "V"), ("Q", "K", "V"), ("scores",)])
def test_a_size_is_read_off_its_own_axis_among_equals(text: str, pins: tuple[str, ...]) -> None:
    """Tokens, heads and features may be as many; the next text has five tokens."""
    heads, width = len(text.split()), 2 * len(text.split())
    program = attention_program(heads=heads)
    runs = []
    for words in (text, "one two three four five"):
        inputs = toy_inputs(words, heads=heads, d_model=width)
        given = {pin: program.run(inputs)[pin] for pin in pins}
        runs.append(program.run(inputs, pinned=given))
    source = numpy_function(runs[0], "made")
    for run in runs:
        check(source, run, np.array)


def test_it_is_short_and_its_lines_are_those_of_the_steps() -> None:
    lines = numpy_function(toy_run(), "attention").splitlines()
    assert lines[:3] == ["import numpy as np", "", ""]
    assert len(lines[3:]) <= 25
    assert "def attention(X, W_Q, W_K, W_V, W_O):" in lines
    assert "    T = X.shape[0]" in lines
    assert "    mask = np.tri(T, T, dtype=bool)  # T × T" in lines
    assert "    scores = Q @ K.swapaxes(-1, -2)  # heads × T × T" in lines
    assert max(map(len, lines)) <= 100


def test_a_symbol_that_stands_for_two_sizes_is_not_written() -> None:
    """A decoder's step: two new queries, five keys, and both are counted as T."""
    source = numpy_function(REGISTRY["a decoder's step, several new"].run(), "made")
    assert "T" not in source.split('"""')[-1]
    assert "np.tri(2, 5, 3, dtype=bool)" in source
