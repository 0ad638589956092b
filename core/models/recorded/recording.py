"""What was captured of a person's own model: its calls of attention, and their heads on the stage.

Calls, heads and positions count from 0, as in PyTorch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from core.attention.given.attention_from import attention_from
from core.attention.given.given_arrays import MOST_WEIGHT, position_tokens
from core.attention.masks import LOWER_RIGHT, Rule
from core.errors import InputError, input_error
from core.limits import HIDES, MOST_FEATURES, MOST_MAPPED, MOST_POSITIONS, MOST_REAL_HEADS
from core.models.captures import MAP_STEPS
from core.program.numbers.rounding import decimal_text
from core.program.patterns import Shape
from core.program.trace import Trace
from core.pytorch.recorded_call import MOST_OUTPUT, REQUIRED, RecordedCall
from core.texts import core_texts

TEXTS = core_texts("recordings")

WINDOW = 64
"""So many queries of a head are on the stage if it has more positions than the stage takes."""
ROUNDINGS = 8.0
"""Weights that are further apart than so many roundings of a number were made in another way."""
_A_WHOLE = 0.005
"""A row of weights whose sum is as near to 1 is said to add up to 1."""
Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Recording:
    """Calls of attention in the order in which a model made them.

    `tokens` name the queries, `key_tokens` the keys, of calls that have as many; None: not given.
    `notes` says in sentences which calls are not here and why, and whether names are of no use.
    """

    calls: Sequence[RecordedCall]
    tokens: Names | None = None
    key_tokens: Names | None = None
    notes: Sequence[str] = ()
    is_current: Callable[[], bool] = lambda: True
    """Whether the file that it is read from, if any, is still the one that was opened."""

    def __repr__(self) -> str:
        lines = [TEXTS("recording", n=len(self.calls))]
        lines += [
            TEXTS("call", number=n, name=one.name, function=one.function, H=one.n_heads,
                  G=one.n_kv_heads, T=one.n_queries, S=one.n_keys)
            for n, one in enumerate(self.calls)
        ]  # fmt: skip
        return "\n".join([*lines, *self.notes])

    def find(self, call: int | str) -> RecordedCall:
        """Return a call by its number, or the first with a name. Raises `InputError`."""
        named = {one.name: one for one in reversed(self.calls)}
        if isinstance(call, str) and call in named:
            return named[call]
        if not isinstance(call, str) and 0 <= call < len(self.calls):
            return self.calls[call]
        last = len(self.calls) - 1
        given = repr(call)[:60]
        raise input_error(TEXTS, "no_call", given=given, last=last, example=self.calls[0].name)

    def is_causal(self, call: int | str = 0) -> bool:
        """Return whether the mask of a call, in all its heads, hides later tokens and no others."""
        one = self.find(call)
        by_head = len(one.shapes.get("mask", ())) > 2
        heads = range(one.n_heads if by_head else 1)
        return all(_mask(one, head, slice(None))[1] for head in heads)

    def maps(self, call: int | str = 0) -> UInt8[np.ndarray, "H T S"]:
        """Return a call's weights in steps of 1/255, for pictures: each is off by at most 0.002."""
        steps = self.find(call)["weights"] * np.float32(MAP_STEPS)
        return np.rint(steps, out=steps).astype(np.uint8)

    def trace(self, call: int | str = 0, head: int = 0, first: int = 0) -> Trace:
        """Return one head as a run from Q, K and V on, with its mask and its scale.

        Of a head with more than 256 queries or keys it is a window: 64 queries, the first of them
        at position `first`, and the keys they may see. If something else came between scores and
        weights (a cap, a sink), or a run cannot have the scale or a score, it begins at the
        weights: `trace_and_reason` says why. Raises `InputError`.
        """
        return self.trace_and_reason(call, head, first)[0]

    def trace_and_reason(
        self, call: int | str = 0, head: int = 0, first: int = 0
    ) -> tuple[Trace, str]:
        """Return the same run, and why it begins at the weights; "" if it begins at Q, K and V."""
        one = self.find(call)
        T, S = one.n_queries, one.n_keys
        for name, value, size in (("head", head, one.n_heads), ("first", first, T)):
            if not 0 <= value < size:
                raise input_error(TEXTS, "no_place", name=name, value=value, last=size - 1)
        rows = slice(first, first + WINDOW if max(T, S) > MOST_POSITIONS else T)
        head_of_keys = head * one.n_kv_heads // one.n_heads
        Q, weights = one["Q"][head, rows], one["weights"][head, rows]
        K, V = one["K"][head_of_keys], one["V"][head_of_keys]
        mask, causal = _mask(one, head, rows)
        if causal:
            seen = first + len(Q)
            K, V, weights = K[:seen], V[:seen], weights[:, :seen]
        queries, keys = self.names(one)
        named = {
            "tokens": (queries or position_tokens(T))[rows],
            "key_tokens": (keys or position_tokens(S))[: len(K)],
        }
        usual = bool(np.isclose(one.scale, Q.shape[1] ** -0.5, rtol=1e-6))
        scale = usual or one.scale
        try:
            made = attention_from(Q, K, V, mask=mask, corner=LOWER_RIGHT, scale=scale, **named)
        except InputError as error:  # a scale, a mask or a score that no run has
            reason: str = TEXTS("no_such_run", error=str(error))
        else:
            if _agree(made, weights, one.precision):
                return made, ""
            reason = _other_weights(made, weights)
        return attention_from(weights=weights, V=V, **named), reason

    def names(self, call: RecordedCall) -> tuple[Names | None, Names | None]:
        """Return the names of a call's queries and keys; None for those that do not fit it."""
        queries, keys = self.tokens, self.key_tokens or self.tokens
        return (
            queries if queries and len(queries) == call.n_queries else None,
            keys if keys and len(keys) == call.n_keys else None,
        )


