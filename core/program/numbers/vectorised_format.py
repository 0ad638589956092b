"""The texts of whole arrays, made at once by the one rounding rule (rounding.py)."""

import numpy as np
from jaxtyping import Float

from core.program.numbers.rounding import (
    FAR_FROM_A_HALF,
    SCIENTIFIC_BELOW,
    SCIENTIFIC_FROM,
    cell_text,
)


def cell_texts(values: Float[np.ndarray, " n"], noise: float = 0.0) -> list[str]:
    """`cell_text` of each.

    Most numbers are far from a half and neither small nor large: there rounding is the same by any
    rule, and they are formatted in one go. The others are written one by one.
    """
    sizes = np.abs(values)
    with np.errstate(invalid="ignore", over="ignore"):
        hundredths = 100 * sizes
        plain = (
            (sizes >= max(SCIENTIFIC_BELOW, noise)) & (sizes < SCIENTIFIC_FROM) & (sizes > noise)
        )
        plain &= np.abs(hundredths % 1 - 0.5) > FAR_FROM_A_HALF
    texts = [f"{value:.2f}" for value in np.where(plain, values, 0).tolist()]
    others = np.flatnonzero(~plain).tolist()
    written = {value: cell_text(value, noise) for value in {float(values[n]) for n in others}}
    for n in others:
        texts[n] = written.get(values[n], "NaN")
    return texts
