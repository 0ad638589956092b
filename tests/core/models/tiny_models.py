"""Tiny random models of the real library, written as checkpoints and run by it.

The library takes seconds to import, and so it is imported when the first model is made.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import tokenizers.models
import tokenizers.pre_tokenizers
import torch

IDS = [3, 17, 5, 11, 5, 2, 29]
_KINDS = ("bert", "distilbert", "gpt2", "llama", "mistral", "qwen2", "qwen3", "roberta")
_MODULES = (
    "transformers.modeling_rope_utils",
    *(f"transformers.models.{kind}.modeling_{kind}" for kind in _KINDS),
)
_ROPE = {"rope_theta": 500.0, "rope_type": "default"}
LLAMA3: dict[str, Any] = {
    "rope_theta": 500.0, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 100,
}  # fmt: skip
"""Two pairs of seven turn as without scaling, two in between, and three 8 times more slowly."""
LINEAR: dict[str, Any] = {"rope_theta": 500.0, "rope_type": "linear", "factor": 2.5}
_LLAMA: dict[str, Any] = {
    "vocab_size": 31, "hidden_size": 36, "intermediate_size": 22, "num_hidden_layers": 2,
    "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 14,
    "max_position_embeddings": 40, "rope_parameters": _ROPE, "rms_norm_eps": 1e-3,
    "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0,
}  # fmt: skip
_GPT2: dict[str, Any] = {
    "vocab_size": 31, "n_embd": 15, "n_layer": 2, "n_head": 3, "n_positions": 11, "n_inner": 26,
    "bos_token_id": 0, "eos_token_id": 0, "layer_norm_epsilon": 1e-3,
}  # fmt: skip
_BERT: dict[str, Any] = {
    "vocab_size": 31, "hidden_size": 21, "num_hidden_layers": 2, "num_attention_heads": 3,
    "intermediate_size": 26, "max_position_embeddings": 11, "layer_norm_eps": 1e-3,
}  # fmt: skip
_ROBERTA = _BERT | {"type_vocab_size": 1, "pad_token_id": 1, "max_position_embeddings": 13}
_DISTILBERT: dict[str, Any] = {
    "vocab_size": 31, "dim": 21, "n_layers": 2, "n_heads": 3, "hidden_dim": 26,
    "max_position_embeddings": 11,
}  # fmt: skip
_MODELS = {
    "gpt2": ("GPT2", "LMHeadModel", _GPT2),
    "gpt2, bare, exact gelu": ("GPT2", "Model", _GPT2 | {"activation_function": "gelu"}),
    "gpt2, untied": ("GPT2", "LMHeadModel", _GPT2 | {"tie_word_embeddings": False}),
    "llama": ("Llama", "ForCausalLM", _LLAMA),
    "llama, tied, one head each": (
        "Llama", "ForCausalLM",
        _LLAMA | {"tie_word_embeddings": True, "num_key_value_heads": 6, "head_dim": None},
    ),
    "llama, biases": ("Llama", "ForCausalLM", _LLAMA | {"attention_bias": True, "mlp_bias": True}),
    "llama, scaled as Llama 3.1": (
        "Llama", "ForCausalLM",
        _LLAMA | {"rope_parameters": LLAMA3, "max_position_embeddings": 400},
    ),
    "llama, scaled evenly": ("Llama", "ForCausalLM", _LLAMA | {"rope_parameters": LINEAR}),
    "llama, without a head": ("Llama", "Model", _LLAMA),
    "mistral": ("Mistral", "ForCausalLM", _LLAMA | {"sliding_window": 9}),
    "qwen2": ("Qwen2", "ForCausalLM", {n: v for n, v in _LLAMA.items() if n != "head_dim"}),
    "qwen3": ("Qwen3", "ForCausalLM", _LLAMA),
    "qwen3, tied, scaled, one key head": (
        "Qwen3", "ForCausalLM",
        _LLAMA | {"tie_word_embeddings": True, "num_key_value_heads": 1}
        | {"rope_parameters": LINEAR, "attention_bias": True},
    ),
    "bert": ("Bert", "ForMaskedLM", _BERT),
    "bert, without a head": ("Bert", "Model", _BERT),
    "roberta": ("Roberta", "ForMaskedLM", _ROBERTA),
    "roberta, without a head": ("Roberta", "Model", _ROBERTA),
    "roberta, padding in the prompt": (
        "Roberta", "ForMaskedLM", _ROBERTA | {"pad_token_id": 5, "max_position_embeddings": 17},
    ),
    "distilbert": ("DistilBert", "ForMaskedLM", _DISTILBERT),
    "distilbert, without a head": ("DistilBert", "Model", _DISTILBERT),
}  # fmt: skip
MODELS = {n: (of + part, f"{of}Config", settings) for n, (of, part, settings) in _MODELS.items()}
"""A class and a configuration of the library, by what they are; sizes are all different."""


@dataclass(frozen=True)
class Reference:
    """What the library computed: weights (L, H, T, T), what goes into each layer's W_O (L, T, H·d),
    the rows that leave each layer (L, T, d_model), and probabilities (T, V) if it has them.
    """

    weights: np.ndarray
    contexts: np.ndarray
    outputs: np.ndarray
    probabilities: np.ndarray | None


@contextmanager
def in_float64() -> Iterator[None]:
    """Let the library's own lines compute in float64 where they ask for float32.

    Llama's norms, rotations and softmax do, whatever the model is in.
    """

    class Double(ModuleType):
        float32 = float = torch.float64

        def __getattr__(self, name: str) -> Any:
            return getattr(torch, name)

    patches = [patch.object(import_module(module), "torch", Double("torch")) for module in _MODULES]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


def made_checkpoint(name: str, folder: Path, dtype: str = "float32", seed: int = 7) -> Any:
    """Write a model as the library writes it, in half precision if asked; and return it."""
    model, files = _made(name, dtype, seed)
    folder.mkdir(parents=True, exist_ok=True)
    for file, data in files.items():
        (folder / file).write_bytes(data)
    return deepcopy(model)


@cache
def _made(name: str, dtype: str, seed: int) -> tuple[Any, dict[str, bytes]]:
    """A model, and its files by their names."""
    import transformers

    kind, config_kind, settings = MODELS[name]
    torch.manual_seed(seed)
    with in_float64():
        model = getattr(transformers, kind)(
            getattr(transformers, config_kind)(**settings, attn_implementation="eager")
        ).eval()
    with torch.no_grad(), TemporaryDirectory() as folder:
        for parameter in model.parameters():  # biases and gains too, none of them small
            parameter.normal_(0, 0.4)
        stored = deepcopy(model).to(getattr(torch, dtype))
        stored.save_pretrained(folder)
        # Frequencies are in no file: in the model they stay float64.
        model.load_state_dict(stored.state_dict())
        return model, {file.name: file.read_bytes() for file in Path(folder).iterdir()}


def with_normal_weights(model: Any) -> Any:
    """A model that does not train, with drawn numbers, none of them small."""
    torch.manual_seed(0)
    for parameter in model.eval().parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def near(found: Any, expected: Any, room: float = 1e-10) -> None:
    """Assert that all numbers are equal up to `room`."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=room)


