"""Questions on causal attention that more than one chapter asks. Answers are read from runs."""

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
from core.questions.asking import NOUNS, VERBS, Asking
from core.questions.engine import Evidence, Question, WrongAnswer, question_maker, question_table
from core.questions.texts import about, comma_separated, equation, exact_number, printed
from core.texts import core_texts

TEXTS = core_texts("questions")
CAUSAL = attention_program(heads=1)
FREE = attention_program(heads=1, mask="none")
CLEAR_CHANGE = 0.05
"""A row that the mask changes must change by at least this, to be seen at two decimals."""
_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo")
_ARTICLES = ("the", "a", "one", "every")
_ENDS = ("today", "again", "first", "slowly", "outside", "twice")
_SENTENCES = (
    (_NAMES, VERBS, _NAMES),
    (_ARTICLES, NOUNS, VERBS, _NAMES),
    (_NAMES, VERBS, _ARTICLES, NOUNS),
    (_NAMES, VERBS, _ARTICLES, NOUNS, _ENDS),
)


def _free_and_masked(draw: Draw) -> tuple[list[str], Trace, Trace] | None:
    """A drawn sentence, and its runs without a mask and with one; None where a word comes twice."""
    words = [draw.one_of(part) for part in draw.one_of(_SENTENCES)]
    if len(set(words)) < len(words):
        return None
    inputs = toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999))
    return words, FREE.run(inputs), CAUSAL.run(inputs)


@question_maker("unchanged-row")
def unchanged_row_question(draw: Draw) -> Question | None:
    """Which row of weights does the causal mask leave as it is? The last (T; CONCEPTS M8)."""
    if not (drawn := _free_and_masked(draw)):
        return None
    words, free, causal = drawn
    change = np.abs(free["weights"] - causal["weights"]).max(axis=(0, 2))
    unchanged = np.flatnonzero(change < CLEAR_CHANGE)
    if len(unchanged) != 1 or change[unchanged[0]] > 1e-12:
        return None
    row = int(unchanged[0])
    labels = axis_labels(free, "weights")[1]
    numbers = comma_separated([shown(causal, "weights", (0, row, j)) for j in range(len(words))])
    ask = Asking(TEXTS, "unchanged", sentence=" ".join(words), token=labels[row], numbers=numbers)
    return ask.question(
        Choice(tuple(labels)),
        labels[row],
        [_changed_row(ask, free, causal, i) for i in range(len(labels)) if i != row],
        fact=ask("unchanged_fact"),
        tables=(question_table(free, "weights", TEXTS("without_mask")),),
        after=(question_table(causal, "weights", TEXTS("with_mask")),),
        evidence=(
            Evidence(TEXTS("without_mask"), free, "weights"),
            Evidence(TEXTS("with_mask"), causal, "weights"),
        ),
    )


def _changed_row(ask: Asking, free: Trace, causal: Trace, i: int) -> WrongAnswer:
    """Why row i is not the one: what the mask takes from it."""
    labels = axis_labels(free, "weights")[1]
    if i == 0:
        before, after = (printed(shown(run, "weights", (0, 0, 0))) for run in (free, causal))
        return ask.mistake("loses_most", labels[0], token=labels[0], before=before, after=after)
    later = [shown(free, "weights", (0, i, j)) for j in range(i + 1, len(labels))]
    taken = equation(Sum(tuple(map(Printed, later)))) if later[1:] else printed(later[0])
    return ask.mistake("loses_some", labels[i], token=labels[i], hidden=len(later), taken=taken)


@question_maker("first-weight")
def first_weight_question(draw: Draw) -> Question | None:
    """What weight does the first token have on itself under a causal mask? 1, always (M7)."""
    if not (drawn := _free_and_masked(draw)):
        return None
    words, free, causal = drawn
    first = (0, 0, 0)
    answer, unmasked = float(causal["weights"][first]), float(free["weights"][first])
    if unmasked > 1 - CLEAR_CHANGE:
        return None
    ask = Asking(
        TEXTS, "first", sentence=" ".join(words), token=words[0], answer=exact_number(answer)
    )

    def would_mean(given: float) -> str:
        """What it would leave for the other keys, which the first token cannot see."""
        if not 0 <= given <= 1:
            return ask("no_weight")
        return ask("other_weight", rest=about(1 - given))

    return ask.question(
        NumberAnswer(0.01),
        answer,
        {"whole_row": unmasked, "equal_weights": 1 / len(words)},
        working=arithmetic(causal, "weights", first)[1:],
        would_mean=would_mean,
        fact=ask("first_fact"),
        tables=(question_table(free, "scaled", TEXTS("scaled")),),
        evidence=(Evidence(TEXTS("with_mask"), causal, "weights", first),),
    )
