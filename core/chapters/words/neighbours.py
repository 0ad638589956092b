"""*bank* next to other words: a mean of rows, with the weights of the opening example's first head.

average = weights · X
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from core.attention.river_bank import FEATURES, RIVER_BANK, TEXT
from core.chapters.words.vectors import BANK
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.display import shown
from core.program.families import Built, Family, Toggle
from core.program.inputs import Inputs
from core.program.labels import axis_labels, parts, told_label
from core.program.operation import SHARES
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import called, percentages, told_reading, told_sum
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

NEIGHBOURS = ("river", "money", "boat", "loan")
PAIR = NEIGHBOURS[:2]
"""The two that are seen next to each other at first."""
NEIGHBOUR = Toggle(
    "words_neighbour", "Before “bank”", {word: word for word in NEIGHBOURS}, NEIGHBOURS[0],
    resizes=True,
)  # fmt: skip


@cache
def reading_program() -> Program:
    """Rows, and how much each token reads of each. Weights: [0, 1], rows sum to 1."""
    return Program(
        (
            Input("X", "i m", _feature),
            Input("weights", "i j", _weight, role="weights", palette=SHARES),
        ),
        (Step("average", matmul("i j, j m -> i m"), ("weights", "X"), _mean),),
        (
            Phase("Rows", ("X",), "A row of numbers for each word, the same in every sentence.",
                  words="Each number says how much of something there is in a word. These rows "
                  "were made by hand, so each column has a meaning; a real model learns its rows."),
            Phase("Weights", ("weights",), "How much each word reads of each.",
                  words="A row for each word that reads: its weights are not negative, and add up "
                  "to 1. Here a word reads itself and the words before it. Where weights come "
                  "from is what the next chapters are about."),
            Phase("Mean", ("average",), "Each row times its weight, added up.", defines=True,
                  words="A word's new row is a mean of rows in which some count more: each row is "
                  "multiplied by its weight, and all are added up."),
        ),
        {},
        {
            "i": Axis("word that reads", POSITION, "word", "T"),
            "j": Axis("word that is read", POSITION, "word", "T"),
            "m": Axis("feature", word="feature"),
        },
        makes="the mean",
    )  # fmt: skip


def reading_family() -> Family:
    """The opening example's sentence with one of the words before *bank*."""
    return Family((NEIGHBOUR,), lambda options: _built(options[NEIGHBOUR.key]))


@lru_cache(maxsize=len(NEIGHBOURS))
def _built(neighbour: str) -> Built:
    example = RIVER_BANK.on(TEXT.replace(NEIGHBOURS[0], neighbour))
    trace = example.run()
    arrays = {"X": trace["X"], "weights": trace["weights"][0]}
    return Built(reading_program(), Inputs(arrays, example.tokens, labels={"m": FEATURES}))


@dataclass(frozen=True)
class Reading:
    """What *bank* reads in a sentence, and its row before and after: what a picture shows.

    `reads` has a percentage for each token, and `said` the largest. A cell is its text and how
    strong its colour is, in percent of the largest number of the picture; `largest` is the place of
    the largest number after.
    """

    tokens: tuple[str, ...]
    query: int
    reads: tuple[str, ...]
    said: str
    features: tuple[str, ...]
    before: tuple[tuple[str, int], ...]
    after: tuple[tuple[str, int], ...]
    largest: int


def readings(neighbours: Sequence[str] = PAIR) -> list[Reading]:
    """What *bank* reads after each of these words, on one scale of colours."""
    runs = [reading_family().run(**{NEIGHBOUR.key: word}) for word in neighbours]
    places = [trace.tokens.index(BANK) for trace in runs]
    rows = [trace[name][at] for trace, at in zip(runs, places, strict=True) for name in _ROWS]
    strongest = float(np.abs(rows).max())
    return [_reading(trace, at, strongest) for trace, at in zip(runs, places, strict=True)]


def pair_with(neighbour: str) -> tuple[str, str]:
    """Two of the neighbours to compare: the first of all, and this one where it is another."""
    return PAIR if neighbour == PAIR[0] else (PAIR[0], neighbour)


_ROWS = ("X", "average")
"""A word's row before it has read, and after."""


def _reading(trace: Trace, at: int, strongest: float) -> Reading:
    reads = percentages(trace["weights"][at], None)
    names = called(trace, "j")
    before, after = (
        tuple(
            (shown(trace, name, (at, m)), round(100 * abs(float(value)) / strongest))
            for m, value in enumerate(trace[name][at])
        )
        for name in _ROWS
    )
    said = "".join(parts(told_reading(names[at], names, reads, "words")))
    total = told_sum(reads, float(trace["weights"][at].sum()))
    return Reading(
        trace.tokens, at, tuple(reads), f"{said} {total}".rstrip(),
        tuple(axis_labels(trace, "X")[1]), before, after, int(trace["average"][at].argmax()),
    )  # fmt: skip


def _feature(trace: Trace, cell: Cell) -> str:
    token, feature = told_label(trace, "i", cell[0]), told_label(trace, "m", cell[1])
    return f"How much of {feature} there is in {token}, before it has read."


def _weight(trace: Trace, cell: Cell) -> str:
    reader, read = told_label(trace, "i", cell[0]), told_label(trace, "j", cell[1])
    return f"How much of what {reader} reads comes from {read}."


def _mean(trace: Trace, cell: Cell) -> str:
    token, feature = told_label(trace, "i", cell[0]), told_label(trace, "m", cell[1])
    return f"How much of {feature} there is in {token}, after it has read."