def library_run(model: Any, ids: list[int], dtype: str = "float64") -> Reference:
    """Run the library's model in float32 or float64."""
    seen: list[np.ndarray] = []
    left: list[np.ndarray] = []

    def leaves(_: Any, given: Any, made: Any) -> None:
        left.append((made[0] if isinstance(made, tuple) else made).reshape(len(ids), -1).numpy())

    ends = (".attn.c_proj", ".o_proj", ".attention.output.dense", ".attention.out_lin")
    hooks = [
        part.register_forward_pre_hook(lambda _, given: seen.append(given[0][0].numpy()))
        for name, part in model.named_modules()
        if f".{name}".endswith(ends)
    ]
    hooks += [
        part.register_forward_hook(leaves)
        for name, part in model.named_modules()
        if re.search(r"\.(h|layers?)\.\d+$", f".{name}")
    ]
    model = model.double() if dtype == "float64" else model.float()
    with torch.no_grad(), in_float64() if dtype == "float64" else nullcontext():
        made = model(torch.tensor([ids]), output_attentions=True)
    for hook in hooks:
        hook.remove()
    logits = getattr(made, "logits", None)
    probabilities = None if logits is None else torch.softmax(logits[0], -1).numpy()
    weights = np.stack([layer[0].numpy() for layer in made.attentions])
    return Reference(weights, np.stack(seen), np.stack(left), probabilities)


WORDS = ("[MASK]", "the", "cat", "sat", "on", "mat", "dog", "ran", *(f"w{n}" for n in range(23)))
"""The vocabulary of a tiny model, by its numbers."""


def made_tokeniser(folder: Path, mask: str = WORDS[0]) -> None:
    """Write a tokeniser that cuts a text at its spaces; words that it does not have are w22."""
    words = (mask, *WORDS[1:])
    model = tokenizers.models.WordLevel({word: n for n, word in enumerate(words)}, words[-1])
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.save(str(folder / "tokenizer.json"))
