"""Questions on causal attention that more than one chapter asks. Answers are read from runs."""

from collections.abc import Callable

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.hash_random import Draw
from core.program.explanations import arithmetic
from core.program.labels import axis_labels
from core.program.numbers.arithmetic import PrintedNumber as Printed
from core.program.numbers.arithmetic import Sum
from core.program.numbers.display import shown
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    WrongAnswer,
    question_maker,
    question_table,
)
from core.questions.texts import about, comma_separated, equation, exact_number, printed
from core.texts import core_texts

TEXTS = core_texts("questions")
CAUSAL = attention_program(heads=1)
FREE = attention_program(heads=1, mask="none")
TOLERANCE = 0.01
CLEAR_CHANGE = 0.05
"""A row that the mask changes must change by at least this, to be seen at two decimals."""
_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo")
_VERBS = ("saw", "met", "heard", "drew", "found", "called", "fed", "followed")
_ARTICLES = ("the", "a", "one", "every")
_NOUNS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin")
_ENDS = ("today", "again", "first", "slowly", "outside", "twice")
_SENTENCES = (
    (_NAMES, _VERBS, _NAMES),
    (_ARTICLES, _NOUNS, _VERBS, _NAMES),
    (_NAMES, _VERBS, _ARTICLES, _NOUNS),
    (_NAMES, _VERBS, _ARTICLES, _NOUNS, _ENDS),
)


@question_maker("unchanged-row")
def unchanged_row_question(draw: Draw) -> Question | None:
    """Which row of weights does the causal mask leave as it is? The last (T; CONCEPTS M8)."""
    words = [draw.one_of(part) for part in draw.one_of(_SENTENCES)]
    if len(set(words)) < len(words):
        return None
    inputs = toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999))
    free, causal = FREE.run(inputs), CAUSAL.run(inputs)
    change = np.abs(free["weights"] - causal["weights"]).max(axis=(0, 2))
    unchanged = np.flatnonzero(change < CLEAR_CHANGE)
    if len(unchanged) != 1 or change[unchanged[0]] > 1e-12:
        return None
    row = int(unchanged[0])
    labels = axis_labels(free, "weights")[1]
    numbers = [shown(causal, "weights", (0, row, j)) for j in range(len(labels))]
    return Question(
        id="",
        prompt=TEXTS("unchanged", sentence=" ".join(words)),
        kind=Choice(tuple(labels)),
        answer=labels[row],
        wrong=tuple(_changed_row(free, causal, labels, i) for i in range(len(labels)) if i != row),
        hint=TEXTS("unchanged_hint"),
        explanation=TEXTS(
            "unchanged_explanation", token=labels[row], numbers=comma_separated(numbers)
        ),
        fact=TEXTS("unchanged_fact"),
        tables=(question_table(free, "weights", TEXTS("without_mask")),),
        after=(question_table(causal, "weights", TEXTS("with_mask")),),
        evidence=(
            Evidence(TEXTS("without_mask"), free, "weights"),
            Evidence(TEXTS("with_mask"), causal, "weights"),
        ),
    )


@question_maker("first-weight")
def first_weight_question(draw: Draw) -> Question | None:
    """What weight does the first token have on itself under a causal mask? 1, always (M7)."""
    words = [draw.one_of(part) for part in draw.one_of(_SENTENCES)]
    if len(set(words)) < len(words):
        return None
    inputs = toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999))
    free, causal = FREE.run(inputs), CAUSAL.run(inputs)
    first = (0, 0, 0)
    answer, unmasked = float(causal["weights"][first]), float(free["weights"][first])
    if unmasked > 1 - CLEAR_CHANGE:
        return None
    word = words[0]
    return Question(
        id="",
        prompt=TEXTS("first", sentence=" ".join(words), token=word),
        kind=NumberAnswer(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("whole_row"), unmasked, TEXTS("whole_row_hint", token=word)),
            WrongAnswer(TEXTS("equal_weights"), 1 / len(words), TEXTS("equal_weights_hint")),
        ),
        hint=TEXTS("first_hint", token=word),
        explanation=TEXTS("first_explanation", token=word, answer=exact_number(answer)),
        fact=TEXTS("first_fact", answer=exact_number(answer)),
        tables=(question_table(free, "scaled", TEXTS("scaled")),),
        working=arithmetic(causal, "weights", first)[1:],
        would_mean=_weight_elsewhere(word),
        evidence=(Evidence(TEXTS("with_mask"), causal, "weights", first),),
    )  # fmt: skip


def _weight_elsewhere(word: str) -> Callable[[float], str]:
    """What an answer would leave for the other keys, which the first token cannot see."""

    def said(given: float) -> str:
        if not 0 <= given <= 1:
            return TEXTS("no_weight")
        return TEXTS("other_weight", token=word, rest=about(1 - given))

    return said


def _changed_row(free: Trace, causal: Trace, labels: list[str], i: int) -> WrongAnswer:
    """Why row i is not the one: what the mask takes from it."""
    hidden = len(labels) - 1 - i
    if i == 0:
        before, after = (printed(shown(run, "weights", (0, 0, 0))) for run in (free, causal))
        hint = TEXTS("loses_most_hint", token=labels[0], before=before, after=after)
        return WrongAnswer(TEXTS("loses_most"), labels[0], hint)
    later = [shown(free, "weights", (0, i, j)) for j in range(i + 1, len(labels))]
    taken = equation(Sum(tuple(map(Printed, later)))) if hidden > 1 else printed(later[0])
    hint = TEXTS("loses_some_hint", hidden=hidden, token=labels[i], taken=taken)
    return WrongAnswer(TEXTS("loses_some"), labels[i], hint)
