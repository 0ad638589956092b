"""What attention computes and keeps in a real model: few weights matter, and heads share keys.

Throughout, L layers have H heads each, G of them key/value heads of d_k features. T tokens are
read under a causal mask, so that row i (from 0) sees i + 1 keys.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float, Int

from core.models.captures import MAP_STEPS, captured_run, load_maps
from core.models.model_facts import MODEL_FACTS

TEXTS_READ = ("smollm2-keys", "smollm2-code", "smollm2-ship")
"""The captured runs that can be chosen: texts of one model, from the shortest on."""
HELD_PERCENT = 90
"""Of a row's weight; asked is how few weights hold it."""


def weights_needed(
    maps: Float[np.ndarray, "L H T T"], percent: int = HELD_PERCENT
) -> Int[np.ndarray, "L H T"]:
    """Return for each row how many of its largest weights hold so many percent of it, at most.

    A weight w of the maps is within 1/510 of the model's. So of the model's row, the n largest
    hold at least Σ (w − 1/510) over them. They also hold at least 1 − Σ (w + 1/510) over the other
    keys that the row sees. The result is the smallest n for which one of the two is enough.
    """
    off = 1 / (2 * MAP_STEPS)
    ranked = -np.sort(-maps, axis=-1)
    seen = np.tri(maps.shape[-1], dtype=bool)  # row i has i + 1 visible weights, the rest are 0
    least = np.where(seen, ranked - off, 0).clip(min=0).cumsum(axis=-1)
    most = np.where(seen, ranked + off, 0).cumsum(axis=-1)
    held = np.maximum(least, 1 - (most[..., -1:] - most))
    needed: np.ndarray = (held < percent / 100 - 1e-9).sum(axis=-1) + 1
    return needed


@dataclass(frozen=True)
class WeightsRead:
    """How many weights of a row matter in a run, and how many there are."""

    tokens: int
    seen: float
    """Keys that a row sees, mean over the rows: (T + 1) / 2."""
    by_layer: tuple[float, ...]
    """Weights that hold `HELD_PERCENT` % of a row, at most: mean over heads and rows."""
    needed: float
    """The same, mean over all layers."""


@cache
def weights_read(name: str) -> WeightsRead:
    """Return this of a captured run of a causal model, from the maps of all its heads.

    Raises `InputError` for a damaged file.
    """
    needed = weights_needed(load_maps(captured_run(name)))
    T = needed.shape[-1]
    seen = float(np.arange(1, T + 1).mean())
    by_layer = tuple(needed.mean(axis=(1, 2)).tolist())
    return WeightsRead(T, seen, by_layer, float(needed.mean()))


@dataclass(frozen=True)
class CacheKept:
    """How many numbers of keys and values a model keeps for a text, in all its layers."""

    layers: int
    heads: int
    kv_heads: int
    d_k: int
    kept: int
    """2·L·G·d_k·T."""
    unshared: int
    """2·L·H·d_k·T: as if each head had keys and values of its own."""


def cache_kept(name: str) -> CacheKept:
    """Return this of a captured run, from the published sizes of its model."""
    run = captured_run(name)
    model, T = MODEL_FACTS[run.model], len(run.tokens)
    alone = replace(model, kv_heads=model.heads)
    kept, unshared = (each.layers * each.layer.cached(T) for each in (model, alone))
    return CacheKept(model.layers, model.heads, model.kv_heads, model.d_head, kept, unshared)