def _mask(call: RecordedCall, head: int, rows: slice) -> tuple[str | np.ndarray, bool]:
    """A head's mask as `attention_from` takes it, and whether it is causal with T = S."""
    T, S = call.n_queries, call.n_keys
    triangle = Rule("causal").mask(T, S)
    given = call["mask"] if "mask" in call.shapes else None
    if given is not None and given.ndim == 3:
        given = given[head]
    if given is None:
        given = triangle if call.is_causal else None
    elif call.is_causal:
        given = given & triangle if given.dtype == bool else np.where(triangle, given, -np.inf)
    if given is None:
        return "none", False
    hidden = ~given if given.dtype == bool else given <= HIDES
    biased = given.dtype != bool and bool(given[~hidden].any())
    if T == S and not biased and np.array_equal(hidden, ~triangle):
        return "causal", True
    return given[rows], False


def _other_weights(made: Trace, weights: np.ndarray) -> str:
    """Return what tells that the weights are not softmax of the run's scores: what rows add up to.

    Queries that see no key are left out, as by `_agree`.
    """
    totals = weights[made["weights"][0].any(axis=-1)].sum(axis=-1)
    low, high = float(totals.min()), float(totals.max())
    spread = {"low": decimal_text(low), "high": decimal_text(high)}
    return TEXTS("other_weights", less=low < 1 - _A_WHOLE, more=high > 1 + _A_WHOLE, **spread)


def _agree(made: Trace, weights: np.ndarray, precision: str) -> bool:
    """Whether weights are those of a run, but for rounding in the model's type of numbers.

    Queries that see no key are left out: models give them weights of all kinds.
    """
    bits = {"float64": 52, "float32": 23, "float16": 10}.get(precision, 7)
    largest = float(np.abs(made["scaled"]).max())
    room = ROUNDINGS * 2.0**-bits * max(1.0, largest)
    ours = made["weights"][0]
    apart = np.abs(ours - weights)[ours.any(axis=-1)]
    return float(apart.max(initial=0.0)) <= room


@dataclass(frozen=True)
class ArraysWhenAsked(Mapping[str, np.ndarray]):
    """Arrays by name: each is read whenever it is asked for."""

    readers: Mapping[str, Callable[[], np.ndarray]]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.readers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.readers)

    def __len__(self) -> int:
        return len(self.readers)


def fit_each_other(shapes: Mapping[str, Shape]) -> bool:
    """Return whether the arrays of a call have shapes of one call, within the limits."""
    if not set(REQUIRED) <= set(shapes) or {len(shapes[name]) for name in REQUIRED} != {3}:
        return False
    (H, T, d_k), (G, S, _), d_v = shapes["Q"], shapes["K"], shapes["V"][-1]
    wanted: dict[str, Sequence[Shape]] = {
        "K": [(G, S, d_k)],
        "V": [(G, S, d_v)],
        "weights": [(H, T, S)],
        "context": [(H, T, d_v)],
        "mask": [(T, S), (H, T, S)],
        "output": [(T, n) for n in shapes.get("output", ())[1:] if n <= MOST_OUTPUT],
    }
    return (
        all(shape in wanted.get(name, [shape]) for name, shape in shapes.items())
        and 1 <= G <= H <= MOST_REAL_HEADS
        and H % G == 0
        and all(1 <= n <= MOST_MAPPED for n in (T, S))
        and all(1 <= n <= MOST_FEATURES for n in (d_k, d_v))
    )


def check_recorded(name: str, key: str, array: np.ndarray) -> None:
    """Raise `InputError` for NaN, for +∞, for −∞ that is no mask, and for weights beyond [0, 1].

    What the module returned may be any number, because nothing is computed from it. `key` is what
    the file calls the array.
    """
    if array.dtype == bool or name == "output":
        return
    low, high = float(array.min()), float(array.max())  # NaN if any is
    if not (high < np.inf and (low > -np.inf or name == "mask")):
        raise input_error(TEXTS, "not_finite", array=key[:60])
    if name == "weights" and not (low >= 0 and high <= MOST_WEIGHT):
        worst = low if low < 0 else high
        raise input_error(TEXTS, "beyond_one", array=key[:60], value=f"{worst:g}")
