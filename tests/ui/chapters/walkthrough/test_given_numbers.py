"""Five usual sets of matrices, each by paste, by file, by link and in Python: the same numbers."""

import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save
from streamlit.testing.v1 import AppTest

from core import Inputs, attention_from, attention_program
from core.attention.given.matrix_set import setup_of_matrices
from core.attention.setups import Setup
from core.files.downloads import npz
from core.program.labels import place_names
from core.program.trace import Trace
from tests.core.attention.given.test_matrix_set import EXERCISE
from tests.sampling import paired
from tests.ui.chapters.walkthrough.test_own_numbers import (
    again,
    panel,
    pasted,
    same_run,
    taken,
    trace,
    typed,
)

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
    arrays.setdefault("W_O", np.eye(heads * arrays["W_V"].shape[-1]))
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
    if "tokens" in SETS[name]:
        assert list(place_names(made, "i")) == SETS[name]["tokens"]
        assert list(place_names(made, "j")) == SETS[name]["key_tokens"]
    if "W_O" not in SETS[name]:
        heads, _, d_v = made["V"].shape
        np.testing.assert_array_equal(made["W_O"], np.eye(heads * d_v))
        np.testing.assert_array_equal(made["output"], made["concat"])


def used(page: AppTest, name: str) -> AppTest:
    """The page after its panel was told the number of heads, and used what it has."""
    if name in HEADS:
        page.number_input(key="edit_heads").set_value(HEADS[name]).run()
    assert not taken(page).error
    return page


@NAMES
def test_by_paste_and_by_link(name: str) -> None:
    page = used(typed(panel(**SETTINGS), text_of(SETS[name])), name)
    agree(page, name)
    if "m" in page.query_params:
        agree(again(page), name)
    else:  # what does not fit is said
        assert any("too long for a link" in warning.value for warning in page.warning)
        assert name == "vectors of 64"


def archive(given: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **given)
    return buffer.getvalue()


def cells_of(text: str) -> bytes:
    code = {"cell_type": "code", "metadata": {}, "source": text, "outputs": []}
    return json.dumps({"cells": [code], "metadata": {}, "nbformat": 4}).encode()


FILES: Mapping[str, Callable[[Mapping[str, Any]], bytes]] = {
    "npz": archive,
    "py": lambda given: text_of(given).encode(),
    "ipynb": lambda given: cells_of(text_of(given)),
}


def uploaded(name: str, data: bytes, **query: str) -> AppTest:
    page = panel(**query)
    page.segmented_control(key="edit_how").set_value("upload a file").run()
    page.file_uploader(key="edit_file").upload(name, data).run()
    assert not page.exception
    return page


@pytest.mark.parametrize(("name", "kind"), paired(list(SETS), list(FILES)))
def test_by_file(name: str, kind: str) -> None:
    agree(used(uploaded(f"mine.{kind}", FILES[kind](SETS[name]), **SETTINGS), name), name)


@NAMES
def test_our_download_goes_back_in(name: str) -> None:
    goes_back_in(used(typed(panel(**SETTINGS), text_of(SETS[name])), name))


def goes_back_in(page: AppTest, **link: str) -> None:
    before = trace(page)
    same_run(taken(uploaded("attention.npz", npz(before), **SETTINGS, **link)), before)


def test_of_a_whole_model_a_layer_is_chosen() -> None:
    torch.manual_seed(1)
    model = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dtype=torch.float64), 2
    ).eval()
    data = save({name: a.detach().numpy() for name, a in model.state_dict().items()})
    page = uploaded("model.safetensors", data, **SETTINGS)
    select = page.selectbox(key="edit_layer")
    assert list(select.options) == ["layers.0.self_attn", "layers.1.self_attn"]
    select.set_value("layers.1.self_attn").run()
    page.number_input(key="edit_heads").set_value(2).run()
    assert not taken(page).error
    made = trace(page)
    layer = model.layers[1].self_attn
    X = torch.tensor(made["X"])[None]
    expected = layer(X, X, X, need_weights=False)[0][0]
    np.testing.assert_allclose(made["output"], expected.detach().numpy(), rtol=0, atol=1e-12)


def test_a_file_of_one_array_has_its_name() -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([[1.0, 2.0], [3.0, 4.0]]))
    page = taken(uploaded("W_O.npy", buffer.getvalue(), text="a b", d_model="2", heads="1"))
    assert trace(page)["W_O"].tolist() == [[1, 2], [3, 4]]


def test_a_download_that_starts_from_a_result_goes_back_in() -> None:
    link = {"text": "a b", "heads": "1"}
    goes_back_in(pasted(panel(**link, **SETTINGS), "scores = [[1, 2], [3, 4]]"), **link)
