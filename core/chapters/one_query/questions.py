"""The questions on generation: work done again, a cache's growth, the corner, and what is left."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from core.attention.costs import Layer
from core.attention.layers.decoding import UpperLeft
from core.hash_random import Draw
from core.program.numbers.arithmetic import (
    Power,
    Product,
    Quotient,
    Subtraction,
    Sum,
    arithmetic_line,
)
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import NumberAnswer
from core.questions.engine import (
    Question,
    QuestionMaker,
    QuestionTable,
    WrongAnswer,
    question_maker,
    usual_mistake,
)
from core.questions.texts import equation, exact_number, sum_of_wholes, sum_text, typeset_number
from core.texts import core_texts

TEXTS = core_texts("one_query")
COUNT = NumberAnswer(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
FRACTION = NumberAnswer(0.006)
FACTORS = ("0.2", "0.3", "0.5", "0.6", "0.8", "0.9", "2")


@question_maker("computed-again")
def computed_again_question(draw: Draw) -> Question | None:
    """How many rows of K are computed without a cache, all steps together? T(T + 1)/2."""
    T = draw.whole(3, 16)
    rows = tuple(range(1, T + 1))
    answer = sum(rows)
    return Question(
        id="",
        prompt=TEXTS("again_prompt", tokens=T),
        kind=COUNT,
        answer=answer,
        wrong=(
            usual_mistake(TEXTS, "again_once", T, tokens=T),
            usual_mistake(TEXTS, "again_every_last", T * T, tokens=T),
            usual_mistake(TEXTS, "again_no_new", answer - T),
        ),
        hint=TEXTS("again_hint"),
        explanation=TEXTS("again_explanation", tokens=T),
        working=(arithmetic_line(sum_text(rows), 0),),
        would_mean=lambda given: TEXTS(
            "again_would_mean",
            tokens=T,
            average=equation(Quotient(typeset_number(given), *sum_of_wholes(T))),
        ),
    )


@question_maker("cache-growth")
def cache_growth_question(draw: Draw) -> Question | None:
    """By how many bytes does a cache grow with each token? 2·layers·G·d_k·bytes."""
    layers, groups, d_k = draw.one_of((2, 4, 6, 12)), draw.one_of((1, 2, 4)), draw.one_of((8, 16))
    heads, each = 8, draw.one_of((2, 4))
    in_layer = Layer(heads * d_k, heads, groups, d_k).cached(1)
    answer = layers * in_layer * each
    mistakes = [
        usual_mistake(TEXTS, "growth_keys_only", answer // 2),
        usual_mistake(TEXTS, "growth_one_layer", in_layer * each, layers=layers),
        usual_mistake(
            TEXTS, "growth_all_heads", answer * heads // groups, heads=heads, groups=groups
        ),
    ]
    if each != 2:  # else it is as much as K alone
        mistakes.append(usual_mistake(TEXTS, "growth_numbers", answer // each, each=each))
    return Question(
        id="",
        prompt=TEXTS(
            "growth_prompt", layers=layers, heads=heads, d_k=d_k, groups=groups, each=each
        ),
        kind=COUNT,
        answer=answer,
        wrong=tuple(mistakes),
        hint=TEXTS("growth_hint"),
        explanation=TEXTS("growth_explanation", d_k=d_k),
        working=(arithmetic_line(Product(sum_of_wholes(2, layers, groups, d_k, each)), 0),),
        would_mean=lambda given: TEXTS(
            "growth_would_mean",
            in_layer=equation(Quotient(typeset_number(given), *sum_of_wholes(layers))),
        ),
    )


@question_maker("which-corner")
def corner_question(draw: Draw) -> Question | None:
    """How many keys does the last of n new queries see with is_causal=True? n: upper left (M19)."""
    new = draw.whole(2, 5)
    keys = new + draw.whole(2, 7)
    mask = UpperLeft("causal").mask(new, keys)
    answer = int(mask[-1].sum())
    return Question(
        id="",
        prompt=TEXTS("corner_prompt", new=new, keys=keys, kept=keys - new),
        kind=COUNT,
        answer=answer,
        wrong=(
            usual_mistake(TEXTS, "corner_everything", keys),
            usual_mistake(TEXTS, "corner_kept", keys - new),
            usual_mistake(TEXTS, "corner_first", 1),
        ),
        hint=TEXTS("corner_hint"),
        explanation=TEXTS("corner_explanation", seen=answer, keys=keys),
        after=(
            QuestionTable(
                TEXTS("corner_table"),
                TEXTS("queries_and_keys"),
                tuple(TEXTS("new_query", number=n + 1) for n in range(new)),
                tuple(str(n + 1) for n in range(keys)),
                tuple(tuple(str(int(cell)) for cell in row) for row in mask),
            ),
        ),
        working=(arithmetic_line(Sum(sum_of_wholes(1, new - 1)), 0),),
        would_mean=lambda given: TEXTS(
            "corner_would_mean",
            first=equation(Subtraction(typeset_number(given), *sum_of_wholes(new - 1))),
        ),
    )


@question_maker("what-is-left")
def left_question(draw: Draw) -> Question | None:
    """What does a linear recurrent net's state hold of token 1 at token t? factor^(t−1)."""
    factor, t = draw.one_of(FACTORS), draw.whole(3, 6)
    a = Fraction(factor)
    answer = a ** (t - 1)
    if answer < Fraction(1, 100):
        return None
    times = t - 1
    return Question(
        id="",
        prompt=TEXTS("left_prompt", factor=factor, token=t),
        kind=FRACTION,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                TEXTS("left_once_more", token=t), float(a**t), TEXTS("left_once_more_words")
            ),
            usual_mistake(TEXTS, "left_times_steps", float(a * times)),
            usual_mistake(TEXTS, "left_one_step", float(a), token=t),
        ),
        hint=TEXTS("left_hint"),
        explanation=TEXTS("left_explanation", token=t, steps=times, factor=exact_number(float(a))),
        working=(
            arithmetic_line(Power(typeset_number(float(a)), times), CELL_DECIMALS, trim=False),
        ),
        would_mean=lambda given: TEXTS(
            "left_would_mean",
            next=t + 1,
            after=equation(Product((typeset_number(given), typeset_number(float(a))))),
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("again_question"): computed_again_question,
        TEXTS("growth_question"): cache_growth_question,
        TEXTS("corner_question"): corner_question,
        TEXTS("left_question"): left_question,
    }
)
