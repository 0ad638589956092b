"""Whether arrays of a call of attention fit each other, and their numbers can be shown."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.attention.given.given_arrays import MOST_WEIGHT
from core.errors import input_error
from core.limits import MOST_FEATURES, MOST_MAPPED, MOST_REAL_HEADS
from core.program.patterns import Shape
from core.pytorch.recorded_call import MOST_OUTPUT, REQUIRED
from core.texts import core_texts

TEXTS = core_texts("recordings")
MOST_OF_CALL = {
    "positions": f"{MOST_MAPPED:,}",
    "heads": MOST_REAL_HEADS,
    "features": MOST_FEATURES,
}
"""What a call has at most, as messages say it."""


def fit_each_other(shapes: Mapping[str, Shape]) -> bool:
    """Return whether the arrays of a call have shapes of one call, within the limits."""
    if not set(REQUIRED) <= set(shapes) or {len(shapes[name]) for name in REQUIRED} != {3}:
        return False
    (H, T, d_k), (G, S, _), d_v = shapes["Q"], shapes["K"], shapes["V"][-1]
    wanted: dict[str, Sequence[Shape]] = {
        "K": [(G, S, d_k)],
        "V": [(G, S, d_v)],
        "weights": [(H, T, S)],
        "context": [(H, T, d_v)],
        "mask": [(T, S), (H, T, S)],
        "output": [(T, n) for n in shapes.get("output", ())[1:] if n <= MOST_OUTPUT],
    }
    return (
        all(shape in wanted.get(name, [shape]) for name, shape in shapes.items())
        and 1 <= G <= H <= MOST_REAL_HEADS
        and H % G == 0
        and all(1 <= n <= MOST_MAPPED for n in (T, S))
        and all(1 <= n <= MOST_FEATURES for n in (d_k, d_v))
    )


def check_recorded(name: str, key: str, array: np.ndarray) -> None:
    """Raise `InputError` for NaN, for +∞, for −∞ that is no mask, and for weights beyond [0, 1].

    What the module returned may be any number, because nothing is computed from it. `key` is what
    the file calls the array.
    """
    if array.dtype == bool or name == "output":
        return
    low, high = float(array.min()), float(array.max())  # NaN if any is
    if not (high < np.inf and (low > -np.inf or name == "mask")):
        raise input_error(TEXTS, "not_finite", array=key[:60])
    if name == "weights" and not (low >= 0 and high <= MOST_WEIGHT):
        worst = low if low < 0 else high
        raise input_error(TEXTS, "beyond_one", array=key[:60], value=f"{worst:g}")
