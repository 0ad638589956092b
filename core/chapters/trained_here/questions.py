"""The questions on training: a loss of chance, the cell that cheats, and what a head looks at."""

import math

import numpy as np

from core.hash_random import Draw
from core.models.head_scores import COUNTED_CELLS
from core.models.trained.measures import INDUCTION, PREVIOUS
from core.questions.answers import TWO_DECIMALS, Choice
from core.questions.asking import NOUNS_AND_NAMES, Asking
from core.questions.engine import Question, QuestionTable, question_maker
from core.questions.texts import about, call_of
from core.texts import core_texts

TEXTS = core_texts("trained_here")


@question_maker("untrained-loss")
def untrained_loss_question(draw: Draw) -> Question:
    """What is the loss of a model that finds all tokens equally likely? ln V."""
    size = draw.whole(3, 60)
    ask = Asking(TEXTS, "untrained", size=size)

    def would_mean(given: float) -> str:
        if not 0 <= given < 20:
            return ask("untrained_far")
        return ask("untrained_would_mean", tokens=about(math.exp(given)))

    return ask.question(
        TWO_DECIMALS,
        math.log(size),
        {"in_bits": math.log2(size), "the_probability": 1 / size, "all_wrong": float(size)},
        working=[call_of("log", size)],
        would_mean=would_mean,
    )


@question_maker("cheating-cell")
def cheating_cell_question(draw: Draw) -> Question:
    """Without a mask, which key gives the answer away? The next token's."""
    words = draw.some_of(NOUNS_AND_NAMES, 6)
    at = draw.whole(1, len(words) - 3)
    ask = Asking(TEXTS, "cheating", query=words[at], sentence=" ".join(words))
    reasons = dict.fromkeys(words[:at], "the_earlier") | {
        words[at]: "the_query",
        words[-1]: "the_end",
    }
    return ask.question(
        Choice(tuple(words)),
        words[at + 1],
        [ask.mistake(reasons.get(word, "the_later"), word) for word in words],
    )


@question_maker("induction-looks")
def induction_question(draw: Draw) -> Question:
    """What does the last token read in a head of induction? What came after it the last time."""
    words = list(draw.some_of(NOUNS_AND_NAMES, 6))
    at = draw.whole(1, len(words) - 3)
    row = [*words, words[at]]
    ((key,), (before,)) = (
        np.flatnonzero(COUNTED_CELLS[kind](row)[-1]) for kind in (INDUCTION, PREVIOUS)
    )
    ask = Asking(TEXTS, "looks", row=" ".join(row), token=row[-1])
    reasons = {row[at]: "the_same", row[before]: "the_previous", row[at - 1]: "the_one_before"}
    return ask.question(
        Choice(tuple(words)),
        row[key],
        [ask.mistake(reasons.get(word, "the_other"), word) for word in words],
        after=(_places(row),),
    )


def _places(row: list[str]) -> QuestionTable:
    """The tokens of a row under the numbers of their places."""
    places = tuple(str(place) for place in range(1, len(row) + 1))
    return QuestionTable(
        TEXTS("places_title"), TEXTS("place"), (TEXTS("token"),), places, (tuple(row),)
    )


QUESTIONS = {
    TEXTS("untrained_title"): untrained_loss_question,
    TEXTS("cheating_title"): cheating_cell_question,
    TEXTS("looks_title"): induction_question,
}
