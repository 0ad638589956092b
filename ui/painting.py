"""A mask that a person paints on a stage, kept as a text of 0 and 1 that travels in the link."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Bool

from core.attention.masks import Rule
from core.errors import InputError
from ui.links import Reader, parse_cell


def mask_bits(T: int) -> Reader:
    """A reader for links of a mask of T tokens; "" where none is painted."""

    def reader(key: str, text: str) -> str:
        if set(text) - {"0", "1"} or len(text) not in (0, T * T):
            raise InputError(
                f"{key} is {text[:20]!r}", f"it must be {T} × {T} of 0 and 1",
                "paint the mask again",
            )  # fmt: skip
        return text

    return reader


def any_mask_bits(most: int, T: int = 0) -> Reader:
    """The same of up to so many tokens, or of T where that is known."""

    def reader(key: str, text: str) -> str:
        side = T or next((n for n in range(most + 1) if n * n >= len(text)), most)
        bits: str = mask_bits(side)(key, text)
        return bits

    return reader


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
