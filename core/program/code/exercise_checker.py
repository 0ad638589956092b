"""The checks of an exercise: whether each step is right, and if not, what is wrong with it.

This file is copied into every exercise, so it needs only numpy; its messages
(core/texts/en/exercise_checks.md) come with the numbers that it compares with.
"""

import base64
import builtins
import itertools
import json
import sys
import zlib
from typing import Any

import numpy as np

Faults = list[tuple[str, dict[str, Any]]]
"""What is wrong: the id of each message, and what is filled into it."""

CLOSE = 1e-9
"""Largest error of a number, relative to the largest of its array (or to 1)."""


class NotRightError(Exception):
    """What is not right yet. It is shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Checks:
    """`check(name, array)` for each step, in order; it stops at the first that is not right.

    `packed` is the result of `packed_checks`: the messages by id, and for each step its shape, its
    numbers, what it is computed from, and the marks of known mistakes.
    """

    def __init__(self, packed: str) -> None:
        read = json.loads(zlib.decompress(base64.b64decode(packed)))
        self.texts: dict[str, str] = read["texts"]
        self.steps: dict[str, Any] = read["steps"]
        self.right: dict[str, Any] = {}

    def __call__(self, name: str, array: Any) -> None:
        """Print that a step is right, or raise `NotRightError` with what is wrong."""
        for step in itertools.takewhile(lambda step: step != name, self.steps):
            if step not in self.right:
                raise NotRightError(self.text("comes_before", step=step, name=name))
            if fault := self.fault(step, self.right[step]):
                changed = self.text("changed_since", step=step, name=name)
                raise NotRightError(f"{changed} {fault}")
        self.right.pop(name, None)
        if fault := self.fault(name, array):
            raise NotRightError(f"{self.text('first_wrong', name=name)} {fault}")
        self.right[name] = array
        print(self.text("step_right", name=name))
        if len(self.right) == len(self.steps):
            print(self.text("all_right", n=len(self.steps), names=", ".join(self.steps)))

    def text(self, id: str, **values: Any) -> str:
        """Return a message with these values filled in."""
        return self.texts[id].format(**values)

    def fault(self, name: str, array: Any) -> str:
        """Return what is wrong with a step; "" if nothing is."""
        return " ".join(self.text(id, **values) for id, values in self.faults(name, array))

    def faults(self, name: str, array: Any) -> Faults:
        """Return the messages that say what is wrong with a step."""
        wanted = _numbers(self.steps[name])
        if faults := _no_array(array) or _wrong_kind(array, wanted):
            return faults
        if agrees(array, wanted):
            return []
        return (
            self.known(name, array)
            or _other_axes(array, wanted)
            or _wrong_shape(array, wanted)
            or _wrong_numbers(name, array, wanted)
        )

    def known(self, name: str, array: np.ndarray) -> Faults:
        """Return the mistakes that give exactly these numbers, or the step that has them."""
        if found := named(array, self.steps[name]["known"]):
            ids = ["known_mistake"] + ["other_mistake"] * (len(found) - 1)
            return [(id, {"mistake": mistake}) for id, mistake in zip(ids, found, strict=True)]
        for other, step in self.steps.items():
            if other != name and agrees(array, _numbers(step)):
                return [("other_step", {"step": other})]
        return []

    def hint(self) -> str:
        """Return what the next step is computed from, in case Python stops before its check."""
        name = next((step for step in self.steps if step not in self.right), "")
        if not name:
            return ""
        reads = "; ".join(
            self.text("has_shape", name=part, shape=shape)
            for part, shape in self.steps[name]["reads"].items()
        )
        return self.text(
            "next_step", name=name, shape=_shape(self.steps[name]["shape"]), reads=reads
        )


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


def packed_checks(texts: dict[str, str], steps: dict[str, Any]) -> str:
    """Return what `Checks` reads, in lines of 96 characters."""
    packed = json.dumps({"texts": texts, "steps": steps}).encode()
    text = base64.b64encode(zlib.compress(packed, 9)).decode()
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


def _no_array(array: Any) -> Faults:
    kind = type(array).__name__
    if array is ...:
        return [("still_blank", {})]
    if array is None:
        return [("is_none", {})]
    if isinstance(array, list | tuple):
        return [("is_list", {"kind": kind})]
    if not isinstance(array, np.ndarray):
        return [("is_no_array", {"kind": kind})]
    return []


def _wrong_kind(array: np.ndarray, wanted: np.ndarray) -> Faults:
    kind = {"kind": array.dtype}
    if array.dtype.kind not in "biuf":
        return [("no_numbers", kind)]
    if (wanted.dtype == bool) == (array.dtype == bool):
        return []
    return [("no_booleans", kind) if wanted.dtype == bool else ("only_booleans", {})]


def _off(array: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return which cells are not as expected."""
    numbers = wanted.astype(float)
    close = CLOSE * _largest(numbers)
    off: np.ndarray = ~np.isclose(array.astype(float), numbers, rtol=0, atol=close, equal_nan=True)
    return off


