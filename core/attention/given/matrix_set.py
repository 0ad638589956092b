"""A whole set of matrices that somebody has: the heads and the sizes follow from their shapes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.attention.given import starting_points
from core.attention.given.given_arrays import ask_about_opposite, check_hides, mask_of_array
from core.attention.layers.biases import BIASES
from core.attention.setups import EDITABLE, GIVABLE, OF_PAIRS, Setup, check_numbers, size_of
from core.errors import InputError, input_error
from core.program.labels import listed_names
from core.program.numbers.display import shape_text
from core.texts import core_texts

TEXTS = core_texts("setups")
VISIBLE, HIDDEN = "visible", "hidden"
"""What 1 and True may mean in a mask."""
PINNED = "pinned."
"""Before the name of a result that a downloaded run started from."""
_BEFORE_WEIGHTS = ("X", *starting_points.PROJECTIONS, "b_Q", "b_K", "b_V", "Q", "K", "scores")
OF_QUERY_HEADS = ("W_Q", "Q", "scores", "weights")
OF_KEY_HEADS = ("W_K", "W_V", "K", "V")
MODEL_FEATURES = {"X": -1, "W_Q": -2, "W_K": -2, "W_V": -2}
"""The axis of a matrix that counts the features of X."""


@dataclass(frozen=True, eq=False)
class GivenSetup:
    """The setup of some matrices, and what stands for those that are missing."""

    setup: Setup
    identity: bool = False
    """Whether W_O is the identity, because none was given."""
    drawn: tuple[str, ...] = ()
    """The weights that were not given and are random."""
    following: tuple[str, ...] = ()
    """Results that were given and are not used: they follow from the others."""
    before_start: tuple[str, ...] = ()
    """What was given and is not used: the run starts after it, at given results."""


def setup_with(
    setup: Setup,
    given: Mapping[str, np.ndarray],
    head: int = 0,
    joined_heads: int = 1,
    one_means: str = "",
) -> GivenSetup:
    """Return a setup with what is given, by the names of this product; all of it, or none.

    One matrix takes its place among the others, in `head` if it is one head's, and so do biases,
    masks and tokens; several matrices are a set of their own, whose sizes decide. A matrix of two
    axes may be those of `joined_heads` heads side by side. `one_means` is `VISIBLE` or `HIDDEN`,
    for a mask of 1 and 0; "": not said, and the usual one, visible, if the mask makes sense so.
    Raises `InputError`.
    """
    used, following, before_start = _used(given)
    unused: dict[str, Any] = {"following": following, "before_start": before_start}
    parts = [name for name in used if name in (*EDITABLE, "weights")]
    is_new_start = "weights" in used and not starting_points.starts_at_weights(setup.edits)
    if len(parts) > 1 or is_new_start:
        return replace(setup_of_matrices(setup, used, joined_heads, one_means), **unused)
    _check_effect(setup, used)
    try:
        changed = _in_its_place(setup, used, head, joined_heads, one_means)
        drawn = _missing(changed.edits) if setup.preset and not changed.preset else ()
        return GivenSetup(changed, drawn=drawn, **unused)
    except InputError as unfit:
        others = {**setup.edits}
        if "W_O" in others and np.array_equal(others["W_O"], np.eye(*others["W_O"].shape)):
            del others["W_O"]  # it stands in: another width of the values replaces it
        means = one_means if "mask" in used else VISIBLE  # as masks are kept
        try:
            made = setup_of_matrices(setup, {**others, **used}, joined_heads, means)
            return replace(made, **unused)
        except InputError:
            raise unfit from None


def _check_effect(setup: Setup, given: Mapping[str, np.ndarray]) -> None:
    """Raise `InputError` for a matrix before the place where the setup's run starts."""
    start = [name for name in "QKV" if name in setup.edits]
    idle = {name for result in start for name in _projecting(result)}
    if starting_points.starts_at_vectors(setup.edits):
        idle.add("X")
    if starting_points.starts_at_weights(setup.edits):
        start, idle = ["weights"], {*_BEFORE_WEIGHTS}
    for name in given:
        if name in idle:
            raise input_error(TEXTS, "no_effect", name=name, start=listed_names(start))


