"""A whole layer on the stage, and parts of its feed-forward net, beside the real library's."""

import math
from pathlib import Path

import numpy as np
import pytest

from core import explain
from core.errors import InputError
from core.models.checkpoints.opening import open_checkpoint
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
from core.pytorch.steps import torch_steps
from stage.document import document
from tests.core.models.tiny_models import IDS, MODELS, library_run, made_checkpoint, near
from tests.sampling import paired, some

ROOM = {"float32": 1e-5, "float64": 1e-10}
EVERY, ROOMS = list(MODELS), list(ROOM)
TOKENS = [f"t{n}" for n in range(len(IDS))]
KINDS = pytest.mark.parametrize("name", ["gpt2", "llama", "qwen3", "bert"])


def opened(name: str, folder: Path, dtype: str = "float64") -> TransformerModel:
    made_checkpoint(name, folder)
    return TransformerModel(open_checkpoint(folder), dtype)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "dtype"), paired(some(EVERY, 2), ROOMS))
def test_every_layer_on_the_stage_is_the_librarys(tmp_path: Path, name: str, dtype: str) -> None:
    theirs = library_run(made_checkpoint(name, tmp_path), IDS, dtype)
    model = TransformerModel(open_checkpoint(tmp_path), dtype)  # type: ignore[arg-type]
    room = ROOM[dtype]
    for made, weights, read, left in zip(
        model.run(IDS), theirs.weights, theirs.contexts, theirs.outputs, strict=True
    ):
        trace = block_trace(model, made, TOKENS)
        near(trace["weights"], weights, room)
        near(trace["concat"], read, room)
        near(trace["H"], left, room * max(1, np.abs(left).max()))
        near(trace["X"], made.X, room)
        near(trace["concat"], heads_side_by_side(made.context), room)
        near(trace["Z"], made.Z, room)
        near(trace["H"], made.output, room * max(1, np.abs(left).max()))
        assert trace.program.last == "H"
        net = feed_forward_trace(model, made, TOKENS)
        near(net["H"], left, room * max(1, np.abs(left).max()))


@KINDS
def test_every_step_of_a_layer_is_pytorchs(tmp_path: Path, name: str) -> None:
    model = opened(name, tmp_path)
    trace = block_trace(model, next(model.run(IDS)), TOKENS)
    for array, theirs in torch_steps(trace).items():
        near(trace[array], theirs, 1e-11)


@KINDS
def test_some_units_are_shown_and_the_others_are_one_sum(tmp_path: Path, name: str) -> None:
    theirs = library_run(made_checkpoint(name, tmp_path), IDS)
    model = TransformerModel(open_checkpoint(tmp_path), "float64")
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
def test_one_head_with_the_sum_of_the_others_is_the_librarys_attention(
    tmp_path: Path, name: str, dtype: str
) -> None:
    theirs = library_run(made_checkpoint(name, tmp_path), IDS, dtype)
    model = TransformerModel(open_checkpoint(tmp_path), dtype)  # type: ignore[arg-type]
    for made, weights in zip(model.run(IDS), theirs.weights, strict=True):
        whole = block_trace(model, made, TOKENS)
        for head in range(model.settings.n_heads):
            trace = attention_part_trace(model, made, head, TOKENS)
            near(trace["weights"][0], weights[head], ROOM[dtype])
            near(
                trace["all_heads"], whole["attn"], ROOM[dtype] * max(1, np.abs(whole["attn"]).max())
            )
            near(trace["Z"], whole["Z"], ROOM[dtype] * max(1, np.abs(whole["Z"]).max()))
            assert trace.program.last == "Z"


@KINDS
def test_a_head_that_is_switched_off_adds_nothing_to_its_layer(tmp_path: Path, name: str) -> None:
    model, off = opened(name, tmp_path), ModelChanges(heads_off=frozenset({(0, 1)}))
    layer = next(model.run(IDS, off))
    for head in range(3):
        near(attention_part_trace(model, layer, head, TOKENS, off)["Z"], layer.Z)
    with pytest.raises(InputError, match="no head"):
        attention_part_trace(model, layer, 64, TOKENS)


