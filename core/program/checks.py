"""Arrays that come from outside a program: checked before they are used."""

import numpy as np

from core.errors import InputError


def checked_array(array: str, value: object, boolean: bool, minus_inf: bool = False) -> np.ndarray:
    """A float64 (or bool) copy of what was given, checked to be real and finite.

    `minus_inf` allows −∞, a hidden cell. Raises `InputError`.
    """
    try:
        given = np.array(value)
    except ValueError:
        raise InputError(
            f"{array} is ragged", "every row needs as many entries", "fill the short ones"
        ) from None
    if given.dtype.kind not in "biuf":
        raise InputError(
            f"{array} holds {given.dtype} values", "it must hold numbers", "use floats"
        )
    if boolean:
        if not np.isin(given, (0, 1)).all():
            raise InputError(
                f"{array} holds other values than 0 and 1", "True means visible", "use bools"
            )
        return given.astype(bool)
    numbers = given.astype(np.float64)
    allowed = np.isfinite(numbers) | (minus_inf & np.isneginf(numbers))
    if not allowed.all():
        at = ", ".join(str(int(i) + 1) for i in np.argwhere(~allowed)[0])
        raise InputError(
            f"{array} is {numbers[~allowed][0]} at {at}", "every entry must be finite",
            "replace it by a number",
        )  # fmt: skip
    return numbers
