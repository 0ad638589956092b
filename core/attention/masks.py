"""Masks: which key positions j a query position i may see. True = visible, everywhere.

`KINDS` has one object a kind: its rule, which knows positions only and never values, its line of
code, its sizes. Its words are texts: `window`, `window_sees`, `window_why`. Positions count from 0
here and from 1 in words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool

from core.errors import input_error, printed_value
from core.limits import LARGEST
from core.texts import core_texts

TEXTS = core_texts("masks")
UPPER_LEFT, LOWER_RIGHT = "upper-left", "lower-right"
CORNERS = (UPPER_LEFT, LOWER_RIGHT)
"""Where the triangle of a mask lies that is no square: it begins or ends in that corner."""
IS_CAUSAL = "is_causal=True"


@dataclass(frozen=True)
class Size:
    """A size of a mask, 1 or more: its key in a link, and what it is unless something is said."""

    key: str
    default: int = 3

    @property
    def word(self) -> str:
        return TEXTS(f"{self.key}_size")


@dataclass(frozen=True)
class MaskKind:
    """A kind of mask.

    `visible` says of query positions i, key positions j and the sizes, in their order, which keys
    a query sees. `code` is the same as numpy or PyTorch write it, with {causal} for the triangle
    j ≤ i and {ones} for a mask of True; a size is named by its key. `fused` is the option by which
    PyTorch's own attention has this mask: "" if it needs none, None if it takes the mask itself.
    A kind with `shows_later_keys` can show keys that come after the query. One that is `given` is
    drawn cell by cell, and begins as its rule. Every program takes every kind; the walkthrough
    offers those that are `on_walkthrough`, the chapter on masks all rules.
    """

    name: str
    visible: Callable[..., Any]
    code: str
    sizes: tuple[Size, ...] = ()
    fused: str | None = None
    shows_later_keys: bool = False
    by_position: bool = True
    given: bool = False
    on_walkthrough: bool = True

    @property
    def word(self) -> str:
        """What it is called on a page."""
        return TEXTS(self.name)

    def rule(self, *sizes: int) -> "Rule":
        """The rule with as many of these sizes as it has; defaults for those that are not given."""
        given = sizes[: len(self.sizes)]
        return Rule(self.name, (*given, *(size.default for size in self.sizes[len(given) :])))


CAUSAL = MaskKind("causal", lambda i, j: j <= i, "{causal}", fused=IS_CAUSAL)
WINDOW, PREFIX = Size("window"), Size("prefix", 2)
_KINDS = (
    CAUSAL,
    MaskKind(
        "none",
        lambda i, j: (j <= i) | True,
        "{ones}",
        fused="",
        shows_later_keys=True,
        by_position=False,
    ),
    MaskKind(
        "window",
        lambda i, j, window: (j <= i) & (i - j < window),
        "{causal} & ({i} - {j} < {window})",
        (WINDOW,),
    ),
    MaskKind(
        "dilated",
        lambda i, j, step: (j <= i) & ((i - j) % step == 0),
        "{causal} & (({i} - {j}) % {dilation} == 0)",
        (Size("dilation"),),
        on_walkthrough=False,
    ),
    MaskKind(
        "prefix",
        lambda i, j, prefix: (j <= i) | (j < prefix),
        "{causal} | ({j} < {prefix})",
        (PREFIX,),
        shows_later_keys=True,
    ),
    MaskKind(  # as for texts packed into one row
        "blocks",
        lambda i, j, length: (j <= i) & (i // length == j // length),
        "{causal} & ({i} // {length} == {j} // {length})",
        (Size("length"),),
        on_walkthrough=False,
    ),
    MaskKind(
        "global",
        lambda i, j, first: (j <= i) & ((i - j < 2) | (j < first)),
        "{causal} & (({i} - {j} < 2) | ({j} < {first}))",
        (Size("first"),),
        on_walkthrough=False,
    ),
    MaskKind("custom", CAUSAL.visible, CAUSAL.code, by_position=False, given=True),
)
KINDS: Mapping[str, MaskKind] = {kind.name: kind for kind in _KINDS}
_OF_A_CHAPTER = replace(CAUSAL, fused=None)
OFFERED = tuple(name for name, kind in KINDS.items() if kind.on_walkthrough)
"""The masks that the walkthrough offers."""
GALLERY = tuple(name for name, kind in KINDS.items() if not kind.given)
"""Every rule, for the chapter on masks."""
GALLERY_WORDS: Mapping[str, str] = {name: KINDS[name].word for name in GALLERY}
"""What each rule is called on a page."""
SIZES: Mapping[str, Size] = {size.key: size for kind in _KINDS for size in kind.sizes}
"""The sizes of all masks, by their keys."""
OFFERED_SIZES: Mapping[str, Size] = {
    size.key: size for name in OFFERED for size in KINDS[name].sizes
}
"""The sizes of the masks that the walkthrough offers, which its links have."""
MOST_SIZES = max(len(kind.sizes) for kind in KINDS.values())
"""So many sizes has a kind at most."""


@dataclass(frozen=True)
class Rule:
    """A mask by rule: its kind and the sizes of it.

    The first query stands at position `offset`: those before it have been asked already, and their
    keys are kept. With fewer queries than keys, `corner` says which tokens the queries are: the
    first ones (upper left) or the last ones (lower right), as with a cache.
    """

    name: str
    sizes: tuple[int, ...] = ()
    offset: int = 0
    corner: str = UPPER_LEFT

    @property
    def kind(self) -> MaskKind:
        """Its kind. A rule that a chapter makes is causal, but for what it says otherwise."""
        return KINDS.get(self.name, _OF_A_CHAPTER)

    def at(self, T: int, S: int) -> "Rule":
        """The rule for T queries and S keys: its first query stands at a position."""
        return replace(self, offset=self.offset + self.shift(T, S), corner=UPPER_LEFT)

    def shift(self, T: int, S: int) -> int:
        """How far the corner moves the first of T queries along S keys."""
        return max(S - T, 0) if self.corner == LOWER_RIGHT else 0

    def query_positions(self, T: int, S: int) -> str:
        """Which tokens the queries are taken for, where they are fewer than the keys."""
        if not self.kind.by_position or self.offset or T >= S:
            return ""
        first = self.shift(T, S) + 1
        if T == 1:
            return TEXTS("one_query_counts", first=first, keys=S)
        return TEXTS("queries_count", first=first, last=first + T - 1, keys=S)

    def mask(self, T: int, S: int) -> Bool[np.ndarray, "T S"]:
        first = self.at(T, S).offset
        i, j = np.arange(first, first + T)[:, None], np.arange(S)[None]
        mask: np.ndarray = self.kind.visible(i, j, *self.sizes)
        return mask

    def code(self, T: int, S: int) -> str:
        """Its line of numpy."""
        return self.at(T, S)._spelled("np", T, S)

    def torch_code(self, T: int, S: int) -> str:
        """Its line of PyTorch."""
        return self.at(T, S)._spelled("torch", T, S)

    def fused(self, T: int, S: int) -> str | None:
        """The option by which PyTorch's own attention has this mask of T × S, as its kind has it.

        PyTorch counts from the first query and the first key.
        """
        moved = self.kind.by_position and self.at(T, S).offset
        return None if moved else self.kind.fused

    @property
    def summary(self) -> str:
        """What a token may read under this rule, as a sentence without its full stop."""
        return self._said("sees")

    def reason(self, i: int, j: int) -> str:
        """Why key j is visible to query i or not, as the end of a sentence."""
        i += self.offset
        if j > i and not self.kind.shows_later_keys:
            return TEXTS("future", key=j + 1, query=i + 1)
        visible = bool(self.kind.visible(i, j, *self.sizes))
        return self._said("why", key=j + 1, query=i + 1, back=i - j, visible=visible)

    def _said(self, what: str, **values: int) -> str:
        """A text of the kind, filled in with its sizes and what else it asks for."""
        return TEXTS.filled(f"{self.kind.name}_{what}", {**values, **self._by_key})

    @property
    def _by_key(self) -> dict[str, int]:
        return {size.key: n for size, n in zip(self.kind.sizes, self.sizes, strict=True)}

    def _spelled(self, library: str, T: int, S: int) -> str:
        shift = self.offset or ""
        if library == "np":
            ones = f"np.ones(({T}, {S}), dtype=bool)"
            causal = f"np.tri({T}, {S}{shift and f', {shift}'}, dtype=bool)"
        else:
            ones = f"torch.ones({T}, {S}, dtype=torch.bool)"
            causal = f"{ones}.tril({shift})"
        positions = f"{self.offset}, {self.offset + T}" if self.offset else f"{T}"
        i, j = f"{library}.arange({positions})[:, None]", f"{library}.arange({S})"
        return self.kind.code.format(causal=causal, ones=ones, i=i, j=j, **self._by_key)


def rule_of(mask: str, sizes: Mapping[str, int], corner: str = UPPER_LEFT) -> Rule:
    """The rule of a mask with its own of these sizes, by their keys; their defaults for others."""
    own = (sizes.get(size.key, size.default) for size in KINDS[mask].sizes)
    return Rule(mask, tuple(own), corner=corner)


def check_mask_sizes(sizes: Mapping[str, Any]) -> None:
    """Raise `InputError` for a size that no mask has, or for what is no count up to a limit."""
    for name, size in sizes.items():
        if name not in SIZES:
            raise input_error(TEXTS, "no_size", name=name, sizes=", ".join(SIZES))
        is_whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if not is_whole or not 1 <= size <= LARGEST:
            given, most = printed_value(size), f"{LARGEST:g}"
            raise input_error(TEXTS, "no_count", name=name, given=given, most=most)