def _other_axes(array: np.ndarray, wanted: np.ndarray) -> Faults:
    """Return the fault if the numbers are right and the axes are in another order."""
    orders = itertools.permutations(range(array.ndim))
    order = next((o for o in orders if agrees(array.transpose(o), wanted)), None)
    if order is None:
        return []
    if wanted.dtype == bool:
        return [("transposed_mask", {})]
    if array.shape != wanted.shape:
        return [("other_axes", {"shape": _shape(array.shape), "wanted": _shape(wanted.shape)})]
    return [("other_order", {"order": order})]


def _wrong_shape(array: np.ndarray, wanted: np.ndarray) -> Faults:
    if array.shape == wanted.shape:
        return []
    return [("wrong_shape", {"shape": _shape(array.shape), "wanted": _shape(wanted.shape)})]


def _wrong_numbers(name: str, array: np.ndarray, wanted: np.ndarray) -> Faults:
    off = _off(array, wanted)
    if wanted.dtype == bool:
        return _wrong_mask(name, array, wanted)
    first = {
        "n": off.sum(),
        "size": off.size,
        "cell": _first(name, off),
        "number": _number(array[_at(off)]),
        "wanted": _number(wanted[_at(off)]),
    }
    return [("wrong_numbers", first), *_in_common(array.astype(float), wanted.astype(float), off)]


def _wrong_mask(name: str, array: np.ndarray, wanted: np.ndarray) -> Faults:
    """Return how a mask is wrong."""
    if not (array == wanted).any():
        return [("inverted_mask", {})]
    wrong = {"too_open": (array & ~wanted, ~wanted), "too_closed": (wanted & ~array, wanted)}
    return [
        (id, {"n": off.sum(), "size": of.sum(), "cell": _first(name, off)})
        for id, (off, of) in wrong.items()
        if off.any()
    ]


def _at(off: np.ndarray) -> tuple[int, ...]:
    """Return the first cell that is True."""
    return tuple(int(n) for n in np.argwhere(off)[0])


def _first(name: str, off: np.ndarray) -> str:
    return f"{name}[{', '.join(map(str, _at(off)))}]"


def _in_common(array: np.ndarray, wanted: np.ndarray, off: np.ndarray) -> Faults:
    """Return what all wrong numbers have in common, if it is something simple."""
    if np.isnan(array[off]).all():
        return [("all_nan", {})]
    if np.isneginf(wanted[off]).all():
        return [("should_be_hidden", {})]
    both = np.isfinite(array) & np.isfinite(wanted)
    if not both[off].all():
        return []
    apart = np.abs(array - wanted)[both].max()
    if apart < 1e-5 * _largest(wanted):
        return [("little_off", {"apart": f"{apart:.0e}"})]
    counts = both & (np.abs(wanted) > CLOSE)
    if not counts[off].all():
        return []
    ratios = array[counts] / wanted[counts]
    if len(ratios) > 1 and np.ptp(ratios) < 1e-6 * abs(ratios[0]):
        return [("same_ratio", {"ratio": f"{ratios[0]:.4g}"})]
    return []


def _largest(array: np.ndarray) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=1.0))


def _number(value: Any) -> str:
    return str(value) if isinstance(value, np.bool_) else f"{value:.6g}"


def _shape(shape: Any) -> str:
    return " × ".join(map(str, shape)) or "a number"
