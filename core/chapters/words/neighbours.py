"""Words next to other words: what goes into attention is the same, what comes out is not.

*bank* by a mean of rows, average = weights · X, with the weights of the opening example's first
head, and by the matrices of P4, all identities; the three sentences with *love* (source K).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from jaxtyping import Float

from core.attention.examples.presets import preset
from core.attention.examples.river_bank import RIVER_BANK, RIVER_BANK_TEXT
from core.attention.examples.two_meanings import FEATURE_NAMES
from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.chapters.words.vectors import BANK, ORDER, TABLE, distances
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import axis_labels, sentence_parts
from core.program.numbers.display import shown
from core.program.operation import SHARES
from core.program.program import Program
from core.program.reading import percentages, spoken_places, told_reading, told_sum
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("words")
LOVES = tuple(TEXTS(id) for id in ("love_1", "love_2", "love_3"))
LOVE = "love"
D_MODEL = 8
NEIGHBOURS = ("river", "money", "boat", "loan")
PAIR = NEIGHBOURS[:2]
"""The two that are seen next to each other at first."""
_WORDS = {word: word for word in NEIGHBOURS}
NEIGHBOUR = Toggle("words_neighbour", TEXTS("neighbour"), _WORDS, NEIGHBOURS[0], resizes=True)


@cache
def reading_program() -> Program:
    """Return rows, and how much each word reads from each. Weights: [0, 1], rows sum to 1."""
    before = meaning(TEXTS, "feature_before", "i m", word="i", feature="m")
    reads = meaning(TEXTS, "reading_weight", "i j", reader="i", word="j")
    after = meaning(TEXTS, "feature_after", "i m", word="i", feature="m")
    weights = Input("weights", "i j", reads, role="weights", palette=SHARES)
    phases = (
        phase(TEXTS, "rows", ("X",)),
        phase(TEXTS, "reads", ("weights",)),
        phase(TEXTS, "new_rows", ("average",), defines=True),
    )
    axes = {
        "i": Axis(TEXTS("reader"), POSITION, "word", "T"),
        "j": Axis(TEXTS("is_read"), POSITION, "word", "T"),
        "m": Axis("feature", word="feature"),
    }
    average = Step("average", matmul("i j, j m -> i m"), ("weights", "X"), after)
    return Program((Input("X", "i m", before), weights), (average,), phases, {}, axes)


def reading_family() -> Family:
    """Return the opening example's sentence with each of the words before *bank*."""
    return Family((NEIGHBOUR,), lambda options: _built(options[NEIGHBOUR.key]), "words_read_")


@lru_cache(maxsize=len(NEIGHBOURS))
def _built(neighbour: str) -> Built:
    example = RIVER_BANK.on(RIVER_BANK_TEXT.replace(NEIGHBOURS[0], neighbour))
    trace = example.run()
    arrays = {"X": trace["X"], "weights": trace["weights"][0]}
    return Built(reading_program(), Inputs(arrays, example.tokens, labels={"m": FEATURE_NAMES}))


@dataclass(frozen=True)
class BankReading:
    """What *bank* reads in a sentence, and its row before and after: what a picture shows.

    `reads` has a percentage for each token, and `said` the largest; `total` is what they add up to,
    if that is not 100 %. A cell is its text and how strong its colour is, in percent of the largest
    number of the picture; `largest` is the place of the largest number after.
    """

    tokens: tuple[str, ...]
    query: int
    reads: tuple[str, ...]
    said: str
    total: str
    features: tuple[str, ...]
    before: tuple[tuple[str, int], ...]
    after: tuple[tuple[str, int], ...]
    largest: int


def readings(neighbours: Sequence[str] = PAIR) -> list[BankReading]:
    """Return what *bank* reads after each of these words, on one scale of colours."""
    runs = [reading_family().run(**{NEIGHBOUR.key: word}) for word in neighbours]
    places = [trace.tokens.index(BANK) for trace in runs]
    rows = [trace[name][at] for trace, at in zip(runs, places, strict=True) for name in _ROWS]
    strongest = float(np.abs(rows).max())
    return [_reading(trace, at, strongest) for trace, at in zip(runs, places, strict=True)]


def pair_with(neighbour: str) -> tuple[str, str]:
    """Return two neighbours to compare: the first, and this one (the second if it is the first)."""
    return PAIR if neighbour == PAIR[0] else (PAIR[0], neighbour)


_ROWS = ("X", "average")
"""A word's row before it has read, and after."""


def _reading(trace: Trace, at: int, strongest: float) -> BankReading:
    reads = percentages(trace["weights"][at], None)
    names = spoken_places(trace, "j")
    before, after = (
        tuple(
            (shown(trace, name, (at, m)), round(100 * abs(float(value)) / strongest))
            for m, value in enumerate(trace[name][at])
        )
        for name in _ROWS
    )
    text = "".join(sentence_parts(told_reading(names[at], names, reads, "words")))
    total = told_sum(reads, float(trace["weights"][at].sum()))
    return BankReading(
        trace.tokens, at, tuple(reads), text, total,
        tuple(axis_labels(trace, "X")[1]), before, after, int(trace["average"][at].argmax()),
    )  # fmt: skip


def bank_family() -> Family:
    """*bank* after a word, before it, and after another: one head, identity matrices (P4)."""
    given = preset("P4")

    def build(options: Options) -> Built:
        tokens = tuple(options[ORDER.key].split("-"))
        known = given.inputs()
        X = np.array([TABLE[word] for word in tokens])
        return replace(given.built(), inputs=Inputs({**known, "X": X}, tokens))

    return Family((ORDER,), build, "words_bank_")


def bank_rows(trace: Trace) -> tuple[Float[np.ndarray, "d"], Float[np.ndarray, "d"]]:
    """The row of *bank* as it goes in and as it comes out."""
    at = trace.tokens.index(BANK)
    return trace["X"][at], trace["output"][at]


@dataclass(frozen=True)
class Loves:
    """Each *love* of the sentences: where it stands, its row before attention and after."""

    sentence: tuple[int, ...]
    place: tuple[int, ...]
    before: Float[np.ndarray, "loves d"]
    after: Float[np.ndarray, "loves d"]

    @staticmethod
    def from_first(rows: Float[np.ndarray, "loves d"], n: int) -> float:
        """How far a row is from the first."""
        return float(distances(rows)[0, n])


@cache
def loves() -> Loves:
    """Every *love* of the three sentences, in one head of drawn weights (seed 0), causal."""
    program = attention_program(heads=1)
    found: list[tuple[int, int, np.ndarray, np.ndarray]] = []
    for number, text in enumerate(LOVES):
        trace = program.run(toy_inputs(text, heads=1, d_model=D_MODEL))
        for place, token in enumerate(tokenise(text)):
            if token == LOVE:
                found.append((number, place, trace["X"][place], trace["output"][place]))
    sentence, place, before, after = zip(*found, strict=True)
    return Loves(tuple(sentence), tuple(place), np.array(before), np.array(after))
