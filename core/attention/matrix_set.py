"""A whole set of matrices that somebody has: the heads and the sizes follow from their shapes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from core.attention.setups import EDITABLE, Setup, check_numbers, size_of
from core.errors import input_error
from core.program.display import shape_text
from core.program.labels import listed_names
from core.texts import core_texts

TEXTS = core_texts("setups")
OF_QUERY_HEADS = ("W_Q", "Q", "scores")
OF_KEY_HEADS = ("W_K", "W_V", "K", "V")
MODEL_FEATURES = {"X": -1, "W_Q": -2, "W_K": -2, "W_V": -2}
"""The axis of a matrix that counts the features of X."""
_PER_HEAD = (*OF_QUERY_HEADS, *OF_KEY_HEADS)


@dataclass(frozen=True, eq=False)
class GivenSetup:
    """The setup of some matrices, and what stands for those that are missing."""

    setup: Setup
    identity: bool
    """Whether W_O is the identity, because none was given."""
    drawn: tuple[str, ...]
    """The weights that were not given and are random."""


def setup_of_matrices(
    before: Setup, given: Mapping[str, np.ndarray], joined_heads: int = 1
) -> GivenSetup:
    """Return the setup of some matrices by their names; all of them together, or none.

    A matrix with two axes is one head's, or those of `joined_heads` heads side by side. A missing
    W_O is the identity of H·d_v. Of `before` stay the mask by rule (also if the given mask is the
    same), the scale, and the sentence, where X or Q do not have another number of rows. Raises
    `InputError`.
    """
    unknown = [name for name in given if name not in (*EDITABLE, "mask")]
    if unknown:
        names = listed_names(EDITABLE)
        raise input_error(TEXTS, "unknown_matrix", name=unknown[0][:20], names=names)
    check_numbers(given)
    edits = {name: _with_heads(name, array, joined_heads) for name, array in given.items()}
    heads = _count(edits, OF_QUERY_HEADS) or joined_heads
    groups = _count(edits, OF_KEY_HEADS) or heads
    d_model = size_of(edits, MODEL_FEATURES) or before.d_model
    base = before.left() if before.preset else before
    missing = [n for n in ("W_Q", "W_K", "W_V") if n not in edits and n[-1] not in edits]
    if "scores" in edits:
        missing = [name for name in missing if name == "W_V"]
    values = edits.get("V", edits.get("W_V"))
    identity = "W_O" not in edits and values is not None
    if identity and values is not None:
        edits["W_O"] = np.eye(heads * values.shape[-1])
    mask = edits.pop("mask", None)
    setup = replace(
        base,
        heads=heads,
        kv_heads=None if groups == heads else groups,
        d_model=d_model,
        edits=edits,
    )
    ruled = setup.trace["mask"]  # raises where they do not fit together
    if mask is not None and not np.array_equal(mask, ruled):
        setup = replace(setup, mask="custom", edits={**edits, "mask": mask})
        _ = setup.trace
    return GivenSetup(setup, identity, tuple(missing))


def _with_heads(name: str, array: np.ndarray, joined_heads: int) -> np.ndarray:
    """An array of all heads: one matrix is the only head's, or its columns are cut into heads."""
    if name not in _PER_HEAD or array.ndim != 2:
        return array
    if name == "scores" or joined_heads == 1:
        return array[None]
    rows, columns = array.shape
    if columns % joined_heads:
        raise input_error(
            TEXTS, "uncut", name=name, shape=shape_text(array.shape), heads=joined_heads
        )
    cut = array.reshape(rows, joined_heads, columns // joined_heads)
    return np.ascontiguousarray(cut.swapaxes(0, 1))


def _count(edits: Mapping[str, np.ndarray], names: tuple[str, ...]) -> int:
    """How many heads the first of these arrays that is given has; 0 where none is."""
    return next((len(edits[name]) for name in names if name in edits), 0)
