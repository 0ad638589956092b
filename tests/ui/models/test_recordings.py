"""Recordings on the page of models: their maps, their windows, a visitor's own file."""

import gc
import json
import struct
import tracemalloc
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save, save_file
from streamlit.testing.v1 import AppTest
from torch.nn.functional import scaled_dot_product_attention

from core.models import Recording, capture, open_recording
from core.models.recorded.recording import WINDOW
from core.models.recorded.recording_file import recording_of_bytes
from tests.quotes import proves
from tests.ui.models.conftest import ran, said, stage_weights, visited
from tests.ui.support import opened, stage, told
from ui.server.uploads import RECORDING_FILE

H, T, S, LONG, D = 3, 5, 7, 300, 4
TOKENS = ["The", " cat", "<b>", "猫", "$x$"]
FILE = "run.safetensors"


def recorded(path: Path, *sizes: tuple[int, int, bool], **asked: Any) -> Recording:
    """A call for each number of queries and keys, causal or not."""
    draw = torch.Generator().manual_seed(0)
    with capture(path, **asked):
        for queries, keys, causal in sizes:
            Q, K, V = (torch.randn(1, H, n, D, generator=draw) for n in (queries, keys, keys))
            scaled_dot_product_attention(3 * Q, K, V, is_causal=causal)
    return open_recording(path)


@pytest.fixture
def folder(tmp_path: Path, offered: Any) -> Path:
    """What is written there before the page opens is offered."""
    offered(tmp_path)
    return tmp_path


def shows(page: AppTest, recording: Recording, call: int, head: int) -> None:
    """The stage has the weights of that head, and its line its name."""
    weights = recording.calls[call]["weights"][head]
    np.testing.assert_allclose(stage_weights(page), weights, atol=0.00501)
    name = recording.calls[call].name
    line = f"call {call + 1}, head {head + 1} :gray[(index {call}, {head})], {name}"
    assert f"**On the stage:** {line}" in said(page)


@proves("""
    The recording has {calls} You see {shown} of {calls} attention calls, each with {heads} | call
    {call}, head {head} [(index {call_index}, {head_index})], {name}
""")
def test_a_recording_opens_with_its_heads(folder: Path) -> None:
    made = recorded(folder / FILE, (T, T, True), (T, T, False), tokens=TOKENS)
    page = visited(model=FILE)
    assert "The recording has 2 attention calls, each with 3 heads." in said(page)
    shows(page, made, 0, 0)
    assert stage(page).labels("weights")[0] == ["The", "␣cat", "<b>", "猫", "$x$"]
    assert not page.text_input
    shows(visited(model=FILE, model_place="2.3"), made, 1, 2)
    shows(visited(model=FILE, model_place="7.9"), made, 0, 0)


@proves("{calls}: {heads}, {queries}, {keys}")
def test_calls_of_several_shapes_are_chosen_by_their_shape(folder: Path) -> None:
    sizes = ((T, T, True), (T, S, False), (T, T, True), (S, T, False))
    made = recorded(folder / FILE, *sizes)
    page = visited(model=FILE)
    options = page.selectbox(key="model_shape").options
    assert options == [
        "2 calls: 3 heads, 5 queries, 5 keys",
        "1 call: 3 heads, 5 queries, 7 keys",
        "1 call: 3 heads, 7 queries, 5 keys",
    ]
    page.selectbox(key="model_shape").set_value(2).run()
    assert page.query_params["model_shape"] == "2"
    assert "You see 1 of 4 attention calls, with 3 heads." in said(page)
    shows(page, made, 1, 0)
    shows(visited(model=FILE, model_shape="3", model_place="1.2"), made, 3, 1)
    shows(visited(model=FILE, model_place="2.1"), made, 2, 0)
    recorded(folder / "small.safetensors", (T, T, True))
    page = visited(model=FILE, model_shape="9")
    assert page.session_state.model_shape == 3
    shows(page, made, 3, 0)


def test_the_maps_are_the_weights_of_every_head(folder: Path) -> None:
    made = recorded(folder / FILE, (T, T, True), (T, T, False))
    (small,) = [one["news"]["small"] for one in told(visited(model=FILE), "attention_told")
                if "small" in one["news"]]  # fmt: skip
    assert (small["layers"], small["heads"]) == (2, H)
    assert small["names"] == [call.name for call in made.calls]
    assert small["queries"] == [f"t{n + 1}" for n in range(T)]


@proves("so the stage shows only the queries {first} to {last}")
@pytest.mark.parametrize("first", [0, 64, 200, 236])
def test_of_a_long_text_a_window_is_shown(folder: Path, first: int) -> None:
    """Its first query is counted from 1, as the names t1, t2, … of the queries are."""
    made = recorded(folder / FILE, (LONG, LONG, True))
    page = visited(model=FILE, model_first=str(first + 1))
    assert page.number_input(key="model_first").label == "First query on the stage"
    assert f"the stage shows only the queries *t{first + 1}* to *t{first + WINDOW}*." in said(page)
    shown = made.trace(0, 0, first)["weights"][0]
    assert shown.shape == (WINDOW, first + WINDOW)
    assert stage(page).labels("weights")[0][0] == f"t{first + 1}"
    np.testing.assert_allclose(
        shown, made.calls[0]["weights"][0, first : first + WINDOW, : first + WINDOW], atol=1e-6
    )


