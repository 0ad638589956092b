"""Numbers for words: one 1 among zeros, or a row of a table that says what a word is like.

X = one_hot · E:    the 1 of a row picks a row of E

And a mean of rows with weights: Σ p_j v_j, the expectation of v where v_j comes up with probability
p_j. It lies within the hull of the rows, and is the plain mean where all weights are equal.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

from core.operations.merging import share_rows, total
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
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
_WORDS = {order: order.replace("-", " ") for order in _ORDERS}
ORDER = Toggle("words_order", TEXTS("order"), _WORDS, _ORDERS[0], resizes=True)


@cache
def table_program() -> Program:
    """Return X = one_hot · E: a row for each token, picked from the table."""
    one_hot = Input("one_hot", "i l", meaning(TEXTS, "hot", "i l", token="i", word="l"))
    picked = Step("X", matmul("i l, l m -> i m"), ("one_hot", "E"), _of_word("feature_before", "i"))
    phases = phase(TEXTS, "one_hot", ("one_hot",)), phase(TEXTS, "look_up", ("X",), defines=True)
    axes = {
        "i": Axis("token", POSITION, "token", "T"),
        "l": Axis(TEXTS("entry_of_vocabulary"), POSITION, "word", tokens="words"),
        "m": Axis("feature", word="feature"),
    }
    return Program(
        (one_hot, Input("E", "l m", _of_word("entry", "l"))), (picked,), phases, {}, axes
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


def _of_word(id: str, letter: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, word=told_label(trace, letter, cell[0]), feature=FEATURES[cell[1]]
    )


VALUES: Float[np.ndarray, "4 2"] = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]])
MOST_VECTORS = 10


@cache
def mean_program() -> Program:
    """Return dials over their sum, times the values. Weights: [0, 1], their sum 1."""
    weight = meaning(TEXTS, "weight", "h j", value="j")
    mean = meaning(TEXTS, "mean", "h v", feature="v")
    return Program(
        (
            Input("dials", "h j", meaning(TEXTS, "dial", "h j", value="j")),
            Input("V", "j v", meaning(TEXTS, "value", "j v", value="j", feature="v"), role="value"),
        ),
        (
            Step("totals", total("h j -> h o"), ("dials",), meaning(TEXTS, "total")),
            Step("weights", share_rows("h j, h 0 -> h j"), ("dials", "totals"), weight, "weights"),
            Step("average", matmul("h j, j v -> h v"), ("weights", "V"), mean),
        ),
        (
            phase(TEXTS, "dials", ("dials",)),
            phase(TEXTS, "divided", ("totals", "weights")),
            phase(TEXTS, "average", ("average",), defines=True),
        ),
        {"h": 1, "o": 1},
        {
            "h": Axis("row", word="row"), "j": Axis("value row", word="value"),
            "v": Axis("feature", word="feature"), "o": Axis("sum", word="sum"),
        },
    )  # fmt: skip


def mean_family(dials: Sequence[int | float]) -> Family:
    """Return four rows of two numbers, weighted by these dials."""
    inputs = Inputs({"dials": np.array(dials, dtype=np.float64)[None], "V": VALUES}, ())
    return Family((), lambda _: Built(mean_program(), inputs))


def mean_of(trace: Trace) -> Float[np.ndarray, "2"]:
    """Return the mean that a run ends with."""
    mean: np.ndarray = trace["average"][0]
    return mean


def drawn_mean(weights: Float[np.ndarray, "4"], draws: int, seed: int) -> Float[np.ndarray, "2"]:
    """Return the mean of this many values, drawn with the weights as probabilities."""
    picked = np.random.default_rng(seed).choice(len(VALUES), size=draws, p=weights)
    mean: np.ndarray = VALUES[picked].mean(axis=0)
    return mean
