"""Numbers for words: one 1 among zeros, or a row of a table that says what a word is like.

X = one_hot · E:    the 1 of a row picks a row of E
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("words")
TABLE = {
    "river": (2.0, 0.0, 0.0),
    "ball": (0.0, 2.0, 0.0),
    "money": (0.0, 0.0, 2.0),
    "bank": (1.0, 1.0, 1.0),
}
"""Words with three features each, chosen by hand (P4): water, play, finance."""
FEATURES = ("water", "play", "finance")
BANK = "bank"
_ORDERS = ("river-bank", "bank-river", "money-bank", "river-money-bank")
ORDER = Toggle(
    "words_order",
    TEXTS("order"),
    {order: order.replace("-", " ") for order in _ORDERS},
    _ORDERS[0],
    resizes=True,
)


@cache
def table_program() -> Program:
    """Return X = one_hot · E: a row for each token, picked from the table."""
    return Program(
        (
            Input("one_hot", "i l", meaning(TEXTS, "hot", "i l", token="i", word="l")),
            Input("E", "l m", _entry),
        ),
        (Step("X", matmul("i l, l m -> i m"), ("one_hot", "E"), _picked),),
        (phase(TEXTS, "one_hot", ("one_hot",)), phase(TEXTS, "look_up", ("X",), defines=True)),
        {},
        {
            "i": Axis("token", POSITION, "token", "T"),
            "l": Axis(TEXTS("entry_of_vocabulary"), POSITION, "word", tokens="words"),
            "m": Axis("feature", word="feature"),
        },
    )


def lookup_of(text: str) -> Trace:
    """Return the run that looks up a sentence of words of the table."""
    tokens = tuple(text.split())
    arrays = {"one_hot": one_hot_rows(tokens), "E": embedding_table()}
    return table_program().run(Inputs(arrays, tokens, {"words": tuple(TABLE)}))


def embedding_table() -> Float[np.ndarray, "words features"]:
    return np.array(list(TABLE.values()))


def one_hot_rows(words: Sequence[str]) -> Float[np.ndarray, "T words"]:
    """Return a row for each word: 1 in its place of the table, 0 elsewhere."""
    names = list(TABLE)
    found: np.ndarray = np.eye(len(names))[[names.index(word) for word in words]]
    return found


def distances(rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n n"]:
    """Return the distance between each two rows: ‖a − b‖."""
    apart: np.ndarray = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    return apart


def _entry(trace: Trace, cell: Cell) -> str:
    word, feature = told_label(trace, "l", cell[0]), FEATURES[cell[1]]
    return TEXTS("entry", word=word, feature=feature)


def _picked(trace: Trace, cell: Cell) -> str:
    word, feature = told_label(trace, "i", cell[0]), FEATURES[cell[1]]
    return TEXTS("feature_before", word=word, feature=feature)
