"""Masks from people's own code: a rule's name, booleans, or what is added to the scores.

A mask may be given for each head, or for keys alone; True = visible, as in PyTorch's
`scaled_dot_product_attention` (and not as in its `nn.MultiheadAttention`, where True hides).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool

from core.attention.given.given_arrays import (
    check_largest,
    plain_array,
    without_batch,
)
from core.attention.masks import CORNERS, KINDS, Rule, rule_of
from core.errors import input_error, printed_value
from core.limits import HIDES
from core.program.numbers.display import shape_text
from core.program.validate_array import checked_array
from core.texts import core_texts

TEXTS = core_texts("given")
NAMED = tuple(name for name, kind in KINDS.items() if not kind.given)
"""The rules that a mask can be given by."""
UNDERFLOW = 745.2
"""A weight is exactly 0 in float64 if its score is this far below the largest of its row."""


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
