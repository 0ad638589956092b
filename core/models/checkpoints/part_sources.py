"""Which tensor of a checkpoint each part of a model is, and how it is kept there.

A `Linear` of PyTorch keeps the transpose of a matrix (outputs, inputs), and so does GGUF; GPT-2's
`Conv1D` keeps the matrix itself. GPT-2 keeps W_Q, W_K and W_V next to each other as one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from core.errors import input_error
from core.models.checkpoints.config import not_run_here, printable
from core.models.checkpoints.rope_settings import ROPE_DIVISORS
from core.models.checkpoints.stored_tensor import StoredTensor, check_tensor
from core.models.transformer.part_shapes import (
    JOINED,
    head_part_shapes,
    model_part_shapes,
)
from core.models.transformer.settings import BERT, GPT2, LLAMA, ModelSettings
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

Names = Mapping[str, str]
"""The stem of each part's tensor; `{l}` is the layer."""

_HUGGING_FACE: Mapping[str, Names] = {
    GPT2: {
        "tokens": "wte",
        "positions": "wpe",
        "norm_1": "h.{l}.ln_1",
        "QKV": "h.{l}.attn.c_attn",
        "O": "h.{l}.attn.c_proj",
        "norm_2": "h.{l}.ln_2",
        "up": "h.{l}.mlp.c_fc",
        "down": "h.{l}.mlp.c_proj",
        "last_norm": "ln_f",
        "U": "lm_head",
    },
    LLAMA: {
        "tokens": "embed_tokens",
        "norm_1": "layers.{l}.input_layernorm",
        **{n: f"layers.{{l}}.self_attn.{n.lower()}_proj" for n in "QKVO"},
        **{f"norm_{n}": f"layers.{{l}}.self_attn.{n.lower()}_norm" for n in "QK"},
        "norm_2": "layers.{l}.post_attention_layernorm",
        **{n: f"layers.{{l}}.mlp.{n}_proj" for n in ("gate", "up", "down")},
        "last_norm": "norm",
        "U": "lm_head",
    },
    BERT: {
        "tokens": "embeddings.word_embeddings",
        "positions": "embeddings.position_embeddings",
        "segments": "embeddings.token_type_embeddings",
        "norm_0": "embeddings.LayerNorm",
        "Q": "layer.{l}.attention.self.query",
        "K": "layer.{l}.attention.self.key",
        "V": "layer.{l}.attention.self.value",
        "O": "layer.{l}.attention.output.dense",
        "norm_1": "layer.{l}.attention.output.LayerNorm",
        "up": "layer.{l}.intermediate.dense",
        "down": "layer.{l}.output.dense",
        "norm_2": "layer.{l}.output.LayerNorm",
        "head": "cls.predictions.transform.dense",
        "head_norm": "cls.predictions.transform.LayerNorm",
        "U": "cls.predictions.decoder",
    },
}
_GGUF_USUAL: Names = {
    "tokens": "token_embd",
    "positions": "position_embd",
    "norm_1": "blk.{l}.attn_norm",
    **{n: f"blk.{{l}}.attn_{n.lower()}" for n in "QKV"},
    "QKV": "blk.{l}.attn_qkv",
    **{f"norm_{n}": f"blk.{{l}}.attn_{n.lower()}_norm" for n in "QK"},
    "O": "blk.{l}.attn_output",
    "norm_2": "blk.{l}.ffn_norm",
    **{n: f"blk.{{l}}.ffn_{n}" for n in ("gate", "up", "down")},
    "last_norm": "output_norm",
    "U": "output",
}
_GGUF: Mapping[str, Names] = {
    GPT2: {part: name for part, name in _GGUF_USUAL.items() if part not in {*"QKV"}},
    LLAMA: {part: name for part, name in _GGUF_USUAL.items() if part != "QKV"},
    BERT: {
        **{part: name for part, name in _GGUF_USUAL.items() if part not in ("QKV", "U")},
        "segments": "token_types",
        "norm_0": "token_embd_norm",
        "norm_1": "blk.{l}.attn_output_norm",
        "norm_2": "blk.{l}.layer_output_norm",
    },
}
_PREFIX = re.compile(r"^(?:(?:bert|distilbert|roberta)\.)?(?:(?:transformer|model|encoder)\.)?")
_OTHER_NAMES = {
    "LayerNorm.gamma": "LayerNorm.weight",
    "LayerNorm.beta": "LayerNorm.bias",
    "cls.predictions.bias": "cls.predictions.decoder.bias",
    # RoBERTa's
    "lm_head.dense": "cls.predictions.transform.dense",
    "lm_head.layer_norm": "cls.predictions.transform.LayerNorm",
    "lm_head.decoder": "cls.predictions.decoder",
    "lm_head.bias": "cls.predictions.decoder.bias",
    # DistilBERT's
    "attention.q_lin": "attention.self.query",
    "attention.k_lin": "attention.self.key",
    "attention.v_lin": "attention.self.value",
    "attention.out_lin": "attention.output.dense",
    "sa_layer_norm": "attention.output.LayerNorm",
    "ffn.lin1": "intermediate.dense",
    "ffn.lin2": "output.dense",
    "output_layer_norm": "output.LayerNorm",
    "vocab_transform": "cls.predictions.transform.dense",
    "vocab_layer_norm": "cls.predictions.transform.LayerNorm",
    "vocab_projector": "cls.predictions.decoder",
}
"""How some files call what BERT's call so."""
_NO_NUMBERS = re.compile(r"\.(?:attn\.(?:bias|masked_bias)|rotary_emb\.inv_freq)$")
"""Masks and frequencies that old files keep in a layer: they follow from the settings."""
_IN_A_LAYER = re.compile(r"^(?:h|layers?|blk)\.\d+\.|^rope_freqs")
"""Tensors that change what a layer computes, so that none may be left over."""
_UNEMBEDDING = "lm_head.weight"
"""A `Linear` also in GPT-2."""


