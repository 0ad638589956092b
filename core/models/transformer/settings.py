"""What a model is, apart from its numbers: its kind, its sizes, and what differs within a kind.

gpt2: LayerNorm before each part, learned positions, biases (Radford et al. 2019). llama: RMSNorm
before each part, RoPE, a feed-forward net with a gate (Touvron et al. 2023); in Qwen 3 also norms
of queries and keys. bert: LayerNorm after each part, learned positions, no mask (Devlin et al.
2019); RoBERTa (Liu et al. 2019) and DistilBERT (Sanh et al. 2019) are of this kind.

Rotary positions of models for longer texts turn some pairs, or all, more slowly: each frequency has
a divisor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import tau

import numpy as np
from jaxtyping import Float

from core.errors import input_error
from core.limits import MOST_FEATURES, MOST_REAL_HEADS
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

GPT2, LLAMA, BERT = "gpt2", "llama", "bert"
GELU, GELU_TANH, SILU = "gelu", "gelu_tanh", "silu"
MOST_LAYERS_OF_A_MODEL = 128
MOST_D_MODEL = 4096
MOST_D_FF = 32_768
MOST_VOCABULARY = 500_000
MOST_CONTEXT = 2_000_000
"""Positions that a model says it can read; a prompt has at most `MOST_POSITIONS`."""
QKV_BIASES = ("b_Q", "b_K", "b_V")
LAYER_BIASES = (*QKV_BIASES, "b_O", "b_up", "b_down")
ALL_BIASES: Mapping[str, frozenset[str]] = {
    GPT2: frozenset(LAYER_BIASES),
    BERT: frozenset(LAYER_BIASES),
    LLAMA: frozenset(),
}
"""The biases of every model of a kind."""
Divisors = float | Float[np.ndarray, "pairs"]
"""One for all pairs, or one for each."""
_INFINITE = np.errstate(all="ignore")
"""Numbers that are too large become infinite, and `Rope` refuses them."""


@dataclass(frozen=True)
class Rope:
    """Rotary positions (Su et al. 2021): the frequency of each pair, and which features pair.

    A frequency is the angle from one position to the next in radians, from 0 to 2π. With `halves`,
    features k and k + d/2 are a pair, as in Hugging Face's files; otherwise neighbours are, as in
    the paper and in GGUF's files of Llama. Raises `InputError` for frequencies out of range.
    """

    frequencies: tuple[float, ...]
    halves: bool

    def __post_init__(self) -> None:
        for pair, frequency in enumerate(self.frequencies, start=1):
            if not 0 <= frequency <= tau:
                raise input_error(TEXTS, "fast_pair", pair=pair, frequency=f"{frequency:.3g}")


@dataclass(frozen=True)
class ModelSettings:
    """The settings of a model. d_head is d_k and d_v. Raises `InputError` if sizes do not fit."""

    kind: str
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_model: int
    d_head: int
    d_ff: int
    n_vocabulary: int
    n_positions: int
    eps: float
    activation: str
    rope: Rope | None = None
    n_segments: int = 0
    """Token types: BERT's first and second sentence. DistilBERT has none."""
    padding_id: int | None = None
    """The token whose number RoBERTa counts positions from; None: they are counted from 0."""
    is_tied: bool = True
    """Whether the output layer has the weights of the token embeddings."""
    biases: frozenset[str] = frozenset()
    """Names of the biases that a layer has, of those that differ within a kind."""
    has_head_norms: bool = False
    """Whether each head's queries and keys have an RMSNorm of their own, before RoPE."""

    def __post_init__(self) -> None:
        H, G = self.n_heads, self.n_kv_heads
        if H > MOST_REAL_HEADS:
            raise input_error(TEXTS, "many_heads", heads=H, most=MOST_REAL_HEADS)
        if H % G:
            raise input_error(TEXTS, "uneven_groups", heads=H, groups=G)
        if not 1 <= self.d_head <= MOST_FEATURES:
            raise input_error(TEXTS, "wide_head", d_head=self.d_head, most=MOST_FEATURES)
        if self.rope and self.d_head % 2:
            raise input_error(TEXTS, "odd_head", d_head=self.d_head)

    @property
    def is_causal(self) -> bool:
        """Whether a token reads only itself and those before it."""
        return self.kind != BERT

    @property
    def is_post_norm(self) -> bool:
        """Whether norms come after each part and its residual, and not before the part."""
        return self.kind == BERT

    @property
    def is_gated(self) -> bool:
        """Whether the feed-forward net has a gate, and norms are RMSNorm."""
        return self.kind == LLAMA


@_INFINITE
def pair_frequencies(base: float, d_head: int, divisors: Divisors = 1.0) -> tuple[float, ...]:
    """Return the angle of each pair p in radians: base^(−2p/d_head) / divisor (Su et al. 2021,
    equation 15).
    """
    return tuple((_undivided(base, d_head) / divisors).tolist())


@_INFINITE
def llama3_divisors(
    base: float, d_head: int, factor: float, low: float, high: float, length: int
) -> Float[np.ndarray, "pairs"]:
    """Return by which number Llama 3.1 divides each frequency (Grattafiori et al. 2024).

    Over the original `length`, a pair makes length · frequency / 2π turns. With at least `high`
    turns its divisor is 1, with at most `low` turns it is `factor`. Between them, 1 / divisor
    grows evenly with the turns.
    """
    turns = length * _undivided(base, d_head) / (2 * np.pi)
    kept = np.clip((turns - low) / (high - low), 0, 1)
    return 1 / (kept + (1 - kept) / factor)


def _undivided(base: float, d_head: int) -> Float[np.ndarray, "pairs"]:
    return base ** (-2 * np.arange(d_head // 2) / d_head)
