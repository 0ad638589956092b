"""A captured head as inputs: the same run as `trace_of`, under tokens that are easy to read."""

import numpy as np
import pytest

from core.models.captures import captured_heads, load_capture, trace_of, vectors_of
from core.models.model_facts import ROTATION_BASES

NAMES = list(captured_heads())


@pytest.mark.parametrize("name", NAMES)
def test_its_program_runs_the_same_on_them(name: str) -> None:
    capture = load_capture(name)
    trace = trace_of(capture)
    again = trace.program.run(vectors_of(capture))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(again["context"], trace["context"])


@pytest.mark.parametrize("name", NAMES)
def test_its_tokens_are_the_words_of_the_prompt(name: str) -> None:
    capture = load_capture(name)
    tokens = vectors_of(capture).tokens
    assert all(tokens)
    assert not any(sign in token for token in tokens for sign in "Ġ Ċ##")
    words = "".join(token for token in tokens if token not in ("⏎", "[CLS]", "[SEP]"))
    assert words.lower() == "".join(capture.run.prompt.split()).lower()
    lines = sum(token == "⏎" for token in tokens)
    assert lines == (capture.run.prompt.count("\n") if capture.run.mask == "causal" else 0)


def test_models_that_rotate_are_captured_ones() -> None:
    assert set(ROTATION_BASES) < {run.model for run, _ in captured_heads().values()}
