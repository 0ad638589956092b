"""Weights as scripts unpack them (weight_canvas.js): whole, or what is largest in each block."""

import zlib
from base64 import b64encode
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, UInt8, UInt16

PackedMap = dict[str, Any]
BlockSize = tuple[int, int]
"""How many queries and keys one point of a map stands for."""
EACH: BlockSize = (1, 1)
FINE, COARSE = 65_535, 255
"""A weight of 1 in two bytes, as a large map has it, and in one."""
_QUICKLY = 1
"""Of zlib's levels: the next ones take six times as long for a tenth less."""


def packed_weights(weights: Float[np.ndarray, "*heads T S"], causal: bool) -> PackedMap:
    """Return weights from 0 to 1 in two bytes each; each is off by at most 1/131,070.

    The cells above the diagonal of a causal map are drawn as hidden.
    """
    levels = np.rint(weights * np.float64(FINE)).clip(0, FINE).astype("<u2")
    return _packed(levels, FINE, EACH, weights.shape[-2], causal)


def packed_blocks(
    largest: Float[np.ndarray, "*heads R C"], block: BlockSize, queries: int, causal: bool
) -> PackedMap:
    """Return what `largest_of_blocks` found in one byte each; each is off by at most 1/510.

    `queries` is how many queries the map has in all.
    """
    levels = np.rint(largest * np.float64(COARSE)).clip(0, COARSE).astype("u1")
    return _packed(levels, COARSE, block, queries, causal)


def packed_cells(cells: Bool[np.ndarray, "T S"]) -> PackedMap:
    """Return which cells are meant, in one byte each."""
    return _packed(cells.astype("u1"), 1, EACH, len(cells), False)


def largest_of_blocks(
    weights: Float[np.ndarray, "H T S"], block: BlockSize
) -> Float[np.ndarray, "H R C"]:
    """Return for each block of T × S the largest part, from 0 to 1, that a weight of it is of the
    largest weight in its row. The last blocks may be smaller.

    A row that reads a thousand keys evenly would be 0 in whole steps of 1/255.
    """
    rows, columns = (range(0, n, b) for n, b in zip(weights.shape[1:], block, strict=True))
    of_rows = np.maximum.reduceat(weights, columns, axis=2).astype(np.float32, copy=False)
    most = of_rows.max(axis=2, keepdims=True)
    parts = np.divide(of_rows, most, out=np.zeros_like(of_rows), where=most > 0)
    largest: np.ndarray = np.maximum.reduceat(parts, rows, axis=1)
    return largest


def _packed(
    levels: UInt8[np.ndarray, "*heads R C"] | UInt16[np.ndarray, "*heads R C"],
    most: int,
    block: BlockSize,
    queries: int,
    causal: bool,
) -> PackedMap:
    """Return levels compressed in base64; of two bytes the lower is first."""
    rows, columns = levels.shape[-2:]
    return {
        "rows": rows,
        "columns": columns,
        "block": block,
        "queries": queries,
        "causal": causal,
        "most": most,
        "levels": b64encode(zlib.compress(levels.tobytes(), _QUICKLY)).decode(),
    }