@KINDS
def test_every_step_of_the_first_half_is_pytorchs_and_is_explained(
    tmp_path: Path, name: str
) -> None:
    model = opened(name, tmp_path)
    trace = attention_part_trace(model, next(model.run(IDS)), 2, TOKENS)
    for array, theirs in torch_steps(trace).items():
        near(trace[array], theirs, 1e-11)
    assert "other heads" in explain(trace, "other_heads", (0, 0)).words
    assert set(document(trace, ("Z", (0, 0)))["arrays"]) == set(trace)


@KINDS
def test_the_net_of_one_token_is_its_row_of_all(tmp_path: Path, name: str) -> None:
    model = opened(name, tmp_path)
    layer = next(model.run(IDS))
    every, one = (
        feed_forward_trace(model, layer, TOKENS),
        feed_forward_trace(model, layer, TOKENS, 5),
    )
    for array in every.steps:
        near(one[array], every[array][5:6])
    assert one.tokens == ("t5",)
    with pytest.raises(InputError, match="no token 7; the 7 tokens"):
        feed_forward_trace(model, layer, TOKENS, 7)


@KINDS
def test_the_strongest_units_add_the_longest_rows(tmp_path: Path, name: str) -> None:
    model = opened(name, tmp_path)
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
@KINDS
def test_a_changed_layer_is_that_of_the_changed_run(
    tmp_path: Path, name: str, changes: ModelChanges
) -> None:
    model = opened(name, tmp_path)
    before = [layer.output for layer in model.run(IDS)]
    for layer in model.run(IDS, changes):
        trace = block_trace(model, layer, TOKENS, changes)
        near(trace["H"], layer.output)
        near(trace["weights"], layer.weights)
        if changes.mask or model.settings.is_causal:
            assert np.abs(trace["H"] - before[layer.layer]).max() > 1e-3


@KINDS
def test_a_layer_says_what_each_of_its_cells_is_and_is_drawn(tmp_path: Path, name: str) -> None:
    model = opened(name, tmp_path)
    trace = block_trace(model, next(model.run(IDS)), TOKENS, UNCHANGED)
    titles = [phase.title for phase in trace.program.phases]
    norm = "RMSNorm" if name in ("llama", "qwen3") else "Layer norm"
    assert titles[0] == "Rows that come in"
    if name == "bert":
        assert [titles[1], titles[3], titles[-1]] == ["Attention", norm, norm]
    else:
        assert [titles[1], titles[2], titles[-1]] == [norm, "Attention", "Add the input again"]
    for array, values in trace.items():
        explained = explain(trace, array, (0,) * values.ndim)
        assert explained.words
        assert explained.plain
    assert set(document(trace, ("H", (0, 0)))["arrays"]) == set(trace)


def test_a_large_layer_shows_its_strongest_units_or_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened("gpt2", tmp_path)
    layer = next(model.run(IDS))
    whole = block_trace(model, layer, TOKENS)
    numbers = sum(values.size for values in whole.values())
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
    with pytest.raises(InputError, match="between 1 and 3 units"):
        block_trace(model, layer, TOKENS, units=[0, 1, 2, 3])
    monkeypatch.setattr(large, "MOST_NUMBERS", least - 1)
    assert not fits_whole(model, len(TOKENS))
    with pytest.raises(InputError, match="open one of its heads"):
        block_trace(model, layer, TOKENS)
    assert "others" not in feed_forward_trace(model, layer, TOKENS)
    monkeypatch.setattr(large, "MOST_NUMBERS", 300)
    with pytest.raises(InputError, match="open it for one token"):
        feed_forward_trace(model, layer, TOKENS)
    assert feed_forward_trace(model, layer, TOKENS, 0)["units"].shape == (1, 3)


@pytest.mark.parametrize(
    ("units", "said"), [([26], "no unit 26"), ([-1], "no unit -1"), ([], "0 units")]
)
def test_units_that_there_are_not_are_refused(tmp_path: Path, units: list[int], said: str) -> None:
    model = opened("gpt2", tmp_path)
    layer = next(model.run(IDS))
    with pytest.raises(InputError, match=said):
        block_trace(model, layer, TOKENS, units=units)
