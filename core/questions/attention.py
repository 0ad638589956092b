"""Questions on causal attention that more than one chapter asks. Answers are read from runs."""

from collections.abc import Callable

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.draws import Draw
from core.program.arithmetic import Number as Printed
from core.program.arithmetic import Sum
from core.program.display import shown
from core.program.explanations import arithmetic
from core.program.labels import axis_labels
from core.program.trace import Trace
from core.questions.answers import Choice, Number
from core.questions.engine import (
    Evidence,
    Question,
    WrongAnswer,
    question_maker,
    table,
)
from core.questions.texts import about, equation, exact, listed, printed

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
        prompt=(
            f"“{' '.join(words)}”: here are the weights without a mask, a row for each query. "
            "The causal mask hides from each query the keys that come after it. Which row stays "
            "exactly as it is?"
        ),
        kind=Choice(tuple(labels)),
        answer=labels[row],
        wrong=tuple(_changed_row(free, causal, labels, i) for i in range(len(labels)) if i != row),
        hint="Count for each query the keys after it: the mask takes them out of its row.",
        explanation=(
            f"No key comes after *{labels[row]}*, so the mask hides nothing from it: its row is "
            f"{listed(numbers)} with the mask and without."
        ),
        fact="The last row is the same with the causal mask and without, whatever the numbers.",
        tables=(table(free, "weights", "Weights without a mask"),),
        after=(table(causal, "weights", "Weights with the causal mask"),),
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
    word = words[0]
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}”: these are the scaled scores, the causal mask still to come. "
            f"After mask and softmax, what is the weight of *{word}* on itself?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you took the whole row", unmasked,
                f"The keys after *{word}* are hidden, so they take no part in its softmax.",
            ),
            WrongAnswer(
                "you shared it out evenly", 1 / len(words),
                "Equal weights need equal scores, and only over the keys that can be seen.",
            ),
        ),
        hint=f"Which keys can *{word}* see? Softmax is taken over these alone.",
        explanation=(
            f"*{word}* sees only itself. A softmax over one number is {exact(answer)}, whatever "
            "the number is: no training changes it."
        ),
        fact=(
            "Under a causal mask the first token's weight on itself is "
            f"{exact(answer)}, whatever the scores."
        ),
        tables=(table(free, "scaled", "Scaled scores"),),
        working=arithmetic(causal, "weights", first)[1:],
        would_mean=_share_elsewhere(word),
        evidence=(Evidence("Weights with the causal mask", causal, "weights", first),),
    )  # fmt: skip


def _share_elsewhere(word: str) -> Callable[[float], str]:
    """What is left of a weight of the first token: it could only be on keys that it cannot see."""

    def said(given: float) -> str:
        if not 0 <= given <= 1:
            return "No weight is negative, and none is more than the whole row adds up to."
        return (
            f"Then keys after *{word}* would get the rest of the row, {about(1 - given)}. Can it "
            "see them?"
        )

    return said


def _changed_row(free: Trace, causal: Trace, labels: list[str], i: int) -> WrongAnswer:
    """Why row i is not the one: what the mask takes from it."""
    hidden = len(labels) - 1 - i
    keys = "key" if hidden == 1 else "keys"
    if i == 0:
        own = (0, 0, 0)
        return WrongAnswer(
            "you picked the row that loses the most keys", labels[0],
            f"*{labels[0]}* comes first and can see only itself: its weight on itself goes from "
            f"{printed(shown(free, 'weights', own))} to {printed(shown(causal, 'weights', own))}.",
        )  # fmt: skip
    later = [shown(free, "weights", (0, i, j)) for j in range(i + 1, len(labels))]
    taken = equation(Sum(tuple(map(Printed, later)))) if hidden > 1 else printed(later[0])
    return WrongAnswer(
        "you picked a row with keys after it", labels[i],
        f"The mask hides {hidden} {keys} after *{labels[i]}*, which took {taken} of its weight "
        "without it.",
    )  # fmt: skip
