"""Arrays that come from outside a program: checked before they are used."""

import numpy as np

from core.errors import input_error
from core.texts import core_texts

TEXTS = core_texts("program")


def checked_array(array: str, value: object, boolean: bool, minus_inf: bool = False) -> np.ndarray:
    """Return a float64 (or bool) copy of what was given, checked to be real and finite.

    `minus_inf` allows −∞, a hidden cell. Raises `InputError`.
    """
    try:
        given = np.array(value)
    except ValueError:
        raise input_error(TEXTS, "ragged", array=array) from None
    if given.dtype.kind not in "biuf":
        raise input_error(TEXTS, "not_numbers", array=array, type=str(given.dtype))
    if boolean:
        if not np.isin(given, (0, 1)).all():
            raise input_error(TEXTS, "not_boolean", array=array)
        return given.astype(bool)
    numbers = given.astype(np.float64)
    allowed = np.isfinite(numbers) | (minus_inf & np.isneginf(numbers))
    if not allowed.all():
        place = ", ".join(str(int(i) + 1) for i in np.argwhere(~allowed)[0])
        value = str(numbers[~allowed][0])
        raise input_error(TEXTS, "not_finite", array=array, value=value, place=place)
    return numbers
