"""Runs of no model for the grid of heads, as its tests and their app draw them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.ui.plain_attention import softmax
from ui.components.head_maps.head_maps import HeadMaps


def weights(columns: int, heads: int, queries: int, keys: int, *, causal: bool) -> np.ndarray:
    """Rows of a softmax of seeded scores, in float32."""
    scores = 2 * np.random.default_rng(0).normal(size=(columns, heads, queries, keys))
    if causal:
        scores = np.where(np.tri(queries, keys, dtype=bool), scores, -np.inf)
    made: np.ndarray = softmax(scores).astype(np.float32)
    return made


def maps(
    columns: int, heads: int, queries: int, keys: int, *, causal: bool, names: tuple[str, ...] = ()
) -> HeadMaps:
    made = weights(columns, heads, queries, keys, causal=causal)
    return HeadMaps(made, labels("q", queries), labels("k", keys), causal, names)


def even(columns: int, heads: int, positions: int) -> HeadMaps:
    """Each token reads itself and all tokens before it with equal weights."""
    row = np.tri(positions) / np.arange(1, positions + 1)[:, None]
    made = np.broadcast_to(row.astype(np.float32), (columns, heads, positions, positions))
    return HeadMaps(made, labels("q", positions), labels("k", positions), causal=True)


def labels(letter: str, many: int) -> tuple[str, ...]:
    return tuple(f"{letter}{n}" for n in range(many))


def cases() -> Mapping[str, Mapping[str, Any]]:
    """What `head_grid` is given, by the name of the case."""
    return {
        "whole": {
            "maps": maps(3, 2, 7, 7, causal=False),
            "before": maps(3, 2, 7, 7, causal=True),
            "off": [(1, 0)],
            "scores": np.full((3, 2), 0.25),
        },
        "even": {"maps": even(2, 2, 60)},
        "even, in blocks": {"maps": even(2, 2, 300)},
        "calls": {"maps": maps(2, 3, 70, 150, causal=False, names=("enc.0", "<b>dec</b>"))},
        "large": {
            "maps": maps(2, 2, 460, 460, causal=True),
            "before": maps(2, 2, 460, 460, causal=True),
            "off": [(0, 1)],
            "counted": np.eye(460, k=-1, dtype=bool),
        },
    }
