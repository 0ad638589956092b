"""Layers of attention in PyTorch, with the names that models give their parts, and ours beside."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from core import attention_program
from core.attention.layers.biases import BIASES

Arrays = Mapping[str, np.ndarray]
T, E, H = 5, 8, 2
D = E // H


def arrays_of(module: nn.Module, prefix: str = "") -> dict[str, np.ndarray]:
    return {prefix + name: tensor.numpy() for name, tensor in module.state_dict().items()}


def cut(joined: np.ndarray, heads: int) -> np.ndarray:
    """Columns side by side as an axis of heads."""
    parts = np.split(np.atleast_2d(joined), heads, axis=1)
    return np.stack(parts)


def run_attention(X: torch.Tensor, found: Arrays, H: int = H, G: int = H) -> Any:
    """The attention program with these weights and biases, joined or by heads."""
    given = dict(found) | {"X": X.numpy()}
    for name, heads in {"Q": H, "K": G, "V": G}.items():
        weight, bias = given[f"W_{name}"], given.get(f"b_{name}")
        given[f"W_{name}"] = cut(weight, heads) if weight.ndim == 2 else weight
        if bias is not None:
            given[f"b_{name}"] = bias.reshape(heads, -1)
    if "b_O" in given:
        given["b_O"] = given["b_O"].ravel()
    named = [name for name in BIASES if name in given]
    return attention_program(heads=H, kv_heads=G, biases=named).run(given)


def assert_equal(ours: np.ndarray, theirs: torch.Tensor) -> None:
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0, atol=1e-12)


def heads_of(joined: torch.Tensor, heads: int) -> torch.Tensor:
    return joined.view(len(joined), heads, -1).transpose(0, 1)


class Projections(nn.Module):
    """A layer of four `Linear`s under some names, as Llama, BERT and others have them."""

    def __init__(self, names: str, H: int, G: int, biases: bool) -> None:
        super().__init__()
        d = E // H
        sizes = [(E, H * d), (E, G * d), (E, G * d), (H * d, E)]
        self.names, self.H, self.G = names.split(), H, G
        self.layers = nn.ModuleList(nn.Linear(*size, bias=biases) for size in sizes).double()

    def arrays(self, prefix: str = "") -> dict[str, np.ndarray]:
        return {
            f"{prefix}{name}.{kind}": array
            for name, layer in zip(self.names, self.layers, strict=True)
            for kind, array in arrays_of(layer).items()
        }

    def forward(self, X: torch.Tensor) -> tuple[torch.Tensor, ...]:
        Q, K, V = (
            heads_of(layer(X), heads)
            for layer, heads in zip(self.layers, (self.H, self.G, self.G), strict=False)
        )
        made = scaled_dot_product_attention(
            Q[None], K[None], V[None], is_causal=True, enable_gqa=True
        )[0]
        return Q, K, V, self.layers[3](made.transpose(0, 1).flatten(1))


class Conv1D(nn.Module):
    """As in GPT-2: x W + b, with W kept as it is multiplied."""

    def __init__(self, size: int, made: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, made))
        self.bias = nn.Parameter(torch.randn(made))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight + self.bias


class LikeGPT2(nn.Module):
    """c_attn and c_proj of GPT-2 (Conv1D), or of an implementation with `Linear`s."""

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.c_attn, self.c_proj = kind(E, 3 * E), kind(E, E)
        self.register_buffer("bias", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, X: torch.Tensor) -> tuple[torch.Tensor, ...]:
        Q, K, V = (heads_of(part, H) for part in self.c_attn(X).split(E, dim=-1))
        scores = (Q @ K.mT / math.sqrt(D)).masked_fill(torch.ones(T, T).triu(1).bool(), -math.inf)
        made = (scores.softmax(-1) @ V).transpose(0, 1).flatten(1)
        return Q, K, V, self.c_proj(made)
