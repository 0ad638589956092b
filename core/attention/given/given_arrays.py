"""Arrays from people's own code: numpy, lists, PyTorch tensors, what else numpy can read.

Checked against the limits of what the stage shows of real models. Throughout, H is the number of
heads, G of key/value heads, T of queries and S of keys.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from core.errors import input_error
from core.limits import LARGEST, MOST_FEATURES, MOST_MAPPED, MOST_POSITIONS, MOST_REAL_HEADS
from core.program.numbers.display import shape_text
from core.program.validate_array import checked_array
from core.texts import core_texts

TEXTS = core_texts("given")
MOST = {
    "heads": MOST_REAL_HEADS,
    "queries": MOST_POSITIONS,
    "keys": MOST_MAPPED,
    "features": MOST_FEATURES,
}
"""What the axes of given arrays count, and up to how many."""
MOST_WEIGHT = 1 + 1e-6
"""A weight that float32 rounded may be above 1 by so much."""


def plain_array(name: str, value: Any) -> np.ndarray:
    """Return a value as an array of numpy, of numbers or booleans, as many axes as it has.

    A PyTorch tensor may be on any device, of any type of numbers, and have a gradient; torch is
    not imported. Raises `InputError`.
    """
    if value is None:
        raise input_error(TEXTS, "not_given", name=name)
    try:
        array = _of_tensor(value) if hasattr(value, "detach") else np.asarray(value)
    except Exception:  # whatever another library raises for what cannot become an array
        raise input_error(TEXTS, "unreadable", name=name, type=type(value).__name__) from None
    if array.dtype.kind not in "biuf":
        raise input_error(TEXTS, "no_numbers", name=name, type=str(array.dtype))
    with np.errstate(over="ignore"):  # a longer float may become infinite, which is refused later
        return array.astype(np.float64) if array.dtype.kind == "f" else array


def _of_tensor(tensor: Any) -> np.ndarray:
    """Return a PyTorch tensor's numbers. numpy knows no bfloat16, and some devices no float64."""
    here = tensor.detach().cpu()
    if str(here.layout) != "torch.strided":  # sparse
        here = here.to_dense()
    array: np.ndarray = (here.double() if here.is_floating_point() else here).numpy()
    return array


def by_heads(
    name: str, value: Any, rows: str, columns: str = "features"
) -> Float[np.ndarray, "n rows columns"]:
    """Return an array as float64 by heads: a matrix is one head, a batch axis of 1 is left out.

    `rows` and `columns` say what its last two axes count, as `MOST` names it. Raises `InputError`
    for other shapes, and past a limit.
    """
    given = plain_array(name, value)
    array = without_batch(given)
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3:
        shape = shape_text(given.shape)
        raise input_error(TEXTS, "not_by_heads", name=name, shape=shape, rows=rows, columns=columns)
    for axis, size in zip(("heads", rows, columns), array.shape, strict=True):
        if not 1 <= size <= MOST[axis]:
            counted, most = TEXTS(axis, n=size), MOST[axis]
            raise input_error(TEXTS, "wrong_size", name=name, counted=counted, size=size, most=most)
    numbers = checked_array(name, array, boolean=False)
    check_largest(name, numbers)
    return numbers


def without_batch(array: np.ndarray, most: int = 3) -> np.ndarray:
    """Return an array without the axes of 1 that come before the last `most`."""
    while array.ndim > most and len(array) == 1:
        array = array[0]
    return array


def check_largest(name: str, numbers: np.ndarray) -> None:
    """Raise `InputError` if a number is too large in size for scores that can be computed."""
    largest = float(np.abs(numbers).max(initial=0.0, where=np.isfinite(numbers)))
    if largest > LARGEST:
        most = f"{LARGEST:g}"
        raise input_error(TEXTS, "too_large", name=name, largest=f"{largest:g}", most=most)


def check_groups(heads: int, groups: int) -> None:
    """Raise `InputError` unless so many key/value heads can serve so many query heads."""
    if heads % groups:
        fitting = ", ".join(str(n) for n in range(1, heads + 1) if heads % n == 0)
        raise input_error(TEXTS, "unserved", groups=groups, heads=heads, fitting=fitting)


def check_shares(weights: np.ndarray) -> None:
    """Raise `InputError` unless each weight is in [0, 1]."""
    outside = np.argwhere((weights < 0) | (weights > MOST_WEIGHT))
    if len(outside):
        value = f"{weights[tuple(outside[0])]:g}"
        place = ", ".join(str(n + 1) for n in outside[0].tolist())
        raise input_error(TEXTS, "not_a_share", value=value, place=place)


def check_pairs(queries: int, keys: int) -> None:
    """Raise `InputError` unless the stage takes so many queries with so many keys."""
    if queries * keys > MOST_POSITIONS**2:
        most, fewer = f"{MOST_POSITIONS**2:,}", max(1, MOST_POSITIONS**2 // keys)
        pairs = f"{queries * keys:,}"
        raise input_error(TEXTS, "too_many_pairs", pairs=pairs, most=most, fewer=fewer)


def check_same(axis: str, sizes: Mapping[str, int]) -> None:
    """Raise `InputError` unless two arrays, by their names, have as many places along an axis."""
    (name, size), (other, expected) = sizes.items()
    if size != expected:
        counted = TEXTS(axis, n=size)
        raise input_error(
            TEXTS, "unequal", name=name, counted=counted, other=other, expected=expected
        )


def read_tokens(name: str, tokens: Any, rows: int) -> tuple[str, ...]:
    """Return a list of tokens, one for each of so many rows. Raises `InputError`."""
    if isinstance(tokens, str | bytes):
        raise input_error(TEXTS, "one_string", name=name)
    try:
        given = list(tokens)
    except Exception:  # whatever another library raises for what is no list
        raise input_error(TEXTS, "no_tokens", name=name, type=type(tokens).__name__) from None
    if other := [token for token in given if not isinstance(token, str)]:
        raise input_error(TEXTS, "no_tokens", name=name, type=type(other[0]).__name__)
    if len(given) != rows:
        raise input_error(TEXTS, "token_count", name=name, given=len(given), wanted=rows)
    return tuple(map(str, given))


def position_tokens(rows: int) -> tuple[str, ...]:
    """Return names for rows without tokens: t1, t2 and so on."""
    return tuple(f"t{n + 1}" for n in range(rows))