def setup_of_matrices(
    before: Setup, given: Mapping[str, np.ndarray], joined_heads: int = 1, one_means: str = ""
) -> GivenSetup:
    """Return the setup of some matrices by their names; all of them together, or none.

    A matrix with two axes is one head's, or those of `joined_heads` heads side by side. A missing
    W_O is the identity of H·d_v. Of `before` stay the mask by rule (also if the given mask is the
    same), the scale, and the sentence, where X or Q do not have another number of rows. Raises
    `InputError`.
    """
    unknown = [name for name in given if name not in GIVABLE]
    if unknown:
        names = listed_names(EDITABLE)
        raise input_error(TEXTS, "unknown_matrix", name=unknown[0][:20], names=names)
    pairs = {name: given[name] for name in OF_PAIRS if name in given}
    edits = {name: array for name, array in given.items() if name not in pairs}
    check_numbers(edits)
    edits = _by_heads(edits, joined_heads)
    heads = _count(edits, OF_QUERY_HEADS) or joined_heads
    groups = _count(edits, OF_KEY_HEADS) or heads
    d_model = size_of(edits, MODEL_FEATURES) or before.d_model
    base = before.left() if before.preset else before
    missing = _missing(edits)
    values = edits.get("V", edits.get("W_V"))
    identity = "W_O" not in edits and values is not None
    if identity and values is not None:
        edits["W_O"] = np.eye(heads * values.shape[-1])
    kv_heads = None if groups == heads else groups
    setup = replace(base, heads=heads, kv_heads=kv_heads, d_model=d_model, edits=edits)
    _ = setup.trace  # raises where they do not fit together
    for name, array in pairs.items():
        setup = _with_pairs(setup, name, array, one_means)
    return GivenSetup(setup, identity, missing)


