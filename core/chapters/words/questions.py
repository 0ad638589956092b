"""The questions before attention: does a later word change *bank*, and which value adds more?"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.examples.presets import preset
from core.chapters.words.average import mean_program
from core.chapters.words.vectors import BANK, TABLE
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.labels import listed_names
from core.program.numbers.arithmetic import Product, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import Choice
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    WrongAnswer,
    question_maker,
    question_table,
)
from core.questions.texts import exact_number, typeset_number
from core.texts import core_texts

TEXTS = core_texts("words")
SAME, BEFORE, AFTER = TEXTS("stays"), TEXTS("moves_before"), TEXTS("moves_after")
FIRST, SECOND, EVEN = TEXTS("first_value"), TEXTS("second_value"), TEXTS("both_values")
CLEAR = 0.1


@question_maker("does-bank-change")
def bank_question(draw: Draw) -> Question | None:
    """Does *bank* change? Only if a word comes before it (M6, P4)."""
    others = [word for word in TABLE if word != BANK]
    count = draw.whole(1, len(others))
    words = draw.some_of((*draw.some_of(others, count), BANK), count + 1)
    given = preset("P4").built()
    inputs = {**given.inputs, "X": np.array([TABLE[word] for word in words])}
    trace = given.program.run(Inputs(inputs, tuple(words)))  # type: ignore[arg-type]
    at = words.index(BANK)
    moved = float(np.abs(trace["output"][at] - trace["X"][at]).max())
    if at and moved < CLEAR:
        return None  # what comes before it pulls in all directions at once
    answer = BEFORE if at else SAME
    mistakes = {
        SAME: ("read_nothing", "read_nothing_hint"),
        BEFORE: ("read_before", "read_before_hint"),
        AFTER: ("read_after", "read_after_hint"),
    }
    earlier = listed_names([f"*{word}*" for word in words[:at]])
    return Question(
        id="",
        prompt=TEXTS("bank_prompt", sentence=" ".join(words), bank=BANK),
        kind=Choice((SAME, BEFORE, AFTER)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(TEXTS(name, bank=BANK), option, TEXTS(hint, bank=BANK))
            for option, (name, hint) in mistakes.items()
            if option != answer
        ),
        hint=TEXTS("bank_hint", bank=BANK),
        explanation=TEXTS("bank_explanation", bank=BANK, earlier=earlier),
        tables=(question_table(trace, "X", TEXTS("rows_before")),),
        after=(question_table(trace, "output", TEXTS("rows_after")),),
        evidence=(Evidence(TEXTS("rows_after"), trace, "output", (at, 0)),),
    )


@question_maker("main-contributor")
def contributor_question(draw: Draw) -> Question | None:
    """Does the largest weight add most? Not if its value is small (M14, P9)."""
    tenths = draw.one_of((6, 7, 8, 9))
    small, large = draw.whole(0, 3), draw.whole(2, 30)
    parts = tenths * small / 10, (10 - tenths) * large / 10
    if 0 < abs(parts[0] - parts[1]) < CLEAR:
        return None
    dials = np.array([[tenths, 10 - tenths]], dtype=float)
    trace = mean_program().run(
        Inputs({"dials": dials, "V": np.array([[float(small)], [float(large)]])}, ())
    )
    answer = EVEN if parts[0] == parts[1] else FIRST if parts[0] > parts[1] else SECOND
    weights = tenths / 10, (10 - tenths) / 10
    only_large = "only_values" if large > small else "no_product"
    wrong = {
        FIRST: (TEXTS("only_weights"), TEXTS("one_product", part=exact_number(parts[0]))),
        SECOND: (TEXTS(only_large), TEXTS("one_product", part=exact_number(parts[1]))),
        EVEN: (TEXTS("took_for_equal"), TEXTS("two_products")),
    }
    return Question(
        id="",
        prompt=TEXTS(
            "adds_prompt",
            first=exact_number(small),
            first_weight=exact_number(weights[0]),
            second=exact_number(large),
            second_weight=exact_number(weights[1]),
        ),
        kind=Choice((FIRST, SECOND, EVEN)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(name, option, hint)
            for option, (name, hint) in wrong.items()
            if option != answer
        ),
        hint=TEXTS("adds_hint"),
        explanation=TEXTS(
            "adds_explanation", first=exact_number(parts[0]), second=exact_number(parts[1])
        ),
        working=tuple(
            arithmetic_line(
                Product((typeset_number(weight), typeset_number(float(value)))),
                CELL_DECIMALS,
                trim=False,
            )
            for weight, value in zip(weights, (small, large), strict=True)
        ),
        evidence=(Evidence(TEXTS("what_is_read"), trace, "average", (0, 0)),),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("does_it_change"): bank_question,
        TEXTS("which_adds_more"): contributor_question,
    }
)
