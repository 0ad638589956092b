"""Our runs of tiny random models, and their heads on the stage, beside the real library's."""

from pathlib import Path

import numpy as np
import pytest

from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer.changes import ModelChanges
from core.models.transformer.head_trace import head_trace
from core.models.transformer.model import TransformerModel
from core.models.transformer.numpy_parts import heads_side_by_side
from tests.core.models.support import TOKENS, opened_model, stored
from tests.core.models.tiny_models import IDS, MODELS, library_run, made_checkpoint, near
from tests.core.support import refuses
from tests.sampling import paired

ROOM = {"float32": 1e-5, "float64": 1e-10}


@pytest.mark.parametrize(("name", "dtype"), paired(list(MODELS), list(ROOM)))
def test_every_head_on_the_stage_is_the_librarys(tmp_path: Path, name: str, dtype: str) -> None:
    model, made = opened_model(name, tmp_path, dtype)
    theirs, room = library_run(made, IDS, dtype), ROOM[dtype]
    layers = list(model.run(IDS))
    assert layers[0].X.dtype == dtype
    for made, weights, read in zip(layers, theirs.weights, theirs.contexts, strict=True):
        near(made.weights, weights, room)
        near(heads_side_by_side(made.context), read, room)
        parts = np.zeros(())
        for head in range(model.settings.n_heads):
            trace = head_trace(model, made, head, TOKENS)
            near(trace["weights"][0], weights[head], room)
            own = slice(head * model.settings.d_head, (head + 1) * model.settings.d_head)
            near(trace["context"][0], read[:, own], room)
            parts = parts + trace["output"]
        near(parts, read.astype(np.float64) @ model.part(f"{made.layer}.W_O"), room)
    found = model.probabilities(layers[-1].output)
    assert (found is None) == (theirs.probabilities is None) or name == "gpt2, bare, exact gelu"
    if theirs.probabilities is not None:
        near(found, theirs.probabilities, room)


@pytest.mark.parametrize(
    ("name", "kind"), paired(["gpt2", "llama", "bert"], ["float16", "bfloat16"])
)
def test_half_precision_is_read_exactly(tmp_path: Path, name: str, kind: str) -> None:
    theirs = library_run(made_checkpoint(name, tmp_path, kind), IDS)
    *_, last = TransformerModel(open_checkpoint(tmp_path), "float64").run(IDS)
    near(last.weights, theirs.weights[-1])


def test_a_head_that_is_off_adds_nothing_and_the_others_are_the_librarys(tmp_path: Path) -> None:
    model, theirs = opened_model("gpt2", tmp_path)
    off = ModelChanges(heads_off=frozenset({(0, 1), (1, 2)}))
    *_, last = model.run(IDS, off)
    d = model.settings.d_head
    for layer, head in off.heads_off:  # with these rows of W_O at 0 the library ignores the head
        theirs.transformer.h[layer].attn.c_proj.weight.data[head * d : (head + 1) * d] = 0
    near(model.probabilities(last.output), library_run(theirs, IDS).probabilities)
    assert not last.context[2].any()
    assert last.context[0].any()


def test_without_the_scale_queries_are_as_if_they_were_longer(tmp_path: Path) -> None:
    model, theirs = opened_model("llama", tmp_path)
    changes = ModelChanges(scale=False)
    layers = list(model.run(IDS, changes))
    for block in theirs.model.layers:
        block.self_attn.scaling = 1.0
    for made, weights in zip(layers, library_run(theirs, IDS).weights, strict=True):
        near(made.weights, weights)
        near(head_trace(model, made, 3, TOKENS, changes)["weights"][0], weights[3])


def test_without_the_mask_every_token_reads_every_other(tmp_path: Path) -> None:
    model, _ = opened_model("gpt2", tmp_path)
    changes = ModelChanges(mask=False)
    for made in model.run(IDS, changes):
        Q, K = made.Q, made.K
        for h in range(len(Q)):  # a plain loop
            for i in range(len(IDS)):
                powers = np.exp(K[h] @ Q[h, i] / np.sqrt(Q.shape[-1]))
                np.testing.assert_allclose(made.weights[h, i], powers / powers.sum(), atol=1e-12)
        trace = head_trace(model, made, 1, TOKENS, changes)
        np.testing.assert_allclose(trace["weights"][0], made.weights[1], atol=1e-12)
        assert trace["mask"].all()


def test_layers_come_one_by_one_and_parts_are_read_when_they_are_needed(tmp_path: Path) -> None:
    model, _ = opened_model("gpt2", tmp_path)
    run = model.run(IDS)
    assert not model._parts
    next(run)
    assert not any(name.startswith("1.") for name in model._parts)
    run.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ids", "said"), [([], "0 tokens"), ([1] * 12, "1 to 11"), ([31], "31"), ([-1], "-1")]
)
def test_unreadable_ids_are_refused_before_a_run(tmp_path: Path, ids: list[int], said: str) -> None:
    model, _ = opened_model("gpt2", tmp_path)
    refuses(said, model.run, ids)
    assert not model._parts


def test_a_head_that_there_is_not_is_refused(tmp_path: Path) -> None:
    model, _ = opened_model("gpt2", tmp_path)
    for place in ((2, 0), (0, 3), (-1, 0), (0, -1)):
        refuses("2 layers of 3 heads", model.run, IDS, ModelChanges(heads_off=frozenset({place})))
    made = next(model.run(IDS))
    for head in (3, -1):
        refuses("2 layers of 3 heads", head_trace, model, made, head, TOKENS)


def test_a_model_beyond_the_memory_is_refused_with_both_sizes(tmp_path: Path) -> None:
    theirs = made_checkpoint("gpt2", tmp_path)
    checkpoint = open_checkpoint(tmp_path)
    count = checkpoint.size
    assert count == sum(parameter.numel() for parameter in theirs.parameters())
    TransformerModel(checkpoint, "float64", most_bytes=8 * count)
    refuses("GB", TransformerModel, checkpoint, "float64", most_bytes=8 * count - 1)


def test_numbers_that_overflow_are_said_and_not_carried_on(tmp_path: Path) -> None:
    def enlarged(tensors: dict[str, np.ndarray]) -> None:
        for name in ("transformer.h.0.mlp.c_fc.weight", "transformer.h.0.mlp.c_proj.weight"):
            signs = np.where(np.arange(tensors[name].shape[1]) % 2, -1, 1)
            tensors[name] = (1e30 * signs + 0 * tensors[name]).astype(np.float32)

    made_checkpoint("gpt2", tmp_path)
    stored(tmp_path, enlarged)
    refuses(r"layer 1 \(index 0\)", list, TransformerModel(open_checkpoint(tmp_path)).run(IDS))
