"""Arrays, tokens and masks from people's own code: numpy, lists, PyTorch tensors.

Checked against the limits of what the stage shows of real models. Throughout, H is the number of
heads, G of key/value heads, T of queries and S of keys.

A mask is a rule's name, booleans, or what is added to the scores. It may be given for each head, or
for keys alone; True = visible, as in PyTorch's `scaled_dot_product_attention` (and not as in its
`nn.MultiheadAttention`, where True hides).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from core.attention.masks import CORNERS, KINDS, Rule, rule_of
from core.errors import input_error, printed_value
from core.limits import HIDES, LARGEST, MOST_FEATURES, MOST_MAPPED, MOST_POSITIONS, MOST_REAL_HEADS
from core.program.numbers.display import shape_text
from core.program.running import checked_array
from core.texts import core_texts

TEXTS = core_texts("given")
MOST_PLACES = {
    "heads": MOST_REAL_HEADS,
    "queries": MOST_POSITIONS,
    "keys": MOST_MAPPED,
    "features": MOST_FEATURES,
}
"""What the axes of given arrays count, and up to how many."""
MOST_WEIGHT = 1 + 1e-6
"""A weight that float32 rounded may be above 1 by so much."""
NAMED = tuple(name for name, kind in KINDS.items() if not kind.given)
"""The rules that a mask can be given by."""
UNDERFLOW = 745.2
"""A weight is exactly 0 in float64 if its score is this far below the largest of its row."""


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

    `rows` and `columns` say what its last two axes count, as `MOST_PLACES` names it. Raises
    `InputError` for other shapes, and past a limit.
    """
    given = plain_array(name, value)
    array = without_batch(given)
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3:
        shape = shape_text(given.shape)
        raise input_error(TEXTS, "not_by_heads", name=name, shape=shape, rows=rows, columns=columns)
    for axis, size in zip(("heads", rows, columns), array.shape, strict=True):
        if not 1 <= size <= MOST_PLACES[axis]:
            counted, most = TEXTS(axis, n=size), MOST_PLACES[axis]
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


@dataclass(frozen=True, eq=False)
class GivenMask:
    """Which keys are visible, by a rule or an array of booleans, and what is added to the scores.

    Arrays are (T, S) or (H, T, S). `bias` is None if nothing is added; `weakest` is the largest
    finite number that hides a key, −∞ if there is none.
    """

    rule: Rule
    visible: np.ndarray | None = None
    bias: np.ndarray | None = None
    weakest: float = -np.inf


def read_mask(
    mask: Any, heads: int, T: int, S: int, *, corner: Any, sizes: Mapping[str, Any]
) -> GivenMask:
    """Return what a mask says of T queries and S keys; `sizes` are by the keys of its kind's sizes.

    Raises `InputError`.
    """
    if not isinstance(corner, str) or corner not in CORNERS:
        corners = " or ".join(CORNERS)
        raise input_error(TEXTS, "no_corner", given=printed_value(corner), corners=corners)
    if mask is None or isinstance(mask, str):
        if mask not in NAMED:
            raise input_error(TEXTS, "no_rule", given=printed_value(mask), rules=", ".join(NAMED))
        return GivenMask(rule_of(mask, {key: int(size) for key, size in sizes.items()}, corner))
    return mask_of_array(plain_array("mask", mask), heads, T, S)


def mask_of_array(array: np.ndarray, heads: int, T: int, S: int) -> GivenMask:
    """Return what an array says of T queries and S keys: True = visible, or what is added.

    It is (T, S), (H, T, S), or (S,) for the keys alone. Raises `InputError`.
    """
    whole = _spread(array, heads, T, S)
    if array.dtype.kind != "f" and np.isin(array, (0, 1)).all():
        if array.dtype.kind != "b" and not array.any():
            raise input_error(TEXTS, "zeros_alone")
        return GivenMask(Rule("custom"), whole.astype(bool))
    return _additive(checked_array("mask", whole, boolean=False, minus_inf=True))


def _spread(array: np.ndarray, heads: int, T: int, S: int) -> np.ndarray:
    """Return a mask as (T, S), or as (H, T, S) if heads have their own."""
    small = without_batch(array)
    wanted = (T, S) if small.ndim < 3 or len(small) == 1 else (heads, T, S)
    small = without_batch(small, len(wanted))
    if not small.ndim or small.shape[-1] != S or small.ndim > len(wanted):
        fits = False
    else:
        fits = all(
            size in (1, full) for size, full in zip(small.shape[::-1], wanted[::-1], strict=False)
        )
    if not fits:
        raise input_error(TEXTS, "mask_shape", shape=shape_text(array.shape), T=T, S=S, heads=heads)
    return np.broadcast_to(small, wanted)


def _additive(added: np.ndarray) -> GivenMask:
    """Return what an additive mask hides, and what it adds where it does not hide."""
    if added.max() == 1 and np.isin(added, (0, 1)).all():
        raise input_error(TEXTS, "zeros_and_ones")
    hidden = added <= HIDES
    bias = np.where(hidden, 0.0, added)
    check_largest("mask", bias)
    weakest = float(added.max(initial=-np.inf, where=hidden & np.isfinite(added)))
    if not bias.any():
        return GivenMask(Rule("custom"), ~hidden, None, weakest)
    if not hidden.any():
        return GivenMask(Rule("none"), None, bias)
    return GivenMask(Rule("custom"), ~hidden, bias, weakest)


def ask_about_opposite(visible: Bool[np.ndarray, "... S"], is_padding: bool) -> None:
    """Raise `InputError` for a mask that makes more sense if True means hidden.

    Of padding that is 0 … 1: on the left, or 1 for the padding on the right. Of any other mask: a
    query sees no key, and each sees one in the opposite mask.
    """
    if is_padding:
        if not visible[..., 0].all() and visible[..., -1].all():
            raise input_error(TEXTS, "mask_padding")
    elif not visible.any(axis=-1).all() and not visible.all(axis=-1).any():
        raise input_error(TEXTS, "mask_opposite")


def check_hides(mask: GivenMask, scores: np.ndarray) -> None:
    """Raise `InputError` if a number that is to hide keys is no match for these scores.

    A score that it is added to could still get a weight.
    """
    spread = float(np.ptp(scores))
    if mask.weakest + spread > -UNDERFLOW:
        raise input_error(TEXTS, "weak_mask", number=f"{mask.weakest:g}", spread=f"{spread:.3g}")