def test_a_window_ends_with_the_text_and_begins_with_its_first_query(folder: Path) -> None:
    recorded(folder / FILE, (LONG, LONG, True))
    page = visited(model=FILE, model_first="1000")
    assert page.session_state.model_first == LONG - WINDOW + 1
    assert f"*t{LONG - WINDOW + 1}* to *t{LONG}*." in said(page)
    page.number_input(key="model_first").set_value(3).run()
    assert "*t3* to *t66*." in said(page)
    page = visited(model=FILE, model_first="0")
    assert "model_first" in said(page)
    assert f"*t1* to *t{WINDOW}*." in said(page)


@pytest.mark.usefixtures("models")
def test_an_upload_is_shown_until_it_is_removed_or_something_is_chosen(tmp_path: Path) -> None:
    made = recorded(tmp_path / FILE, (T, S, False))
    page = visited(model="gpt2", model_text="the cat")
    yours = "This is your recording “<b>mine.safetensors”."

    def upload() -> None:
        page.file_uploader[0].upload("<b>mine.safetensors", (tmp_path / FILE).read_bytes()).run()
        assert yours in said(page)

    upload()
    shows(page, made, 0, 0)
    page.file_uploader[0].set_value(None).run()
    assert "gpt2: 2 layers" in said(ran(page))
    upload()
    kept = ref(page.session_state.model_recording[1].recording)
    page.button(key="model_file_out").click().run()
    assert "gpt2: 2 layers" in said(ran(page))
    gc.collect()
    assert kept() is None
    assert yours not in said(page)
    upload()
    ran(page.selectbox(key="model").select("llama").run())
    assert yours not in said(page)
    assert "llama: 2 layers" in said(page)


def test_a_recording_is_in_memory_once(tmp_path: Path) -> None:
    recorded(tmp_path / FILE, *[(LONG, LONG, True)] * 3)
    data = (tmp_path / FILE).read_bytes()
    assert 2e6 < len(data) < RECORDING_FILE * 2**20
    gc.collect()
    tracemalloc.start()
    try:
        made = recording_of_bytes(data, FILE)
        assert tracemalloc.get_traced_memory()[0] < len(data) / 100
    finally:
        tracemalloc.stop()
    for call, expected in zip(made.calls, open_recording(tmp_path / FILE).calls, strict=True):
        for name in ("Q", "V", "weights"):
            np.testing.assert_array_equal(call[name], expected[name])


@proves("""
    Choose a file of up to {most} MB here. A larger file opens from a folder that the server offers
""")
@pytest.mark.usefixtures("models")
def test_the_fold_says_how_large_a_file_may_be_and_where_larger_ones_go(model_folder: Path) -> None:
    text = said(visited(model="gpt2", model_text="the cat"))
    assert f"up to {RECORDING_FILE} MB" in text
    assert f"“{model_folder.name}”" in text
    assert str(model_folder.parent) not in text
    assert "`ATTENTION_MODELS=/path/to/folder make run`" in text


HOSTILE = {
    "empty": b"",
    "a pickle": b"\x80\x04\x95}q\x00.",
    "a picture": b"\xff\xd8\xff\xe0\x00\x10JFIF" * 9,
    "a long header": struct.pack("<Q", 2**62) + b"{}",
    "no recording": struct.pack("<Q", 2) + b"{}",
    "html": b"<script>alert(1)</script>" * 9,
    "weights of a model": save({"weight": np.zeros((3, 3), np.float32)}),
}


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_is_none_is_said_beside_its_field_and_nothing_is_lost(kind: str) -> None:
    page = visited(model="gpt2", model_text="the cat")
    page.file_uploader[0].upload("x.safetensors", HOSTILE[kind]).run()
    assert not page.exception
    fold = next(one for one in page.expander if one.label == "Open a recording of your own model")
    (error,) = page.error
    assert [one.value for one in fold.error] == [error.value]
    assert "x.safetensors is not a recording; a recording must be a file that" in said(page)
    assert "run your model inside capture" in said(page)
    assert "gpt2: 2 layers" in said(page)
    assert stage(page).labels("weights")[0] == ["the", "cat"]


def test_numbers_that_no_weights_are_are_said(folder: Path) -> None:
    """They are read only when they are shown."""
    recorded(folder / FILE, (T, T, True))
    arrays = load_file(folder / FILE)
    name = next(name for name in arrays if name.endswith("weights"))
    data = (folder / FILE).read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    for wrong in (np.nan, 7.0):
        arrays[name] = np.full_like(arrays[name], wrong)
        save_file(arrays, folder / FILE, header)
        page = opened("models", model=FILE)
        assert not page.exception
        (error,) = page.error
        assert "weights" in error.value
        assert page.file_uploader