def _missing(edits: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """The weights that are needed and were not given."""
    if "weights" in edits:
        return ()
    if "scores" in edits:
        return () if {"V", "W_V"} & set(edits) else ("W_V",)
    return tuple(n for n in starting_points.PROJECTIONS if n not in edits and n[-1] not in edits)


def _used(
    given: Mapping[str, np.ndarray],
) -> tuple[dict[str, np.ndarray], tuple[str, ...], tuple[str, ...]]:
    """What counts of a set; which results do not, because they follow from what is before them;
    and what does not, because the run starts after it.
    """
    made = {name for name in "QKV" if {"X", f"W_{name}"} <= set(given)}
    following = made & set(given)
    known = made | set(given)
    if {"Q", "K"} <= known:
        following |= {"scores", "weights"} & set(given)
    elif "scores" in given:
        following |= {"weights"} & set(given)
    starts = [name for name in "QKV" if name in given and name not in following]
    before = {name for result in starts for name in _projecting(result)}
    if "weights" in given and "weights" not in following:
        before |= {*_BEFORE_WEIGHTS}
    before &= set(given)
    used = {n: a for n, a in given.items() if n not in following | before}
    for name in starting_points.PINNABLE:
        if (start := given.get(f"{PINNED}{name}")) is not None:
            used[name] = start
            used.pop(f"{PINNED}{name}")
    return (
        used,
        tuple(name for name in given if name in following and name not in used),
        tuple(name for name in given if name in before),
    )


def _projecting(result: str) -> tuple[str, str]:
    """What makes Q, K or V of X."""
    return f"W_{result}", f"b_{result}"


def _in_its_place(
    setup: Setup, given: Mapping[str, np.ndarray], head: int, joined_heads: int, one_means: str
) -> Setup:
    """The setup with one matrix replaced, and perhaps tokens; an example that has none is left."""
    edits = {name: array for name, array in given.items() if name not in OF_PAIRS}
    if joined_heads > 1 or not set(edits) <= set(setup.trace):
        edits = _by_heads(edits, joined_heads)
    try:
        changed = setup.edited(edits, head)
    except InputError:
        if not setup.preset:
            raise
        changed = setup.left().edited(edits, head)
    for name in OF_PAIRS:
        if name in given:
            changed = _with_pairs(changed, name, given[name], one_means)
    return changed


def _with_pairs(setup: Setup, name: str, array: np.ndarray, one_means: str) -> Setup:
    """The setup with a mask or a bias for each pair of a query and a key. Raises `InputError`.

    A mask that is the rule's own leaves the rule. Numbers that are added and hide nothing leave it
    too if they are called a bias; as a mask they are all there is.
    """
    heads, T, S = setup.trace["weights"].shape
    read = mask_of_array(_meant(array, one_means, T), heads, T, S)
    scored = setup.trace.program.step["masked"].operands[0] if "masked" in setup.trace else ""
    if not scored:
        raise input_error(TEXTS, "masked_weights", name=name)
    edits = {n: a for n, a in setup.edits.items() if n not in OF_PAIRS or n not in (name, "bias")}
    if read.bias is not None:
        edits["bias"] = np.array(read.bias)
    changed = replace(setup, edits=edits)
    if read.visible is not None:
        visible = np.array(read.visible)
        if visible.ndim == 3 and (visible == visible[0]).all():
            visible = visible[0]  # all heads have the same
        if not np.array_equal(visible, setup.trace["mask"]):
            changed = replace(changed, mask="custom", edits={**edits, "mask": visible})
    elif name == "mask":
        changed = replace(changed, mask="none")
    check_hides(read, changed.trace[scored])
    return changed


def _meant(array: np.ndarray, one_means: str, T: int) -> np.ndarray:
    """A mask or a bias as PyTorch takes it: booleans, True = visible, or what is added."""
    if array.dtype.kind != "b" and not (np.isin(array, (0, 1)).all() and array.any()):
        return array
    flags = array.astype(bool)
    if one_means == HIDDEN:
        return ~flags
    if not one_means:
        ask_about_opposite(flags, is_padding=T > 1 and flags.ndim > 1 and flags.shape[-2] == 1)
    return flags


def _by_heads(given: Mapping[str, np.ndarray], joined_heads: int) -> dict[str, np.ndarray]:
    """Arrays with an axis of heads where they have one here.

    The queries' columns are those of `joined_heads` heads side by side; so many heads of keys and
    values as have that width are in theirs.
    """
    edits = {**given}
    groups = joined_heads
    for name in OF_QUERY_HEADS:
        if name in edits:
            edits[name] = _cut(name, edits[name], joined_heads)
    width = size_of({n: a for n, a in edits.items() if a.ndim == 3}, {"W_Q": -1, "Q": -1})
    keys = size_of(given, {name: -1 for name in ("W_K", "K") if np.ndim(given.get(name, 0)) == 2})
    if width and keys and keys % width == 0:
        groups = keys // width
    for name in OF_KEY_HEADS:
        if name in edits:
            edits[name] = _cut(name, edits[name], groups)
    for name in BIASES:
        if name in edits:
            count = joined_heads if name == "b_Q" else groups
            edits[name] = _bias_by_heads(name, edits[name], count)
    return edits


def _bias_by_heads(name: str, bias: np.ndarray, heads: int) -> np.ndarray:
    """A bias as heads × features, and that of the output as a list."""
    if name == "b_O":
        return bias.ravel()
    return bias.reshape(heads, -1) if len(bias) == 1 and bias.size % heads == 0 else bias


def _cut(name: str, array: np.ndarray, heads: int) -> np.ndarray:
    """An array of all heads: one matrix is the only head's, or its columns are cut into heads."""
    if array.ndim != 2:
        return array
    if name in ("scores", "weights") or heads == 1:
        return array[None]
    rows, columns = array.shape
    if columns % heads:
        raise input_error(TEXTS, "uncut", name=name, shape=shape_text(array.shape), heads=heads)
    cut = array.reshape(rows, heads, columns // heads)
    return np.ascontiguousarray(cut.swapaxes(0, 1))


def _count(edits: Mapping[str, np.ndarray], names: tuple[str, ...]) -> int:
    """How many heads the first of these arrays that is given has; 0 where none is."""
    return next((len(edits[name]) for name in names if name in edits), 0)
