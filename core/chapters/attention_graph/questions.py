"""The questions on graphs: an edge taken away, two sentences, how far layers reach."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from core.attention.masks import Rule
from core.hash_random import Draw
from core.program.numbers.arithmetic import Product, Quotient, Subtraction, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, printed, sum_of_wholes, typeset_number
from core.texts import core_texts

TEXTS = core_texts("attention_graph")
COUNT = NumberAnswer(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
READ = NumberAnswer(0.006)


@question_maker("edge-taken-away")
def edge_question(draw: Draw) -> Question | None:
    """What weight does an edge have when another one is taken away? w / (1 − w')."""
    tenths = draw.some_of((1, 2, 3, 4, 5, 6), 2)
    third = 10 - sum(tenths)
    if third < 1:
        return None
    first, gone = (Fraction(n, 10) for n in tenths)
    answer = first / (1 - gone)
    a, b, c = (printed(f"0.{n}") for n in (*tenths, third))
    return Question(
        id="",
        prompt=TEXTS("edge_prompt", a=a, b=b, c=c),
        kind=READ,
        answer=float(answer),
        wrong=(
            WrongAnswer(TEXTS("edge_as_it_was"), float(first), TEXTS("edge_as_it_was_hint")),
            WrongAnswer(
                TEXTS("edge_equal_parts"), float(first + gone / 2), TEXTS("edge_equal_parts_hint")
            ),
            WrongAnswer(TEXTS("edge_all_of_it"), float(first + gone), TEXTS("edge_all_of_it_hint")),
        ),
        hint=TEXTS("edge_hint"),
        explanation=TEXTS("edge_explanation"),
        working=(
            arithmetic_line(
                Quotient(
                    typeset_number(float(first)),
                    Subtraction(typeset_number(1), typeset_number(float(gone))),
                ),
                CELL_DECIMALS,
                trim=False,
            ),
        ),
        would_mean=lambda given: TEXTS(
            "edge_would_mean",
            times=equation(Quotient(typeset_number(given), typeset_number(float(first)))),
        ),
    )


@question_maker("weights-between")
def between_question(draw: Draw) -> Question | None:
    """How many weights has cross-attention between two sentences? L_q · L_k."""
    asking, read = draw.whole(2, 9), draw.whole(2, 9)
    if asking == read:
        return None
    return Question(
        id="",
        prompt=TEXTS("between_prompt", asking=asking, read=read),
        kind=COUNT,
        answer=asking * read,
        wrong=(
            WrongAnswer(TEXTS("between_tokens"), asking + read, TEXTS("between_tokens_hint")),
            WrongAnswer(TEXTS("between_encoder"), read * read, TEXTS("between_encoder_hint")),
            WrongAnswer(TEXTS("between_decoder"), asking * asking, TEXTS("between_decoder_hint")),
        ),
        hint=TEXTS("between_hint"),
        explanation=TEXTS("between_explanation", asking=asking, read=read),
        working=(arithmetic_line(Product(sum_of_wholes(asking, read)), 0),),
        would_mean=lambda given: TEXTS(
            "between_would_mean",
            weights=equation(Quotient(typeset_number(given), *sum_of_wholes(asking))),
        ),
    )


@question_maker("layers-reach")
def reach_question(draw: Draw) -> Question | None:
    """How many tokens back does information come from in n layers? n(w − 1)."""
    window, layers = draw.whole(2, 6), draw.whole(2, 5)
    answer = layers * (window - 1)
    T = answer + window
    seen = Rule("window", (window,)).mask(T, T)
    reached = seen
    for _ in range(layers - 1):
        reached = reached @ seen
    if T - 1 - int(reached[-1].argmax()) != answer:
        return None
    return Question(
        id="",
        prompt=TEXTS("reach_prompt", before=window - 1, window=window, layers=layers),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("reach_one_layer"), window - 1, TEXTS("reach_one_layer_hint")),
            WrongAnswer(TEXTS("reach_itself"), layers * window, TEXTS("reach_itself_hint")),
            WrongAnswer(
                TEXTS("reach_multiplied"), (window - 1) ** layers, TEXTS("reach_multiplied_hint")
            ),
        ),
        hint=TEXTS("reach_hint"),
        explanation=TEXTS("reach_explanation", back=window - 1),
        working=(arithmetic_line(Product(sum_of_wholes(layers, window - 1)), 0),),
        would_mean=lambda given: TEXTS(
            "reach_would_mean",
            back=equation(Quotient(typeset_number(given), *sum_of_wholes(layers))),
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("edge_question"): edge_question,
        TEXTS("between_question"): between_question,
        TEXTS("reach_question"): reach_question,
    }
)
