"""A cache of TransformerLens as a recording: its arrays by the names of their hooks.

`blocks.0.attn.hook_q` is (batch, T, H, d_head), `hook_k` and `hook_v` the same with the keys'
heads, `hook_pattern` (batch, H, T, S), `hook_z` (batch, T, H, d_head). `hook_rot_q` and
`hook_rot_k`, where they are, are Q and K after RoPE. TransformerLens documents the names with its
`ActivationCache`. A cache without a batch axis is read too.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.attention.given.given_arrays import plain_array, read_tokens
from core.errors import input_error
from core.models.recorded import recording
from core.program.numbers.display import shape_text
from core.program.patterns import Shape
from core.pytorch.recorded_call import MOST_OF_CALL, RecordedCall
from core.texts import core_texts

TEXTS = core_texts("recordings")

_PATTERN = re.compile(r"(.*)\.hook_pattern")
_HOOKS = {
    "Q": ("hook_rot_q", "hook_q"),
    "K": ("hook_rot_k", "hook_k"),
    "V": ("hook_v",),
    "context": ("hook_z",),
}
"""Hooks by the array that they have; the first one that is there is what the scores are of."""
_COMPUTED = "context"
"""The array that is computed if its hook is not there."""


def is_hook_cache(names: Iterable[str]) -> bool:
    """Return whether arrays of these names are a cache with attention in it."""
    return any(map(_PATTERN.fullmatch, names))


def read_hook_cache(
    cache: Mapping[str, Any],
    *,
    tokens: Sequence[str] | None = None,
    item: int = 0,
    scale: float | None = None,
) -> recording.Recording:
    """Return the attention of a cache, an `ActivationCache` or a mapping of arrays by hooks.

    The mask is causal if no weight is above the diagonal. `scale` is what scores are multiplied
    by, 1/√d_head if none is given. Raises `InputError` if there is no attention, or arrays do not
    fit each other.
    """
    sizes = {name: tuple(array.shape) for name, array in cache.items()}
    paths = [found[1] for found in map(_PATTERN.fullmatch, sizes) if found]
    if not paths:
        raise input_error(TEXTS, "no_hooks", example="blocks.0.attn.hook_pattern")
    calls = [_call_of_hooks(cache, sizes, path, item, scale) for path in paths]
    names = None if tokens is None else read_tokens("tokens", tokens, len(tokens))
    return recording.Recording(tuple(calls), names)


def _call_of_hooks(
    cache: Mapping[str, Any], sizes: Mapping[str, Shape], path: str, item: int, scale: float | None
) -> RecordedCall:
    """The call of one layer. Raises `InputError`."""
    pattern = f"{path}.hook_pattern"
    keys = {
        array: next((f"{path}.{hook}" for hook in hooks if f"{path}.{hook}" in sizes), "")
        for array, hooks in _HOOKS.items()
    }
    if not keys[_COMPUTED]:
        del keys[_COMPUTED]
    missing = [f"{path}.{_HOOKS[array][-1]}" for array, key in keys.items() if not key]
    if missing:
        raise input_error(TEXTS, "missing_hook", path=path[:60], missing=missing[0][:80])
    batched = len(sizes[pattern]) == 4
    for key in (pattern, *keys.values()):
        fits = len(sizes[key]) == 3 + batched and (not batched or 0 <= item < sizes[key][0])
        if not fits:
            shape = shape_text(sizes[key])
            raise input_error(TEXTS, "hook_shape", hook=key[:80], shape=shape, item=item)
    readers: dict[str, Callable[[], np.ndarray]] = {
        array: partial(_read_hook, cache, array, key, item if batched else None)
        for array, key in (keys | {"weights": pattern}).items()
    }

    def context() -> np.ndarray:
        weights, V = readers["weights"](), readers["V"]()
        computed: np.ndarray = weights @ V.repeat(len(weights) // len(V), axis=0)
        return computed

    readers.setdefault(_COMPUTED, context)
    by_rows = {array: sizes[key][batched:] for array, key in keys.items()}
    shapes: dict[str, Shape] = {array: (n, rows, d) for array, (rows, n, d) in by_rows.items()}
    shapes["weights"] = sizes[pattern][batched:]
    shapes.setdefault(_COMPUTED, (*shapes["weights"][:2], shapes["V"][-1]))
    if not recording.fit_each_other(shapes):
        told = ", ".join(f"{array} {shape_text(shape)}" for array, shape in shapes.items())
        raise input_error(TEXTS, "hooks_apart", path=path[:60], shapes=told, **MOST_OF_CALL)
    return RecordedCall(
        name=path,
        function="TransformerLens",
        arrays=recording.ArraysWhenAsked(readers),
        shapes=shapes,
        causal=None,
        scale=shapes["Q"][-1] ** -0.5 if scale is None else float(scale),
        dropout=0.0,
        precision=_precision(cache[pattern]),
    )


def _precision(array: Any) -> str:
    """The type of an array's numbers. Those of bfloat16 in a file come as float32."""
    kind = getattr(array, "precision", None) or getattr(array, "dtype", "float32")
    return str(kind).removeprefix("torch.")


def _read_hook(cache: Mapping[str, Any], name: str, key: str, item: int | None) -> np.ndarray:
    """An array of a layer by our name: heads come before positions, and one item is left."""
    stored = cache[key]
    array = plain_array(key, stored if item is None else stored[item])
    array = array if name == "weights" else np.ascontiguousarray(array.swapaxes(0, 1))
    recording.check_recorded(name, key, array)
    return array
