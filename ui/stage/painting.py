"""A mask that a person paints on a stage, kept as a text of 0 and 1 that travels in the link; and
the sizes of one by rule.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Bool

from core.attention.masks import KINDS, MOST_SIZES, Rule, Size
from core.errors import input_error
from ui.links.links import Key, Keys, Reader, parse_cell, whole_number_reader
from ui.links.session import PERSIST
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("messages")


def size_keys(key: str, most: int) -> Keys:
    """The keys of a link for the sizes of a mask: `key`, and the same with a number for others."""
    return {
        name: Key(Size("").default, whole_number_reader(1, most)) for name in _names_of_sizes(key)
    }


def mask_sizes(key: str, most: int, kind: str, of_each: bool = False) -> None:
    """Sliders for the sizes of a mask of this kind, by its name.

    The first stays where the mask has no size: the stage below, and what is pressed there, stay
    too. `of_each`: they are of the mask of each layer, and are called so.
    """
    sizes = KINDS[kind].sizes if kind in KINDS else ()
    words = [size.word for size in sizes] if len(sizes) > 1 else [TEXTS("mask_size")]
    for name, size in zip(_names_of_sizes(key), words, strict=False):
        word = TEXTS("size_of_each", size=size) if of_each else size
        st.slider(word, 1, most, key=name, width=260, disabled=not sizes, **PERSIST)


def chosen_sizes(key: str) -> list[int]:
    """What is chosen for the sizes of a mask: as many numbers as a mask has at most."""
    return [st.session_state[name] for name in _names_of_sizes(key)]


def _names_of_sizes(key: str) -> list[str]:
    return [key, *(f"{key}_{n}" for n in range(2, MOST_SIZES + 1))]


def mask_bits(most: int) -> Reader:
    """A reader for links of a mask of up to so many tokens; "" where none is painted."""

    def reader(key: str, text: str) -> str:
        if set(text) - {"0", "1"} or math.isqrt(len(text)) ** 2 != len(text):
            raise input_error(TEXTS, "no_square", key=key, text=repr(text[:20]))
        if len(text) > most * most:
            tokens = math.isqrt(len(text))
            raise input_error(TEXTS, "large_square", key=key, tokens=tokens, limit=most)
        return text

    return reader


def painted_mask(key: str, T: int) -> Bool[np.ndarray, "T T"]:
    """The mask painted so far, over T tokens. What was never painted is causal: so a sentence that
    has grown keeps what was painted between the tokens that it had.
    """
    bits = st.session_state.get(key) or ""
    side = math.isqrt(len(bits))
    painted = np.array([bit == "1" for bit in bits], dtype=bool).reshape(side, side)
    mask = Rule("causal").mask(T, T)
    mask[:side, :side] = painted[:T, :T]
    return mask


def paint(key: str, T: int, stroke: Mapping[str, Any]) -> None:
    """Take a stroke of the painter: cells of `mask`, and whether they are to be visible."""
    mask = painted_mask(key, T)
    for name, cell in filter(None, map(parse_cell, stroke["cells"])):
        if name == "mask" and len(cell) == 2 and max(cell) < T:
            mask[cell] = bool(stroke["visible"])
    st.session_state[key] = "".join("01"[bool(bit)] for bit in mask.ravel())
