"""Questions on causal attention that more than one chapter asks. Answers are read from runs."""

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.draws import Draw
from core.program.display import shown
from core.program.labels import axis_labels
from core.program.rounding import decimal_text
from core.program.trace import Trace
from core.questions.answers import Choice, Number
from core.questions.engine import (
    Evidence,
    Question,
    WrongAnswer,
    question_maker,
    table,
)

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
    numbers = ", ".join(shown(causal, "weights", (0, row, j)) for j in range(len(labels)))
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}”: here are the weights without a mask, a row for each query. "
            "The causal mask hides from each query the keys that come after it. Which row stays "
            "exactly as it is?"
        ),
        kind=Choice(tuple(labels)),
        answer=labels[row],
        wrong=tuple(_changed_row(free, causal, labels, i) for i in range(len(labels)) if i != row),
        explanation=(
            f"No key comes after {labels[row]}, so the mask hides nothing from it: its row is "
            f"{numbers} with the mask and without."
        ),
        tables=(table(free, "weights", "Weights without a mask"),),
        evidence=(
            Evidence("Weights without a mask", free, "weights"),
            Evidence("Weights with the causal mask", causal, "weights"),
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
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}”: these are the scaled scores, the causal mask still to come. "
            f"After mask and softmax, what is the weight of {words[0]} on itself, however the "
            "model is trained?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you took the whole row", unmasked,
                f"The keys after {words[0]} are hidden, so they take no part in its softmax.",
            ),
            WrongAnswer(
                "you shared it out evenly", 1 / len(words),
                "Equal weights need equal scores, and only over the keys that can be seen.",
            ),
        ),
        explanation=(
            f"{words[0]} sees only itself, and a softmax over one number is "
            f"{shown(causal, 'weights', first)}, whatever the number is: no training changes it."
        ),
        tables=(table(free, "scaled", "Scaled scores"),),
        evidence=(Evidence("Weights with the causal mask", causal, "weights", first),),
    )  # fmt: skip


def _changed_row(free: Trace, causal: Trace, labels: list[str], i: int) -> WrongAnswer:
    """Why row i is not the one: what the mask takes from it."""
    hidden = len(labels) - 1 - i
    taken = decimal_text(float(free["weights"][0, i, i + 1 :].sum()))
    keys, after = ("key", "a key") if hidden == 1 else ("keys", "keys")
    if i == 0:
        own = (0, 0, 0)
        return WrongAnswer(
            "you picked the row that loses the most keys", labels[0],
            f"{labels[0]} comes first and can see only itself: its weight on itself goes from "
            f"{shown(free, 'weights', own)} to {shown(causal, 'weights', own)}.",
        )  # fmt: skip
    return WrongAnswer(
        f"you picked a row with {after} after it", labels[i],
        f"The mask hides {hidden} {keys} after {labels[i]}, which took {taken} of its weight "
        "without it.",
    )  # fmt: skip
