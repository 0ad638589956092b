"""How many heads matrices can have whose heads stand side by side in their columns."""

from collections.abc import Mapping
from typing import NamedTuple

from core.attention.layers.biases import BIASES
from core.errors import input_error
from core.limits import MAX_HEADS
from core.program.numbers.display import shape_text
from core.texts import core_texts

TEXTS = core_texts("model_names")

_QUERIES = ("W_Q", "Q", "b_Q")
_KEYS = ("W_K", "K", "b_K")
_VALUES = ("W_V", "V", "b_V")

Shapes = Mapping[str, tuple[int, ...]]


class HeadCount(NamedTuple):
    """So many heads, and so many that their keys and values have."""

    heads: int
    kv_heads: int


def possible_heads(shapes: Shapes) -> tuple[HeadCount, ...]:
    """Return the numbers of heads that matrices of these shapes can have, the fewest first.

    W_Q is d_model × H·d_k, W_K d_model × G·d_k, W_V d_model × G·d_v and W_O H·d_v × d_model, each
    by our name. Where W_K is narrower than W_Q, H/G is the ratio of their widths: heads share keys.
    What has an axis of heads says their number by itself; where nothing tells G, it is H. Raises
    `InputError` if no number up to `MAX_HEADS` fits.
    """
    numbers = range(1, MAX_HEADS + 1)
    pairs = [HeadCount(h, g) for h in numbers for g in numbers if h % g == 0]
    fitting = tuple(pair for pair in pairs if _fits(shapes, *pair))
    if not fitting:
        name = next(n for n in (*_KEYS, *_VALUES, *_QUERIES, "W_O") if n in shapes)
        raise input_error(TEXTS, "unshared", name=name, shape=shape_text(shapes[name]))
    return fitting


def _fits(shapes: Shapes, heads: int, groups: int) -> bool:
    """Whether all matrices have whole vectors for so many heads, of the same size everywhere."""
    queries, keys = _sizes(shapes, _QUERIES, heads), _sizes(shapes, _KEYS, groups)
    values = _sizes(shapes, _VALUES, groups)
    joined = {_size(shapes["W_O"][:1], heads)} if "W_O" in shapes else set()
    by_heads = any(_is_by_heads(n, shapes[n]) for n in (*_KEYS, *_VALUES) if n in shapes)
    tells = (queries and keys) or (values and joined) or by_heads
    d_k, d_v = queries | keys, values | joined
    return (
        None not in d_k | d_v and len(d_k) < 2 and len(d_v) < 2 and bool(tells or heads == groups)
    )


def _sizes(shapes: Shapes, names: tuple[str, ...], heads: int) -> set[int | None]:
    """The sizes of one head's vector that arrays of one role say; None: they do not fit."""
    sizes = set()
    for name in names:
        if name in shapes:
            shape = shapes[name]
            by_heads = _is_by_heads(name, shape)
            fits = not by_heads or shape[0] == heads
            sizes.add((shape[-1] if by_heads else _size(shape, heads)) if fits else None)
    return sizes


def _size(shape: tuple[int, ...], heads: int) -> int | None:
    """The size of each head's part of the last axis; None if it has no equal parts."""
    return None if not shape or shape[-1] % heads else shape[-1] // heads


def _is_by_heads(name: str, shape: tuple[int, ...]) -> bool:
    """Whether an array has an axis of heads; a bias of one row is that of all heads joined."""
    return len(shape) == 3 or (name in BIASES and len(shape) == 2 and shape[0] > 1)
