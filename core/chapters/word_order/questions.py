"""The questions on order: tokens shuffled, the position of a row, a turn, a slope."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from core.chapters.word_order.orders import ORDERS
from core.chapters.word_order.shuffled import shuffled_inputs, shuffled_program
from core.hash_random import Draw
from core.program.numbers.arithmetic import Product, Quotient, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    WrongAnswer,
    question_maker,
    question_table,
)
from core.questions.texts import equation, exact_number, sum_of_wholes, typeset_number
from core.texts import core_texts

TEXTS = core_texts("word_order")
SAME, CHANGES = TEXTS("stays"), TEXTS("changes")
NONE = TEXTS("no_row")
CLEAR = 0.05
"""What changes must change by at least this, to be seen at two decimals."""
_WORDS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin", "Ada", "Ben", "saw")


def _drawn(draw: Draw, mask: str, layers: int, order: str) -> tuple[list[str], Trace]:
    words = list(draw.some_of(_WORDS, 4))
    return words, shuffled_program(mask, layers).run(
        shuffled_inputs(" ".join(words), ORDERS[order](len(words)), layers)
    )


@question_maker("earlier-shuffled")
def earlier_shuffled_question(draw: Draw) -> Question | None:
    """Does the last token notice the order of the earlier ones? In the second layer (M9)."""
    layers = draw.one_of((1, 2))
    words, trace = _drawn(draw, "causal", layers, "earlier")
    last = (0, len(words) - 1, 0)
    change = float(np.abs(trace["difference"][0, -1]).max())
    if 1e-9 < change < CLEAR:
        return None
    answer = CHANGES if change > CLEAR else SAME
    one = layers == 1
    return Question(
        id="",
        prompt=TEXTS(
            "earlier_shuffled_prompt",
            layers=layers,
            typed=" ".join(words),
            last=words[-1],
            moved=" ".join([*words[-2::-1], words[-1]]),
        ),
        kind=Choice((SAME, CHANGES)),
        answer=answer,
        wrong=(
            WrongAnswer(
                TEXTS("earlier_shuffled_notices"), CHANGES, TEXTS("earlier_shuffled_notices_hint")
            )
            if one
            else WrongAnswer(
                TEXTS("earlier_shuffled_first"), SAME, TEXTS("earlier_shuffled_first_hint")
            ),
        ),
        hint=TEXTS("earlier_shuffled_hint"),
        explanation=TEXTS("earlier_shuffled_explanation", layers=layers),
        after=(
            question_table(trace, "moved", TEXTS("read_as_typed_moved")),
            question_table(trace, f"context_{layers}", TEXTS("read_in_new_order")),
        ),
        evidence=(
            Evidence(TEXTS("read_in_new_order"), trace, f"context_{layers}", last),
            Evidence(TEXTS("read_moved"), trace, "moved", last),
        ),
    )


@question_maker("moved-row")
def moved_row_question(draw: Draw) -> Question | None:
    """Which row is at a position of the new order? Its token's, unless a mask changes it."""
    mask, order = draw.one_of(("none", "none", "causal")), draw.one_of(("front", "reversed"))
    words, trace = _drawn(draw, mask, 1, order)
    place = draw.whole(0, len(words) - 1)
    typed, here = trace["context_1_typed"][0], trace["context_1"][0, place]
    gaps = np.abs(typed - here).max(axis=1)
    if any(1e-9 < gap < CLEAR for gap in gaps):
        return None
    equal = [word for word, gap in zip(words, gaps, strict=True) if gap <= 1e-9]
    answer = equal[0] if equal else NONE
    placed = words[ORDERS[order](len(words))[place]]
    wrong = [
        WrongAnswer(
            TEXTS("which_row_kept" if at == place else "which_row_another"),
            word,
            TEXTS("which_row_belongs", word=word, place=place + 1)
            if word != placed
            else TEXTS("which_row_as_typed", word=word),
        )
        for at, word in enumerate(words)
        if word != answer
    ]
    if answer != NONE:
        wrong.append(
            WrongAnswer(
                TEXTS("which_row_changed"), NONE, TEXTS("which_row_changed_hint", place=place + 1)
            )
        )
    return Question(
        id="",
        prompt=TEXTS(
            "which_row_prompt",
            causal=mask == "causal",
            typed=" ".join(words),
            place=place + 1,
            moved=" ".join(words[at] for at in ORDERS[order](len(words))),
        ),
        kind=Choice((*words, NONE)),
        answer=answer,
        wrong=tuple(wrong),
        hint=TEXTS("which_row_hint"),
        explanation=TEXTS("which_row_explanation", found=answer != NONE, word=placed),
        tables=(question_table(trace, "context_1_typed", TEXTS("each_as_typed")),),
        after=(question_table(trace, "context_1", TEXTS("each_in_new_order")),),
        evidence=(Evidence(TEXTS("each_in_new_order"), trace, "context_1", (0, place, 0)),),
    )


