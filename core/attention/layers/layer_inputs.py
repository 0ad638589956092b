"""Toy numbers for the parts of a layer: one-digit decimals, each part from a seed of its own."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

from core.attention.inputs import toy_inputs
from core.attention.layers.feed_forward import WIDER
from core.hash_random import Draw

Arrays = dict[str, np.ndarray]


def attention_arrays(part: str, seed: int, heads: int, d_model: int) -> Arrays:
    """W_Q, W_K, W_V and W_O of a part, as the walkthrough draws them. Raises `InputError`."""
    drawn = toy_inputs("a", heads=heads, d_model=d_model, seed=seed)
    return {f"{name}_{part}": drawn[name] for name in ("W_Q", "W_K", "W_V", "W_O")}


def net_arrays(part: str, seed: int, d_model: int) -> Arrays:
    """W_up and W_down of a feed-forward net."""
    units = WIDER * d_model
    return {
        f"W_up_{part}": drawn_tenths(f"W_up:{seed}", d_model, units),
        f"W_down_{part}": drawn_tenths(f"W_down:{seed}", units, d_model),
    }


def norm_arrays(norms: Iterable[str], d_model: int) -> Arrays:
    """Gains of 1 and biases of 0, as they are before training."""
    gains = {f"g_{norm}": np.ones(d_model) for norm in norms}
    return gains | {f"b_{name[2:]}": np.zeros(d_model) for name in gains}


def drawn_tenths(key: str, rows: int, columns: int) -> Float[np.ndarray, "rows columns"]:
    """Whole tenths from −0.6 to 0.6."""
    return np.round(Draw(key).around_zero(6, rows * columns).reshape(rows, columns) / 10, 1)
