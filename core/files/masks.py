"""Masks as people have them: True and False, 1 and 0, additive ones, key padding.

Read as True = visible, everywhere. Some libraries mean the opposite: where the numbers cannot tell,
the person is asked.
"""

import numpy as np
from jaxtyping import Bool, Num

from core.attention.given_masks import ask_about_opposite
from core.errors import input_error
from core.files.matrices import MAX_SIDE
from core.files.text import unbounded_matrix
from core.limits import HIDES
from core.program.display import shape_text
from core.texts import core_texts

TEXTS = core_texts("files")


def parse_mask(
    text: str, shape: tuple[int, int] | None = None, *, limit: int = MAX_SIDE
) -> Bool[np.ndarray, "T S"]:
    """Return the mask that a text spells, as `as_mask` reads it. Raises `InputError`."""
    return as_mask(unbounded_matrix(text, limit=limit), shape)


def as_mask(
    array: Num[np.ndarray, "..."] | Bool[np.ndarray, "..."], shape: tuple[int, int] | None = None
) -> Bool[np.ndarray, "T S"]:
    """Return a mask of T queries and S keys; True = visible.

    1 and True are visible, and 0 in an additive mask, which hides with −∞ or a large negative
    number. One row is key padding, which holds for every query; without a `shape` there are as many
    queries as keys. Raises `InputError` for other numbers, another shape, and for a mask that may
    mean the opposite.
    """
    visible = _one_of_all_heads(_visible(np.asarray(array)))
    is_padding = len(visible) == 1 and (shape is None or shape[0] != 1)
    if not _is_additive(np.asarray(array)):
        ask_about_opposite(visible, is_padding)
    if is_padding:
        visible = np.repeat(visible, shape[0] if shape else visible.shape[1], axis=0)
    if shape is not None and visible.shape != shape:
        raise input_error(
            TEXTS, "mask_shape", shape=shape_text(visible.shape), wanted=shape_text(shape)
        )
    return visible


def _is_additive(array: np.ndarray) -> bool:
    return bool(np.any(array < 0)) if array.dtype != bool else False


def _visible(array: np.ndarray) -> Bool[np.ndarray, "..."]:
    """Where the numbers of a mask say visible."""
    if _is_additive(array):
        if not np.all((array == 0) | (array <= HIDES)):
            raise input_error(TEXTS, "mask_numbers", large=f"{-HIDES:,.0f}")
        return np.asarray(array == 0)
    if not np.isin(array, (0, 1)).all():
        raise input_error(TEXTS, "mask_numbers", large=f"{-HIDES:,.0f}")
    if not array.any():
        raise input_error(TEXTS, "mask_zeros")
    return np.asarray(array == 1)


def _one_of_all_heads(visible: Bool[np.ndarray, "..."]) -> Bool[np.ndarray, "T S"]:
    """The mask of every head. Raises `InputError` if heads have different ones."""
    while visible.ndim > 2:
        if not np.all(visible == visible[0]):
            raise input_error(TEXTS, "mask_heads")
        visible = visible[0]
    return np.atleast_2d(visible)
