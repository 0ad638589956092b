"""What each encoding is given besides the sentence: positions, frequencies, a table, slopes.

And positions counted in binary next to those waves: what sinusoids have in common with bits.
"""

import numpy as np
from jaxtyping import Float, Int

from core.hash_random import Draw

HEADS, D_MODEL, D_K = 2, 8, 4
BASE = 10_000
TABLE_SEED = 0
PLACES = 64
WIDTH = 32
"""d_model of the waves in the picture: wide enough for many waves between fast and slow."""


def frequencies(features: int, base: int = BASE) -> np.ndarray:
    """Return one frequency for each pair of features: base^(−2p/d), in radians a position."""
    made: np.ndarray = base ** (-np.arange(0, features, 2) / features)
    return np.round(made, 12)


def slope_powers(heads: int) -> list[int]:
    """Return the exponents of ALiBi's slopes, which are powers of 2: −8h/H for h from 1 to H.

    H is a power of two.
    """
    return [-8 * head // heads for head in range(1, heads + 1)]


def slopes(heads: int) -> np.ndarray:
    """Return ALiBi's slopes, one for each head."""
    made: np.ndarray = 2.0 ** np.array(slope_powers(heads))
    return made


def rotation_inputs(T: int, features: int, base: int = BASE) -> dict[str, np.ndarray]:
    """Return what RoPE is given for T positions: positions, frequencies, and a right angle as the
    matrix that turns each pair (a, b) of neighbouring features to (−b, a).
    """
    right = np.kron(np.eye(features // 2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    each = frequencies(features, base).repeat(2)[None]
    return {"places": np.arange(float(T))[:, None], "frequency": each, "quarter": right}


def encoding_inputs(kind: str, T: int) -> dict[str, np.ndarray]:
    """Return the further inputs of an encoding: positions, frequencies, a table, slopes."""
    position = np.arange(float(T))[:, None]
    if kind == "sinusoidal":
        return {"places": position, "frequency": frequencies(D_MODEL)[None]}
    if kind == "learned":
        drawn = Draw(f"learned:{TABLE_SEED}").around_zero(10, T * D_MODEL) / 10
        return {"PE": drawn.reshape(T, D_MODEL)}
    if kind == "rope":
        return rotation_inputs(T, D_K)
    if kind == "alibi":
        return {"slope": slopes(HEADS)[:, None, None], "distance": position - position.T}
    return {}


def bits(places: int = PLACES) -> Int[np.ndarray, "bits places"]:
    """Return each position in binary; the bit for 1 comes first, like the fastest wave."""
    count = max((places - 1).bit_length(), 1)
    made: np.ndarray = np.arange(places) >> np.arange(count)[:, None] & 1
    return made


def waves(places: int = PLACES, width: int = WIDTH) -> Float[np.ndarray, "waves places"]:
    """Return the sine of position times frequency, a row for each frequency."""
    made: np.ndarray = np.sin(frequencies(width)[:, None] * np.arange(places))
    return made
