"""A mask that a person paints on a stage, kept as a text of 0 and 1 that travels in the link."""

from collections.abc import Mapping
from math import isqrt
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Bool

from core.attention.masks import Rule
from core.errors import InputError
from ui.links import parse_cell

MOST = 24
"""Tokens beyond which a mask is no longer painted."""


def mask_bits(key: str, text: str) -> str:
    """A reader for links. Raises `InputError` for what is no square of 0 and 1."""
    size = isqrt(len(text))
    if set(text) - {"0", "1"} or size * size != len(text) or size > MOST:
        raise InputError(
            f"{key} is {text[:20]!r}", f"it must be a square of 0 and 1, up to {MOST} × {MOST}",
            "paint the mask again",
        )  # fmt: skip
    return text


def painted_mask(key: str, T: int) -> Bool[np.ndarray, "T T"]:
    """The mask painted so far; causal where there is none of that size."""
    bits = st.session_state.get(key) or ""
    if len(bits) != T * T:
        return Rule("causal").mask(T, T)
    return np.array([bit == "1" for bit in bits]).reshape(T, T)


def paint(key: str, T: int, stroke: Mapping[str, Any]) -> None:
    """Take a stroke of the painter: cells of `mask`, and whether they are to be visible."""
    mask = painted_mask(key, T)
    for name, cell in filter(None, map(parse_cell, stroke["cells"])):
        if name == "mask" and len(cell) == 2 and max(cell) < T:
            mask[cell] = bool(stroke["visible"])
    st.session_state[key] = "".join("01"[bool(bit)] for bit in mask.ravel())
