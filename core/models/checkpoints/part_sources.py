"""Which tensor of a checkpoint each part of a model is, and how it is kept there.

The first letter of a part says what it is: a table E whose rows are looked up, a matrix W, a bias
b, or the gain g of a norm. A matrix is (inputs, outputs): rows are multiplied from the left, X W.
Parts of layer 3 begin with "3.".

A `Linear` of PyTorch keeps the transpose of a matrix (outputs, inputs), and so does GGUF; GPT-2's
`Conv1D` keeps the matrix itself. GPT-2 keeps W_Q, W_K and W_V next to each other as one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.errors import input_error
from core.models.checkpoints.config import not_run_here, printable
from core.models.checkpoints.model_families import (
    CONFIG_WEIGHTS,
    GGUF_WEIGHTS,
    OTHER_NAMES,
    Spellings,
)
from core.models.checkpoints.model_settings import ROPE_DIVISORS
from core.models.checkpoints.stored_tensor import StoredTensor, check_tensor
from core.models.transformer.settings import BERT, GPT2, LLAMA, ModelSettings
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

_JOINED = "QKV"
_PREFIX = re.compile(r"^(?:(?:bert|distilbert|roberta)\.)?(?:(?:transformer|model|encoder)\.)?")
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
    names = (GGUF_WEIGHTS if is_gguf else CONFIG_WEIGHTS)[settings.kind]
    keeps_itself = settings.kind == GPT2 and not is_gguf
    used = {ROPE_DIVISORS} if settings.rope else set()

    def found(shapes: Mapping[str, Shape], *, all_needed: bool) -> dict[str, PartSource]:
        sources = {}
        for part, shape in shapes.items():
            name, third = _place(part, names)
            if (tensor := stored.get(name)) is not None:
                used.add(name)
                turned = "W_" in part and (name == _UNEMBEDDING or not keeps_itself)
                columns = shape[-1] * (1 if third is None else 3)
                wanted = (columns, *shape[:-1]) if turned else (*shape[:-1], columns)
                check_tensor(tensor, wanted)
                sources[part] = PartSource(tensor, turned, third)
            elif all_needed:
                raise input_error(TEXTS, "no_part", name=printable(name))
        return sources

    parts, of_head = _part_shapes(settings), _head_part_shapes(settings)
    sources, head = found(parts, all_needed=True), found(of_head, all_needed=False)
    has_head = len(head) == len(of_head)
    for name in sorted(stored.keys() - used):
        if _IN_A_LAYER.search(name) and not _NO_NUMBERS.search(name):
            raise not_run_here("left_over", name=printable(name))
    return {**sources, **(head if has_head else {})}, has_head


def _place(part: str, names: Spellings) -> tuple[str, int | None]:
    """The name of a part's tensor, and which third of it the part is.

    It is the part's own name if there is no such part by these names.
    """
    layer, _, own = part.rpartition(".")
    kind, stem = own.split("_", 1)
    third = None
    if stem in _JOINED and stem not in names:
        stem, third = _JOINED, _JOINED.index(stem)
    if stem not in names:
        return part, None
    ending = "bias" if kind == "b" else "weight"
    return f"{names[stem].format(l=layer)}.{ending}", third


def _plain_name(name: str) -> str:
    """A tensor's name without the path to the layers, and as most files spell it."""
    plain = _PREFIX.sub("", name)
    for old, new in OTHER_NAMES.items():
        plain = plain.replace(old, new)
    return plain


def _part_shapes(settings: ModelSettings) -> Mapping[str, Shape]:
    """The shape of every part that a model of these settings must have."""
    d = settings.d_model
    shapes: dict[str, Shape] = {"E_tokens": (settings.n_vocabulary, d)}
    if settings.kind != LLAMA:
        before = 0 if settings.padding_id is None else settings.padding_id + 1
        shapes["E_positions"] = (before + settings.n_positions, d)
    if settings.n_segments:
        shapes["E_segments"] = (settings.n_segments, d)
    if settings.kind == BERT:
        shapes |= _norm_shapes("norm_0", settings)
    of_layer = _layer_shapes(settings)
    for layer in range(settings.n_layers):
        shapes |= {f"{layer}.{name}": shape for name, shape in of_layer.items()}
    if settings.kind != BERT:
        shapes |= _norm_shapes("last_norm", settings)
    return shapes


def _head_part_shapes(settings: ModelSettings) -> Mapping[str, Shape]:
    """The shapes of the parts that turn rows into probabilities of tokens.

    A checkpoint may lack them. Tied weights are the token embeddings, and no part of their own.
    """
    d, vocabulary = settings.d_model, settings.n_vocabulary
    shapes: dict[str, Shape] = {}
    if settings.kind == BERT:
        shapes |= {"W_head": (d, d), "b_head": (d,), **_norm_shapes("head_norm", settings)}
        shapes["b_U"] = (vocabulary,)
    if not settings.is_tied:
        shapes["W_U"] = (d, vocabulary)
    return shapes


def _layer_shapes(settings: ModelSettings) -> dict[str, Shape]:
    d, d_ff = settings.d_model, settings.d_ff
    of_queries = settings.n_heads * settings.d_head
    of_keys = settings.n_kv_heads * settings.d_head
    matrices = {
        "Q": (d, of_queries),
        "K": (d, of_keys),
        "V": (d, of_keys),
        "O": (of_queries, d),
        "up": (d, d_ff),
        **({"gate": (d, d_ff)} if settings.is_gated else {}),
        "down": (d_ff, d),
    }
    shapes: dict[str, Shape] = {f"W_{name}": shape for name, shape in matrices.items()}
    biased = {f"b_{name}": (columns,) for name, (_, columns) in matrices.items()}
    shapes |= {name: shape for name, shape in biased.items() if name in settings.biases}
    if settings.has_head_norms:
        shapes |= {"g_norm_Q": (settings.d_head,), "g_norm_K": (settings.d_head,)}
    return {**shapes, **_norm_shapes("norm_1", settings), **_norm_shapes("norm_2", settings)}


def _norm_shapes(name: str, settings: ModelSettings) -> dict[str, Shape]:
    letters = "g" if settings.kind == LLAMA else "gb"
    return {f"{letter}_{name}": (settings.d_model,) for letter in letters}
