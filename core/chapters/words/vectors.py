"""Numbers for words: one 1 among zeros, or a row of a table that says what a word is like.

X = one_hot · E:    the 1 of a row picks a row of E
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.families import Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

TABLE = {
    "river": (2.0, 0.0, 0.0), "ball": (0.0, 2.0, 0.0), "money": (0.0, 0.0, 2.0),
    "bank": (1.0, 1.0, 1.0),
}  # fmt: skip
"""Words with three features each, chosen by hand (P4): water, play, finance."""
FEATURES = ("water", "play", "finance")
BANK = "bank"
ORDER = Toggle(
    "words_order", "Where bank stands",
    {
        "river-bank": "after river", "bank-river": "before river", "money-bank": "after money",
        "river-money-bank": "after river and money",
    },
    "river-bank", resizes=True,
)  # fmt: skip


@cache
def table_program() -> Program:
    """X = one_hot · E: a row for each token, picked from the table."""
    return Program(
        (Input("one_hot", "i l", _hot), Input("E", "l m", _entry)),
        (Step("X", matmul("i l, l m -> i m"), ("one_hot", "E"), _picked),),
        (
            Phase("One 1 each", ("one_hot",), "A 1 in the place of the word, 0 elsewhere.",
                  words="Each word of the vocabulary has a place. The row of a token has a 1 in "
                  "the place of its word, and 0 everywhere else: it says which word it is, and "
                  "nothing of what it is like."),
            Phase("Look it up", ("X",), "The 1 picks a row of E.", defines=True,
                  words="E has a row for each word: its embedding. Multiplied by E, a row with one "
                  "1 becomes that row of E, for all other products are 0. So an embedding is "
                  "looked up; nothing is computed."),
        ),
        {},
        {
            "i": Axis("token", POSITION, "token", "T"),
            "l": Axis("word of the vocabulary", POSITION, "word", tokens="words"),
            "m": Axis("feature", word="feature"),
        },
        makes="the embeddings",
    )  # fmt: skip


def lookup_of(text: str) -> Trace:
    """A sentence of words of the table, looked up in it."""
    tokens = tuple(text.split())
    arrays = {"one_hot": one_hot(tokens), "E": table()}
    return table_program().run(Inputs(arrays, tokens, {"words": tuple(TABLE)}))


def table() -> Float[np.ndarray, "words features"]:
    return np.array(list(TABLE.values()))


def one_hot(words: Sequence[str]) -> Float[np.ndarray, "T words"]:
    """A row for each word: 1 in its place of the table, 0 elsewhere."""
    names = list(TABLE)
    found: np.ndarray = np.eye(len(names))[[names.index(word) for word in words]]
    return found


def distances(rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n n"]:
    """How far each row is from each other, along a straight line: ‖a − b‖."""
    apart: np.ndarray = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    return apart


def _hot(trace: Trace, cell: Cell) -> str:
    word = tuple(TABLE)[cell[1]]
    return f"1 where {told_label(trace, 'i', cell[0])} is “{word}”, else 0."


def _entry(trace: Trace, cell: Cell) -> str:
    return f"How much of {FEATURES[cell[1]]} there is in “{tuple(TABLE)[cell[0]]}”."


def _picked(trace: Trace, cell: Cell) -> str:
    label = told_label(trace, "i", cell[0])
    return f"How much of {FEATURES[cell[1]]} there is in {label}, before it has read."