@dataclass(frozen=True)
class PartSource:
    """A part's tensor: whether it is the transpose, and which third of the columns it is."""

    tensor: StoredTensor
    is_transposed: bool
    third: int | None = None

    @property
    def size(self) -> int:
        """How many numbers the part has."""
        return self.tensor.size // (1 if self.third is None else 3)

    def numbers(self) -> np.ndarray:
        """Read the part: a matrix as (inputs, outputs). Raises `InputError`."""
        found = self.tensor.numbers()
        found = found.T if self.is_transposed else found
        return found if self.third is None else np.split(found, 3, axis=-1)[self.third].copy()


def part_sources(
    tensors: Mapping[str, StoredTensor], settings: ModelSettings, is_gguf: bool
) -> tuple[dict[str, PartSource], bool]:
    """Return where each part of a model is, and whether it can give probabilities of tokens.

    Raises `InputError` for a tensor that is missing, has another shape, or is left over in a layer.
    """
    stored: dict[str, StoredTensor] = {}
    for name, tensor in tensors.items():
        if (plain := _plain_name(name)) in stored:
            raise input_error(TEXTS, "stored_twice", name=printable(plain))
        stored[plain] = tensor
    names = (_GGUF if is_gguf else _HUGGING_FACE)[settings.kind]
    keeps_itself = settings.kind == GPT2 and not is_gguf
    used = {ROPE_DIVISORS} if settings.rope else set()

    def source(part: str, shape: Shape) -> PartSource | None:
        at = _place(part, names)
        if at is None or (tensor := stored.get(at.name)) is None:
            return None
        used.add(at.name)
        turned = "W_" in part and (at.name == _UNEMBEDDING or not keeps_itself)
        columns = shape[-1] * (1 if at.third is None else 3)
        wanted = (columns, *shape[:-1]) if turned else (*shape[:-1], columns)
        check_tensor(tensor, wanted)
        return PartSource(tensor, turned, at.third)

    sources = {}
    for part, shape in model_part_shapes(settings).items():
        if (found := source(part, shape)) is None:
            raise input_error(TEXTS, "no_part", name=printable(_wanted_name(part, names)))
        sources[part] = found
    head = {part: source(part, shape) for part, shape in head_part_shapes(settings).items()}
    complete = {part: found for part, found in head.items() if found is not None}
    has_head = len(complete) == len(head)
    _check_left_over(stored.keys() - used)
    return {**sources, **(complete if has_head else {})}, has_head


@dataclass(frozen=True)
class _Place:
    """The name of a part's tensor, and which third of it the part is."""

    name: str
    third: int | None


def _place(part: str, names: Names) -> _Place | None:
    """Where a part is by these names; None if there is no such part by them."""
    layer, _, own = part.rpartition(".")
    kind, stem = own.split("_", 1)
    third = None
    if stem in JOINED and stem not in names:
        stem, third = JOINED, JOINED.index(stem)
    if stem not in names:
        return None
    ending = "bias" if kind == "b" else "weight"
    return _Place(f"{names[stem].format(l=layer)}.{ending}", third)


def _wanted_name(part: str, names: Names) -> str:
    at = _place(part, names)
    return at.name if at else part


def _plain_name(name: str) -> str:
    """A tensor's name without the path to the layers, and as most files spell it."""
    plain = _PREFIX.sub("", name)
    for old, new in _OTHER_NAMES.items():
        plain = plain.replace(old, new)
    return plain


def _check_left_over(names: Iterable[str]) -> None:
    for name in sorted(names):
        if _IN_A_LAYER.search(name) and not _NO_NUMBERS.search(name):
            raise not_run_here("left_over", name=printable(name))
