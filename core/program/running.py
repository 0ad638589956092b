"""Running a program: inputs checked, every step computed in order."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from core.errors import input_error
from core.program.patterns import SizeConflictError, bind
from core.program.steps import Listing, Step
from core.program.trace import BoundStep, Trace
from core.texts import core_texts

TEXTS = core_texts("program")

Settle = Callable[[str, np.ndarray], np.ndarray]
"""From the name of an array and its numbers to the numbers that the run goes on with."""


def run_program(
    listing: Listing,
    inputs: Mapping[str, ArrayLike],
    pinned: Mapping[str, ArrayLike] | None = None,
    settle: Settle = lambda name, numbers: numbers,
) -> Trace:
    """Compute every step. A pinned array is taken as given, and its step is not computed.

    Each array, given or computed, is settled before a later step uses it: as it is, unless `settle`
    says otherwise. Raises `InputError` for a name, shape or value that does not fit.
    """
    pinned = dict(pinned or {})
    _check_names(listing, inputs, pinned)
    arrays = {i.name: checked_array(i.name, inputs[i.name], i.boolean) for i in listing.inputs}
    bound: dict[str, BoundStep] = {}
    carried = getattr(inputs, "noise", {})
    noise = {name: carried.get(name, 0.0) for name in arrays}
    for array, letters in listing.letters.items():
        if array in pinned:
            made_by = listing.step[array].operation
            arrays[array] = checked_array(
                array, pinned[array], made_by.boolean, minus_inf=made_by.makes_minus_inf
            )
            noise[array] = 0.0
        if array in arrays:
            _check_axes(listing, array, letters, arrays[array])
            arrays[array] = settle(array, arrays[array])
    for step in listing.steps:
        if step.name in pinned:
            continue
        computed = _compute(listing, step, arrays)
        arrays[step.name] = settle(step.name, computed.result)
        bound[step.name] = replace(computed, result=arrays[step.name])
        noise[step.name] = step.operation.noise(
            [arrays[n] for n in step.operands], [noise[n] for n in step.operands]
        )
    ordered = {n: arrays[n] for n in listing.names}
    for made in ordered.values():
        made.setflags(write=False)
    numbers = map(str, range(1, len(arrays[listing.names[0]]) + 1))
    tokens = tuple(getattr(inputs, "tokens", None) or numbers)
    more_tokens, labels = getattr(inputs, "more_tokens", {}), getattr(inputs, "labels", {})
    return Trace(
        listing, ordered, bound, noise, tokens, frozenset(pinned), more_tokens, labels=labels,
        random_rows=_random_rows(listing, getattr(inputs, "random_rows", {})),
    )  # fmt: skip


def _random_rows(
    listing: Listing, drawn: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """The rows that were drawn at random, and what the run makes of them along the same axes."""
    return {
        name: rows
        for array, rows in drawn.items()
        for name in listing.names
        if listing.letters[name] == listing.letters[array]
    }


def _check_names(
    listing: Listing, inputs: Mapping[str, object], pinned: Mapping[str, object]
) -> None:
    wanted, steps = [i.name for i in listing.inputs], [s.name for s in listing.steps]
    for missing in (n for n in wanted if n not in inputs):
        raise input_error(TEXTS, "missing", array=missing)
    for extra in (n for n in inputs if n not in wanted):
        raise input_error(
            TEXTS, "no_input", array=extra, inputs=", ".join(wanted), is_step=extra in steps
        )
    for extra in (n for n in pinned if n not in steps):
        raise input_error(TEXTS, "no_step", array=extra, steps=", ".join(steps))


def _check_axes(listing: Listing, array: str, letters: tuple[str, ...], value: np.ndarray) -> None:
    names = " × ".join(listing.axis(letter).name for letter in letters)
    if value.ndim != len(letters):
        raise input_error(
            TEXTS, "axis_count", array=array, axes=value.ndim, wanted=len(letters), names=names
        )
    for letter, size in zip(letters, value.shape, strict=True):
        fixed = listing.sizes.get(letter, size)
        if size != fixed or size == 0:
            axis = listing.axis(letter).name
            raise input_error(
                TEXTS, "axis_size", array=array, size=size, axis=axis, wanted=fixed, names=names
            )


def _compute(listing: Listing, step: Step, arrays: Mapping[str, np.ndarray]) -> BoundStep:
    operation = step.operation
    operands = [arrays[n] for n in step.operands]
    shapes = tuple(o.shape for o in operands)
    reads = tuple(step.operands[slot] for slot in operation.slots or range(len(operands)))
    numbers = operation.numbers(shapes)
    read_shapes = [arrays[read].shape for read in reads]
    try:
        bind(operation.template, read_shapes, numbers=numbers)
        result = operation.forward(*operands)
        pattern = bind(operation.template, read_shapes, result.shape, numbers)
    except SizeConflictError as conflict:
        read = reads[conflict.operand]
        axis = listing.axis(listing.letters[read][conflict.axis]).name
        sizes = {"found": conflict.found, "expected": conflict.expected}
        raise input_error(
            TEXTS, "two_sizes", array=read, axis=axis, step=step.name, **sizes
        ) from None
    return BoundStep(step, reads, pattern, result, shapes)


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
