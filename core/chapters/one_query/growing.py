"""Inputs that grow: attention takes any number of tokens, a map of fixed size only its own.

y_t is made of x_1 to x_t, one more at each step. A map of fixed size takes the rows of X side by
side as one long row, and has a matrix for exactly that many numbers.
"""

from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import SEED, embedding
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.one_query.sentence import whole_pass
from core.draws import Draw
from core.errors import InputError
from core.operations.products import matmul
from core.operations.shapes import lay_out
from core.program.axes import Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

WIDTH = 2
"""d_model here: four tokens still make a matrix that can be seen whole."""
SIZES = (1, 2, 3, 4)
TOKENS = Toggle("query_fixed", "Tokens", {str(n): str(n) for n in SIZES}, "3", resizes=True)


def _entry(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[1] + 1} of {told_label(trace, 'i', cell[0])}."


def _weight(trace: Trace, cell: Cell) -> str:
    return (
        f"How much number {cell[0] + 1} of the long row counts in number {cell[1] + 1} of the "
        f"result: {_whose(trace, cell[0])} in {_whose(trace, cell[1])}."
    )


def _laid(trace: Trace, cell: Cell) -> str:
    return f"Place {cell[1] + 1} of the long row: {_whose(trace, cell[1])}."


def _result(trace: Trace, cell: Cell) -> str:
    return f"The new {_whose(trace, cell[1])}: made of every number that came in."


def _whose(trace: Trace, place: int) -> str:
    return f"feature {place % WIDTH + 1} of {told_label(trace, 'i', place // WIDTH)}"


_PLACE = Axis("place in the long row", word="place", size="T·d_model")
FIXED = Program(
    (Input("X", "i m", _entry), Input("W_fixed", "p q", _weight)),
    (
        Step("flat", lay_out(), ("X",), _laid, axes="o p"),
        Step("y", matmul("o p, p q -> o q"), ("flat", "W_fixed"), _result),
    ),
    (
        Phase(
            "All tokens", ("X",), "One row for each token.",
            words="One row of two features for each token. How many rows there are depends on the "
            "text.",
        ),
        Phase(
            "Side by side", ("flat",), "One long row.",
            words="A map of fixed size needs one row of fixed length, so all tokens are put into "
            "one long row, one after another.",
        ),
        Phase(
            "One map", ("y",), "A matrix for exactly that many numbers.",
            words="The matrix has a row for each number that comes in. Choose another number of "
            "tokens: the long row has another length, and this matrix does not fit it. A new one "
            "is drawn, with nothing learned from the old.",
        ),
    ),
    {},
    {**AXES, "p": _PLACE, "q": _PLACE},
    makes="the result",
)  # fmt: skip
"""y = flat · W_fixed, with flat the rows of X one after another."""


def fixed_family() -> Family:
    """A map of fixed size for each of some numbers of tokens."""

    def build(options: Options) -> Built:
        tokens = int(options[TOKENS.key])
        return Built(FIXED, fixed_inputs(tokens, tokens))

    return Family((TOKENS,), build)


def fixed_inputs(tokens: int, made_for: int) -> Inputs:
    """The first tokens of the usual sentence, and a drawn map for so many tokens."""
    words = tuple(tokenise(DEFAULT_TEXT)[:tokens])
    size = made_for * WIDTH
    lines = [Draw(f"W_fixed:{SEED}:{size}:{row}").around_zero(9, size) for row in range(size)]
    X = np.stack([embedding(word, WIDTH) for word in words])
    return Inputs({"X": X, "W_fixed": np.round(np.stack(lines) / 10, 1)}, words)


def refused(tokens: int, made_for: int) -> str:
    """What running says of a map for one number of tokens that is given another; "" if it fits."""
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
    """How far a row of the output is from its final one when the sentence ends after t tokens.

    For t from that row's token (counted from 0) on. Raises `InputError`.
    """
    whole = whole_pass(text)["output"]
    grown = (whole_pass(text, t)["output"] for t in range(row + 1, len(whole) + 1))
    return tuple(float(np.abs(output[row] - whole[row]).max()) for output in grown)
