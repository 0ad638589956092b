"""Writing token by token: with a cache of keys and values, and computing all of it again.

Throughout, t counts the tokens so far, from 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.attention.chosen_token import position_of, token_toggle
from core.attention.costs import Layer
from core.attention.layers.decoding import decoding_program, last_rows
from core.attention.setups import DEFAULT_TEXT
from core.chapters.one_query.one_row import D_MODEL, HEADS, WHOLE, whole_pass
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("one_query")
TOKEN = "query_token"
"""The key of the toggle that says which token is new."""
KEPT, AGAIN = "kept", "again"
_KEPT = {KEPT: TEXTS("kept"), AGAIN: TEXTS("again")}
CACHE = Toggle("query_cache", TEXTS("earlier"), _KEPT, KEPT, resizes=True)
LAYER = Layer(D_MODEL, HEADS, HEADS, D_MODEL // HEADS)
BYTES_HERE = np.dtype(np.float64).itemsize
"""Bytes of a number here."""


def writing_family(text: str) -> Family:
    """Each token of a sentence as the new one, with a cache or without. Raises `InputError`.

    The first token has nothing before it that could be kept.
    """

    def build(options: Options) -> Built:
        position = position_of(options, TOKEN, text)
        whole = whole_pass(text, position + 1)
        if options[CACHE.key] == AGAIN or not position:
            return Built(WHOLE, Inputs({n: whole[n] for n in WHOLE_INPUTS}, whole.tokens))
        return Built(decoding_program(HEADS, position), last_rows(whole, 1))

    return Family((token_toggle(TOKEN, text), CACHE), build, "query_", writing_family)


WHOLE_INPUTS = tuple(given.name for given in WHOLE.inputs)


def difference(step: Trace, text: str) -> float:
    """Return the largest difference of a step's last output row and that token's in one pass.

    The whole pass has all tokens of the sentence at once, later ones too.
    """
    row = whole_pass(text)["output"][len(step.tokens) - 1]
    return float(np.abs(step["output"][-1] - row).max())


@dataclass(frozen=True)
class WritingWork:
    """Multiplications in the products of one layer, for each token that is written."""

    with_cache: Sequence[int]
    without: Sequence[int]

    @property
    def all_with(self) -> int:
        """Those of all tokens, with a cache."""
        return sum(self.with_cache)

    @property
    def all_without(self) -> int:
        return sum(self.without)

    @property
    def times(self) -> float:
        """Work without a cache over work with one, for all tokens."""
        return self.all_without / self.all_with


def writing_work(tokens: int, layer: Layer = LAYER) -> WritingWork:
    """Return the work of writing some tokens: with a cache each step has one new row, and t keys.

    Without one it has t rows, of which all but the last were computed in an earlier step.
    """
    steps = range(1, tokens + 1)
    with_cache = [layer.projecting(1) + layer.attending(1, t) for t in steps]
    return WritingWork(with_cache, [layer.projecting(t) + layer.attending(t, t) for t in steps])


def bytes_here(tokens: int) -> int:
    """Return the bytes that this page's one layer would keep of some tokens."""
    return BYTES_HERE * LAYER.cached(tokens)


def seen_by_last(trace: Trace) -> int:
    """How many keys the last query sees."""
    return int(trace["mask"][-1].sum())


_CORNERS = {"right": TEXTS("lower_right"), "left": TEXTS("upper_left")}
CORNER = Toggle("query_corner", TEXTS("triangle"), _CORNERS, "left")
NEW = Toggle(
    "query_new", TEXTS("new_queries"), {str(n): str(n) for n in (1, 2, 3)}, "2", resizes=True
)


def corner_family() -> Family:
    """The last tokens of a sentence as queries, under either reading of "causal" (M19)."""

    def build(options: Options) -> Built:
        whole, new = whole_pass(DEFAULT_TEXT), int(options[NEW.key])
        left = options[CORNER.key] == "left"
        program = decoding_program(HEADS, len(whole.tokens) - new, left)
        return Built(program, last_rows(whole, new))

    return Family((CORNER, NEW), build, "query_corner_")


@dataclass(frozen=True)
class Writing:
    """One head's rows of K and V for all tokens of a sentence, and the work up to each token.

    `cached` and `without` count multiplications in one layer, with a cache and without.
    """

    keys: Sequence[Sequence[float]]
    values: Sequence[Sequence[float]]
    cached: Sequence[int]
    without: Sequence[int]


def cached_writing(text: str, head: int) -> Writing:
    """Return what is kept of a sentence, and what it costs, token by token. Raises `InputError`."""
    whole = whole_pass(text)
    done = [writing_work(t) for t in range(1, len(whole.tokens) + 1)]
    keys, values = (whole[name][head].tolist() for name in "KV")
    cached, without = [each.all_with for each in done], [each.all_without for each in done]
    return Writing(keys, values, cached, without)
