"""Inputs that grow: attention takes any number of tokens, a map of fixed size only its own.

y_t comes from x_1 to x_t, one more at each step. A map of fixed size takes the rows of X side by
side as one long row, and has a matrix for exactly this many numbers.
"""

from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import SEED, embedding
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.one_query.one_row import whole_pass
from core.errors import InputError
from core.hash_random import Draw
from core.operations.products import matmul
from core.operations.shapes import lay_out
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("one_query")
WIDTH = 2
"""d_model here: four tokens still make a matrix that can be seen whole."""
SIZES = (1, 2, 3, 4)
TOKENS = Toggle("query_fixed", TEXTS("tokens"), {str(n): str(n) for n in SIZES}, "3", resizes=True)


def _weight(trace: Trace, cell: Cell) -> str:
    row, column = cell
    read, made = _entry(trace, row), _entry(trace, column)
    return TEXTS("map_weight", row=row + 1, column=column + 1, read=read, made=made)


def _place(id: str) -> Meaning:
    return lambda trace, cell: TEXTS.filled(
        id, {"place": cell[1] + 1, "entry": _entry(trace, cell[1])}
    )


def _entry(trace: Trace, place: int) -> str:
    """Return the name of the entry of X at a place of the long row."""
    token = told_label(trace, "i", place // WIDTH)
    return TEXTS("feature_of", feature=place % WIDTH + 1, token=token)


_PLACE = Axis(TEXTS("place"), word="place", size="T·d_model")
_X = Input("X", "i m", meaning(TEXTS, "entry", "i m", token="i", feature="m"))
_FLAT = Step("flat", lay_out(), ("X",), _place("laid"), axes="o p")
_Y = Step("y", matmul("o p, p q -> o q"), ("flat", "W_fixed"), _place("map_result"))
_STOPS = {"all_tokens": "X", "side_by_side": "flat", "one_map": "y"}
FIXED = Program(
    (_X, Input("W_fixed", "p q", _weight)),
    (_FLAT, _Y),
    tuple(phase(TEXTS, id, (name,)) for id, name in _STOPS.items()),
    {},
    {**AXES, "p": _PLACE, "q": _PLACE},
)
"""y = flat · W_fixed, with flat the rows of X one after another."""


def fixed_family() -> Family:
    """A map of fixed size for each of some numbers of tokens."""

    def build(options: Options) -> Built:
        tokens = int(options[TOKENS.key])
        return Built(FIXED, fixed_inputs(tokens, tokens))

    return Family((TOKENS,), build, "query_fixed_")


def fixed_inputs(tokens: int, made_for: int) -> Inputs:
    """Return the first tokens of the usual sentence, and a random map made for some tokens."""
    words = tuple(tokenise(DEFAULT_TEXT)[:tokens])
    size = made_for * WIDTH
    lines = [Draw(f"W_fixed:{SEED}:{size}:{row}").around_zero(9, size) for row in range(size)]
    X = np.stack([embedding(word, WIDTH) for word in words])
    return Inputs({"X": X, "W_fixed": np.round(np.stack(lines) / 10, 1)}, words)


def refused(tokens: int, made_for: int) -> str:
    """Return the error of a map that is given another number of tokens; "" if it fits."""
    try:
        FIXED.run(fixed_inputs(tokens, made_for))
    except InputError as error:
        return str(error)
    return ""


def size_of_fixed(tokens: int, d_model: int) -> int:
    """How many numbers a map from all rows to all rows has: (T·d_model)²."""
    return (tokens * d_model) ** 2


@lru_cache(maxsize=16)
def row_changes(text: str, row: int) -> tuple[float, ...]:
    """Return how far an output row is from its final one if the sentence ends after t tokens.

    For t from that row's token (counted from 0) on. Raises `InputError`.
    """
    whole = whole_pass(text)["output"]
    grown = (whole_pass(text, t)["output"] for t in range(row + 1, len(whole) + 1))
    return tuple(float(np.abs(output[row] - whole[row]).max()) for output in grown)
