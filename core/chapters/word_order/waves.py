"""Positions counted in binary, and in waves: what sinusoids have in common with bits."""

import numpy as np
from jaxtyping import Float, Int

from core.chapters.word_order.encoding_inputs import frequencies

PLACES = 64
WIDTH = 32
"""d_model of the waves in the picture: wide enough for many waves between fast and slow."""


def bits(places: int = PLACES) -> Int[np.ndarray, "bits places"]:
    """Return each position in binary; the bit for 1 comes first, like the fastest wave."""
    count = max((places - 1).bit_length(), 1)
    made: np.ndarray = np.arange(places) >> np.arange(count)[:, None] & 1
    return made


def waves(places: int = PLACES, width: int = WIDTH) -> Float[np.ndarray, "waves places"]:
    """Return the sine of position times frequency, a row for each frequency."""
    made: np.ndarray = np.sin(frequencies(width)[:, None] * np.arange(places))
    return made
