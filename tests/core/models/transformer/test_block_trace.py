"""A whole layer on the stage, and parts of its feed-forward net, beside the real library's."""

import math
from pathlib import Path

import numpy as np
import pytest

from core import explain
from core.models.transformer import block_trace as large
from core.models.transformer.block_trace import (
    attention_part_trace,
    block_trace,
    feed_forward_trace,
    fits_whole,
    strongest_units,
)
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from core.models.transformer.numpy_parts import heads_side_by_side
from stage.document.document import document
from tests.by_torch import torch_steps
from tests.core.models.support import TOKENS, opened_model
from tests.core.models.tiny_models import IDS, MODELS, library_run, near
from tests.core.support import refuses
from tests.quotes import proves
from tests.sampling import paired, some

ROOM = {"float32": 1e-5, "float64": 1e-10}
EVERY, ROOMS = list(MODELS), list(ROOM)


@pytest.fixture(params=["gpt2", "llama", "qwen3", "bert"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def model(kind: str, tmp_path: Path) -> TransformerModel:
    return opened_model(kind, tmp_path)[0]


@pytest.mark.parametrize(("name", "dtype"), paired(some(EVERY, 2), ROOMS))
def test_every_layer_on_the_stage_is_the_librarys(tmp_path: Path, name: str, dtype: str) -> None:
    model, made = opened_model(name, tmp_path, dtype)
    theirs, room = library_run(made, IDS, dtype), ROOM[dtype]
    layers = zip(model.run(IDS), theirs.weights, theirs.contexts, theirs.outputs, strict=True)
    for made, weights, read, left in layers:
        trace = block_trace(model, made, TOKENS)
        near(trace["weights"], weights, room)
        near(trace["concat"], read, room)
        near(trace["H"], left, room * max(1, np.abs(left).max()))
        near(trace["X"], made.X, room)
        near(trace["concat"], heads_side_by_side(made.context), room)
        near(trace["Z"], made.Z, room)
        near(trace["H"], made.output, room * max(1, np.abs(left).max()))
        assert trace.program.last == "H"
        near(feed_forward_trace(model, made, TOKENS)["H"], left, room * max(1, np.abs(left).max()))


@proves("""
    The layer adds the outputs of its heads to the incoming rows | Then a feed-forward net adds to
    each row separately
""")
def test_every_step_of_a_layer_is_pytorchs(model: TransformerModel) -> None:
    trace = block_trace(model, next(model.run(IDS)), TOKENS)
    for array, theirs in torch_steps(trace).items():
        near(trace[array], theirs, 1e-11)


def test_some_units_are_shown_and_the_others_are_one_sum(tmp_path: Path, kind: str) -> None:
    model, made = opened_model(kind, tmp_path)
    theirs = library_run(made, IDS)
    *_, last = model.run(IDS)
    units = [4, 1, 11]
    whole = block_trace(model, last, TOKENS)
    for trace in (
        block_trace(model, last, TOKENS, units=units),
        feed_forward_trace(model, last, TOKENS, units=units),
    ):
        near(trace["H"], theirs.outputs[-1], 1e-9)
        near(trace["units"], whole["units"][:, sorted(units)])
        near(trace["net"], whole["down"])
        assert "unit 12" in explain(trace, "units", (0, 2)).words
    assert np.abs(trace["others"]).min() > 0


@pytest.mark.parametrize(("name", "dtype"), paired(some(EVERY, 2, first=1), ROOMS))
def test_a_head_and_the_others_sum_are_the_librarys(tmp_path: Path, name: str, dtype: str) -> None:
    model, theirs = opened_model(name, tmp_path, dtype)
    for made, weights in zip(model.run(IDS), library_run(theirs, IDS, dtype).weights, strict=True):
        whole = block_trace(model, made, TOKENS)
        for head in range(model.settings.n_heads):
            trace = attention_part_trace(model, made, head, TOKENS)
            near(trace["weights"][0], weights[head], ROOM[dtype])
            for ours, all_of in (("all_heads", "attn"), ("Z", "Z")):
                near(trace[ours], whole[all_of], ROOM[dtype] * max(1, np.abs(whole[all_of]).max()))
            assert trace.program.last == "Z"


def test_a_head_that_is_switched_off_adds_nothing_to_its_layer(model: TransformerModel) -> None:
    off = ModelChanges(heads_off=frozenset({(0, 1)}))
    layer = next(model.run(IDS, off))
    for head in range(3):
        near(attention_part_trace(model, layer, head, TOKENS, off)["Z"], layer.Z)
    refuses("no head", attention_part_trace, model, layer, 64, TOKENS)


def test_every_step_of_the_first_half_is_pytorchs_and_is_explained(model: TransformerModel) -> None:
    trace = attention_part_trace(model, next(model.run(IDS)), 2, TOKENS)
    for array, theirs in torch_steps(trace).items():
        near(trace[array], theirs, 1e-11)
    assert "other heads" in explain(trace, "other_heads", (0, 0)).words
    assert set(document(trace, ("Z", (0, 0)))["arrays"]) == set(trace)


def test_the_net_of_one_token_is_its_row_of_all(model: TransformerModel) -> None:
    layer = next(model.run(IDS))
    every, one = (feed_forward_trace(model, layer, TOKENS, token) for token in (None, 5))
    for array in every.steps:
        near(one[array], every[array][5:6])
    assert one.tokens == ("t5",)
    refuses("no token 7; the 7 tokens", feed_forward_trace, model, layer, TOKENS, 7)


@proves("The stage shows the {units} units that add most")
def test_the_strongest_units_add_the_longest_rows(model: TransformerModel) -> None:
    layer = next(model.run(IDS))
    trace = block_trace(model, layer, TOKENS)
    units, W_down = trace["units"], trace["W_down"]
    lengths = []
    for n in range(units.shape[1]):  # a plain loop
        parts = [math.dist(units[i, n] * W_down[n], 0 * W_down[n]) for i in range(len(IDS))]
        lengths.append(max(parts))
    found = strongest_units(model, 0, layer.Z, 5)
    assert found == sorted(sorted(range(len(lengths)), key=lengths.__getitem__)[-5:])


@pytest.mark.parametrize(
    "changes",
    [
        ModelChanges(heads_off=frozenset({(0, 1), (1, 2)})),
        ModelChanges(mask=False),
        ModelChanges(scale=False),
    ],
)
def test_a_changed_layer_is_its_own_runs(model: TransformerModel, changes: ModelChanges) -> None:
    before = [layer.output for layer in model.run(IDS)]
    for layer in model.run(IDS, changes):
        trace = block_trace(model, layer, TOKENS, changes)
        near(trace["H"], layer.output)
        near(trace["weights"], layer.weights)
        if changes.mask or model.settings.is_causal:
            assert np.abs(trace["H"] - before[layer.layer]).max() > 1e-3


def test_a_layer_says_what_each_cell_is_and_is_drawn(model: TransformerModel, kind: str) -> None:
    trace = block_trace(model, next(model.run(IDS)), TOKENS, UNCHANGED)
    titles = [phase.title for phase in trace.program.phases]
    norm = "RMSNorm" if kind in ("llama", "qwen3") else "Layer norm"
    assert titles[0] == "Rows that come in"
    if kind == "bert":
        assert [titles[1], titles[3], titles[-1]] == ["Attention", norm, norm]
    else:
        assert [titles[1], titles[2], titles[-1]] == [norm, "Attention", "Add the input again"]
    for array, values in trace.items():
        explained = explain(trace, array, (0,) * values.ndim)
        assert explained.words
        assert explained.plain
    assert set(document(trace, ("H", (0, 0)))["arrays"]) == set(trace)


def test_a_large_layer_shows_its_strongest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = opened_model("gpt2", tmp_path)
    layer = next(model.run(IDS))
    numbers = sum(values.size for values in block_trace(model, layer, TOKENS).values())
    monkeypatch.setattr(large, "STRONGEST", 3)
    monkeypatch.setattr(large, "MOST_NUMBERS", numbers)
    assert "others" not in block_trace(model, layer, TOKENS)
    monkeypatch.setattr(large, "MOST_NUMBERS", numbers - 1)
    some = block_trace(model, layer, TOKENS)
    assert some["units"].shape == (len(IDS), 3)
    assert list(some.labels["f"]) == [str(n + 1) for n in strongest_units(model, 0, layer.Z, 3)]
    near(some["H"], layer.output)
    least = sum(values.size for values in some.values())
    monkeypatch.setattr(large, "MOST_NUMBERS", least)
    block_trace(model, layer, TOKENS)
    assert fits_whole(model, len(TOKENS))
    refuses("between 1 and 3 units", block_trace, model, layer, TOKENS, units=[0, 1, 2, 3])
    monkeypatch.setattr(large, "MOST_NUMBERS", least - 1)
    assert not fits_whole(model, len(TOKENS))
    refuses("open one of its heads", block_trace, model, layer, TOKENS)
    assert "others" not in feed_forward_trace(model, layer, TOKENS)
    monkeypatch.setattr(large, "MOST_NUMBERS", 300)
    refuses("open it for one token", feed_forward_trace, model, layer, TOKENS)
    assert feed_forward_trace(model, layer, TOKENS, 0)["units"].shape == (1, 3)


def test_units_that_there_are_not_are_refused(tmp_path: Path) -> None:
    model, _ = opened_model("gpt2", tmp_path)
    layer = next(model.run(IDS))
    for units, said in (([26], "no unit 26"), ([-1], "no unit -1"), ([], "0 units")):
        refuses(said, block_trace, model, layer, TOKENS, units=units)
