"""The checks of an exercise: whether each step is right, and if not, what is wrong with it.

This file is copied into every exercise, so it needs only numpy and has its own messages.
"""

import base64
import builtins
import itertools
import json
import sys
import zlib
from typing import Any

import numpy as np

CLOSE = 1e-9
"""Largest error of a number, relative to the largest of its array (or to 1)."""


class NotRightError(Exception):
    """What is not right yet. It is shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Checks:
    """`check(name, array)` for each step, in order; it stops at the first that is not right.

    `packed` is the result of `pack`: for each step its shape, its numbers, what it is computed
    from, and the marks of known mistakes.
    """

    def __init__(self, packed: str) -> None:
        self.steps: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed)))
        self.right: dict[str, Any] = {}

    def __call__(self, name: str, array: Any) -> None:
        """Print that a step is right, or raise `NotRightError` with what is wrong."""
        for step in itertools.takewhile(lambda step: step != name, self.steps):
            if step not in self.right:
                raise NotRightError(f"{step} comes before {name}, and is not right yet.")
            if fault := self.fault(step, self.right[step]):
                raise NotRightError(
                    f"{step} was right and is not any more: your line for {name} changed it. "
                    f"{fault}"
                )
        self.right.pop(name, None)
        if fault := self.fault(name, array):
            raise NotRightError(f"{name} is the first step that is not right. {fault}")
        self.right[name] = array
        print(f"{name} is right.")
        if len(self.right) == len(self.steps):
            print(f"All {len(self.steps)} steps are right: {', '.join(self.steps)}.")

    def fault(self, name: str, array: Any) -> str:
        """Return what is wrong with a step; "" if nothing is."""
        step = self.steps[name]
        wanted = _numbers(step)
        if fault := _no_array(array) or _wrong_kind(array, wanted):
            return fault
        if agrees(array, wanted):
            return ""
        return (
            self.known(name, array)
            or _other_axes(array, wanted)
            or _wrong_shape(array, wanted)
            or _wrong_numbers(name, array, wanted)
        )

    def known(self, name: str, array: np.ndarray) -> str:
        """Return the mistakes that give exactly these numbers, or the step that has them."""
        if found := named(array, self.steps[name]["known"]):
            return f"These are the numbers of a known mistake. {' Or: '.join(found)}"
        for other, step in self.steps.items():
            if other != name and agrees(array, _numbers(step)):
                return f"These are the numbers of {other}."
        return ""

    def hint(self) -> str:
        """Return what the next step is computed from, in case Python stops before its check."""
        name = next((step for step in self.steps if step not in self.right), "")
        if not name:
            return ""
        made_of = (f"{part} is {shape}" for part, shape in self.steps[name]["reads"].items())
        shape = _shape(self.steps[name]["shape"])
        return f"The next step is {name}, {shape}. {'; '.join(made_of)}."


def listen(check: Checks) -> None:
    """From now on show what is not right without a traceback, and Python's errors with a hint."""

    def shown(kind: type, error: BaseException, trace: Any) -> None:
        if isinstance(error, NotRightError):
            print(error, file=sys.stderr)
            return
        sys.__excepthook__(kind, error, trace)
        print(check.hint(), file=sys.stderr)

    def shown_in_notebook(
        shell: Any, kind: type, error: BaseException, trace: Any, tb_offset: Any = None
    ) -> None:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        if not isinstance(error, NotRightError):
            print(check.hint(), file=sys.stderr)

    sys.excepthook = shown
    if shell := getattr(builtins, "get_ipython", lambda: None)():
        shell.set_custom_exc((Exception,), shown_in_notebook)


def marks(array: Any) -> list[float]:
    """Return sums over an array that distinguish it: each cell has another weight in each sum.

    Numbers that are not finite are counted in separate sums.
    """
    flat = np.asarray(array, dtype=float).ravel()
    weights = np.cos(np.sqrt([[2.0], [3.0], [5.0]]) * np.arange(1, flat.size + 1))
    finite = np.where(np.isfinite(flat), flat, 0.0)
    kinds = 1.0 * np.isnan(flat) + 2.0 * np.isposinf(flat) + 3.0 * np.isneginf(flat)
    return [float(total) for total in (*(weights @ finite), *(weights @ kinds))]


def pack(steps: dict[str, Any]) -> str:
    """Return what `Checks` reads, in lines of 96 characters."""
    text = base64.b64encode(zlib.compress(json.dumps(steps).encode(), 9)).decode()
    return "\n".join(text[start : start + 96] for start in range(0, len(text), 96))


def named(array: np.ndarray, known: list[Any]) -> list[str]:
    """Return the known mistakes that give exactly these numbers, each with its reason."""
    found = marks(array)
    close = CLOSE * _largest(array.astype(float))
    return [
        f"{title[0].upper()}{title[1:]}. {why}"
        for title, why, shape, theirs in known
        if list(array.shape) == list(shape) and np.allclose(found, theirs, rtol=0, atol=close)
    ]