@question_maker("order-turn")
def turn_question(draw: Draw) -> Question | None:
    """RoPE: the angle between a pair of the query and the key's pair: (i − j)·frequency."""
    i, j = draw.whole(4, 12), draw.whole(1, 3)
    tenths = draw.one_of((1, 2, 5))
    frequency = Fraction(tenths, 10)
    text = exact_number(float(frequency))
    return Question(
        id="",
        prompt=TEXTS("turn_prompt", frequency=text, query=i, key=j),
        kind=NumberAnswer(0.011),
        answer=float((i - j) * frequency),
        wrong=(
            WrongAnswer(TEXTS("turn_own"), float(i * frequency), TEXTS("turn_own_hint")),
            WrongAnswer(TEXTS("turn_added"), float((i + j) * frequency), TEXTS("turn_added_hint")),
            WrongAnswer(
                TEXTS("turn_steps"), float(i - j), TEXTS("turn_steps_hint", frequency=text)
            ),
        ),
        hint=TEXTS("turn_hint"),
        explanation=TEXTS("turn_explanation", query=i, key=j, apart=i - j),
        working=(
            arithmetic_line(
                Product((*sum_of_wholes(i - j), typeset_number(float(frequency)))),
                CELL_DECIMALS,
                trim=False,
            ),
        ),
        would_mean=lambda given: TEXTS(
            "turn_would",
            frequency=text,
            steps=equation(Quotient(typeset_number(given), typeset_number(float(frequency)))),
        ),
    )


@question_maker("order-slope")
def slope_question(draw: Draw) -> Question | None:
    """ALiBi: what is added to a score? −slope·(i − j), slope 2^(−8h/H)."""
    heads, back = draw.one_of((2, 4, 8)), draw.whole(2, 9)
    head = draw.whole(1, heads)
    power = 8 * head // heads
    if power > 4:
        return None
    slope = Fraction(1, 2**power)
    answer = -slope * back
    if answer.denominator > 4 or np.isclose(float(answer), -1.0):
        return None
    return Question(
        id="",
        prompt=TEXTS("slope_prompt", heads=heads, head=head, power=power, back=back),
        kind=NumberAnswer(0.011),
        answer=float(answer),
        wrong=(
            WrongAnswer(TEXTS("slope_added"), float(-answer), TEXTS("slope_added_hint")),
            WrongAnswer(TEXTS("slope_one"), float(-slope), TEXTS("slope_one_hint")),
            WrongAnswer(TEXTS("slope_distance"), float(-back), TEXTS("slope_distance_hint")),
        ),
        hint=TEXTS("slope_hint", back=back),
        explanation=TEXTS("slope_explanation", slope=exact_number(float(slope)), back=back),
        working=(
            arithmetic_line(
                Product((typeset_number(float(-slope)), *sum_of_wholes(back))),
                CELL_DECIMALS,
                trim=False,
            ),
        ),
        would_mean=lambda given: TEXTS(
            "slope_would", each=equation(Quotient(typeset_number(given), *sum_of_wholes(back)))
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("earlier_shuffled"): earlier_shuffled_question,
        TEXTS("which_row"): moved_row_question,
        TEXTS("turn"): turn_question,
        TEXTS("take_away"): slope_question,
    }
)
