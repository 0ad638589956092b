"""Five usual sets of matrices, each by paste, by file, by link and in Python: the same numbers."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import Inputs, attention_from, attention_program
from core.attention.matrix_set import setup_of_matrices
from core.attention.setups import Setup
from core.program.trace import Trace
from tests.core.attention.test_matrix_set import EXERCISE
from tests.ui.walkthrough.test_own_numbers import again, panel, pasted, trace

draw = np.random.default_rng(12)
SETTINGS = {"mask": "none", "scale": "on"}


def drawn(*shape: int) -> np.ndarray:
    return draw.normal(size=shape).round(1) + 0.0


JOINED = {f"W_{n}": drawn(8, 8) for n in "QKVO"} | {f"b_{n}": drawn(8) for n in "QKVO"}
SETS: dict[str, Mapping[str, Any]] = {
    "an exercise": {name: np.array(rows) for name, rows in EXERCISE.items()},
    "d_k of 2": {"X": drawn(6, 3), **{f"W_{n}": drawn(3, 2) for n in "QKV"}},
    "two heads, joined, with biases": {"X": drawn(5, 8), **JOINED},
    "vectors of 64": {n: drawn(12, 64) for n in "QKV"},
    "cross-attention": {
        "Q": drawn(2, 4),
        "K": drawn(5, 4),
        "V": drawn(5, 3),
        "tokens": ["le", "chat"],
        "key_tokens": ["the", "cat", "##s", "[SEP]", "?"],
    },
}
HEADS = {"two heads, joined, with biases": 2}
NAMES = pytest.mark.parametrize("name", SETS)


def text_of(given: Mapping[str, Any]) -> str:
    return "\n".join(f"{name} = {np.asarray(value).tolist()}" for name, value in given.items())


def in_python(name: str) -> Trace:
    """The run by the functions that anyone may import."""
    given = SETS[name]
    if "Q" in given:
        return attention_from(**given, mask="none")
    heads = HEADS.get(name, 1)
    arrays = {
        n: np.stack(np.hsplit(a, heads)) if n in ("W_Q", "W_K", "W_V") else a
        for n, a in given.items()
    }
    arrays |= {n: a.reshape(heads, -1) for n, a in arrays.items() if n in ("b_Q", "b_K", "b_V")}
    W_V = arrays["W_V"]
    arrays.setdefault("W_O", np.eye(heads * W_V.shape[-1]))
    biases = tuple(n for n in arrays if n.startswith("b_"))
    program = attention_program(heads=heads, mask="none", biases=biases)
    if arrays["W_O"].shape[-1] != arrays["X"].shape[-1]:
        del arrays["W_O"]
        return setup_of_matrices(Setup(mask="none"), arrays).setup.trace
    return program.run(Inputs(arrays, tuple(str(n + 1) for n in range(len(arrays["X"])))))


def agree(page: AppTest, name: str) -> None:
    made, expected = trace(page), in_python(name)
    for array, numbers in expected.items():
        np.testing.assert_allclose(made[array], numbers, rtol=0, atol=1e-12, err_msg=array)
    if "W_O" not in SETS[name]:
        heads, _, d_v = made["V"].shape
        np.testing.assert_array_equal(made["W_O"], np.eye(heads * d_v))
        np.testing.assert_array_equal(made["output"], made["concat"])


def taken(page: AppTest, name: str) -> AppTest:
    """The page after its panel was told the number of heads, and used what it has."""
    if name in HEADS:
        page.number_input(key="edit_heads").set_value(HEADS[name]).run()
    page.button(key="edit_take").click().run()
    assert not page.exception
    assert not page.error
    return page


@NAMES
def test_by_paste_and_by_link(name: str) -> None:
    page = panel(**SETTINGS)
    page.text_area(key="edit_text").set_value(text_of(SETS[name])).run()
    agree(taken(page, name), name)
    if "m" in page.query_params:
        agree(again(page), name)
    else:  # what does not fit is said
        assert any("too long for a link" in warning.value for warning in page.warning)
        assert name == "vectors of 64"


@NAMES
def test_by_file(name: str) -> None:
    page = panel(**SETTINGS)
    page.segmented_control(key="edit_how").set_value("upload a file").run()
    buffer = io.BytesIO()
    np.savez(buffer, **SETS[name])
    page.file_uploader(key="edit_file").upload("mine.npz", buffer.getvalue()).run()
    agree(taken(page, name), name)


def test_the_exercise_gives_its_numbers_in_every_way() -> None:
    page = pasted(panel(mask="none", scale="off"), text_of(SETS["an exercise"]))
    for run in (trace(page), trace(again(page))):
        assert run["scores"][0].tolist() == [[2, 4, 4], [4, 16, 12], [4, 12, 10]]
        assert np.round(run["context"][0, 0], 3).tolist() == [1.937, 6.683, 1.595]