def agrees(array: np.ndarray, wanted: np.ndarray) -> bool:
    """Return whether an array has the expected shape and numbers, up to rounding."""
    return array.shape == wanted.shape and not _off(array, wanted).any()


def _numbers(step: Any) -> np.ndarray:
    """Return the expected array of a step."""
    kind = bool if step["boolean"] else float
    return np.array(step["numbers"], dtype=kind).reshape(step["shape"])


def _no_array(array: Any) -> str:
    if array is ...:
        return "It is still a blank: put your line in place of `...`."
    if array is None:
        return "It is None: a function without `return` gives None."
    if isinstance(array, list | tuple):
        return f"It is a {type(array).__name__}, not an array: convert it with np.array."
    if not isinstance(array, np.ndarray):
        return f"It is a {type(array).__name__}, not a numpy array."
    return ""


def _wrong_kind(array: np.ndarray, wanted: np.ndarray) -> str:
    if array.dtype.kind not in "biuf":
        return f"It holds {array.dtype}, not numbers: do all rows have the same length?"
    if (wanted.dtype == bool) == (array.dtype == bool):
        return ""
    if wanted.dtype == bool:
        return f"It holds {array.dtype}, but True and False are expected: True means visible."
    return "It holds True and False, but numbers are expected."


def _off(array: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return which cells are not as expected."""
    numbers = wanted.astype(float)
    close = CLOSE * _largest(numbers)
    off: np.ndarray = ~np.isclose(array.astype(float), numbers, rtol=0, atol=close, equal_nan=True)
    return off


def _other_axes(array: np.ndarray, wanted: np.ndarray) -> str:
    """Return the fault if the numbers are right and the axes are in another order."""
    orders = itertools.permutations(range(array.ndim))
    order = next((o for o in orders if agrees(array.transpose(o), wanted)), None)
    if order is None:
        return ""
    if wanted.dtype == bool:
        return "It is transposed: row i is for query i, and column j for key j."
    said = "Its numbers are right, but its axes are in another order"
    if array.shape != wanted.shape:
        return f"{said}: it is {_shape(array.shape)}, but {_shape(wanted.shape)} is expected."
    return f"{said}: transpose it by {order}."


def _wrong_shape(array: np.ndarray, wanted: np.ndarray) -> str:
    if array.shape == wanted.shape:
        return ""
    return f"It is {_shape(array.shape)}, but {_shape(wanted.shape)} is expected."


def _wrong_numbers(name: str, array: np.ndarray, wanted: np.ndarray) -> str:
    off = _off(array, wanted)
    if wanted.dtype == bool:
        return _wrong_mask(name, array, wanted)
    said = (
        f"{off.sum()} of {off.size} numbers are wrong. The first: {_first(name, off)} is "
        f"{_number(array[_at(off)])}, but {_number(wanted[_at(off)])} is expected."
    )
    return f"{said} {_in_common(array.astype(float), wanted.astype(float), off)}".strip()


def _wrong_mask(name: str, array: np.ndarray, wanted: np.ndarray) -> str:
    """Return how a mask is wrong."""
    opened, closed = array & ~wanted, wanted & ~array
    if not (array == wanted).any():
        return "It is inverted: True means visible."
    said = []
    if opened.any():
        said.append(
            f"It is too open: {opened.sum()} of {(~wanted).sum()} hidden cells are True. The first "
            f"is {_first(name, opened)}."
        )
    if closed.any():
        said.append(
            f"It is too closed: {closed.sum()} of {wanted.sum()} visible cells are False. The "
            f"first is {_first(name, closed)}."
        )
    return " ".join(said)


def _at(off: np.ndarray) -> tuple[int, ...]:
    """Return the first cell that is True."""
    return tuple(int(n) for n in np.argwhere(off)[0])


def _first(name: str, off: np.ndarray) -> str:
    return f"{name}[{', '.join(map(str, _at(off)))}]"


def _in_common(array: np.ndarray, wanted: np.ndarray, off: np.ndarray) -> str:
    """Return what all wrong numbers have in common, if it is something simple."""
    if np.isnan(array[off]).all():
        return "NaN comes from 0/0, ∞ − ∞ or 0 × ∞."
    if np.isneginf(wanted[off]).all():
        return "−∞ is expected in place of each wrong number."
    both = np.isfinite(array) & np.isfinite(wanted)
    if not both[off].all():
        return ""
    apart = np.abs(array - wanted)[both].max()
    if apart < 1e-5 * _largest(wanted):
        return f"They are off by {apart:.0e} at most: is something not in float64?"
    counts = both & (np.abs(wanted) > CLOSE)
    if not counts[off].all():
        return ""
    ratios = array[counts] / wanted[counts]
    if len(ratios) > 1 and np.ptp(ratios) < 1e-6 * abs(ratios[0]):
        return f"Each number is {ratios[0]:.4g} times what is expected."
    return ""


def _largest(array: np.ndarray) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=1.0))


def _number(value: Any) -> str:
    return str(value) if isinstance(value, np.bool_) else f"{value:.6g}"


def _shape(shape: Any) -> str:
    return " × ".join(map(str, shape)) or "a single number"
