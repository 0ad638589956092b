"""The questions on merging: two pieces, a key counted twice, a larger maximum, tiles needed."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.traffic import row_by_row
from core.hash_random import Draw
from core.program.numbers.arithmetic import Product, Quotient, Subtraction, Sum, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, exact_number, sum_of_wholes, sum_text, typeset_number

VALUE = NumberAnswer(0.011)
COUNT = NumberAnswer(0.3, decimals=0)


def _mixed(weights: tuple[int, ...], values: tuple[int, ...]) -> Fraction:
    """The mean of values with these weights."""
    pairs = zip(weights, values, strict=True)
    return Fraction(sum(w * v for w, v in pairs), sum(weights))


def _mixing(weights: tuple[int, ...], values: tuple[int, ...]) -> Quotient:
    pairs = zip(weights, values, strict=True)
    return Quotient(
        Sum(tuple(Product(sum_of_wholes(w, v)) for w, v in pairs)),
        Sum(tuple(sum_of_wholes(*weights))),
    )


@question_maker("two-pieces")
def two_pieces_question(draw: Draw) -> Question | None:
    """The value of two pieces together: their values, weighted by e to their scores (M20)."""
    a, b = draw.whole(1, 6), draw.whole(1, 6)
    x, y = 10 * draw.whole(1, 4), 10 * draw.whole(5, 9)
    if a == b:
        return None
    answer = _mixed((a, b), (x, y))
    return Question(
        id="",
        prompt=TEXTS("two_pieces_prompt", a=a, b=b, x=x, y=y),
        kind=VALUE,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                TEXTS("two_pieces_mean"), float(Fraction(x + y, 2)), TEXTS("two_pieces_mean_hint")
            ),
            WrongAnswer(
                TEXTS("two_pieces_swapped"),
                float(_mixed((b, a), (x, y))),
                TEXTS("two_pieces_swapped_hint"),
            ),
            WrongAnswer(
                TEXTS("two_pieces_undivided"),
                float(a * x + b * y),
                TEXTS("two_pieces_undivided_hint", total=a + b),
            ),
        ),
        hint=TEXTS("two_pieces_hint", a=a),
        explanation=TEXTS("two_pieces_explanation", a=a, b=b, total=a + b),
        working=(arithmetic_line(_mixing((a, b), (x, y)), CELL_DECIMALS, trim=False),),
        would_mean=lambda given: TEXTS(
            "two_pieces_would",
            a=a,
            weight=equation(
                Quotient(
                    Subtraction(typeset_number(given), *sum_of_wholes(y)), *sum_of_wholes(x - y)
                )
            ),
        ),
    )


@question_maker("counted-twice")
def counted_twice_question(draw: Draw) -> Question | None:
    """What comes out if one key is in both pieces? It counts twice."""
    weights = (draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 4))
    values = (10 * draw.whole(1, 3), 10 * draw.whole(4, 6), 10 * draw.whole(7, 9))
    a, b, c = weights
    doubled = (a, 2 * b, c)
    answer, right = _mixed(doubled, values), _mixed(weights, values)
    if abs(answer - right) < Fraction(1, 20):
        return None
    text = ", ".join(rf"\ln {w}" for w in weights)
    return Question(
        id="",
        prompt=TEXTS("counted_twice_prompt", scores=text, x=values[0], y=values[1], z=values[2]),
        kind=VALUE,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                TEXTS("counted_twice_right"), float(right), TEXTS("counted_twice_right_hint")
            ),
            WrongAnswer(
                TEXTS("counted_twice_left_out"),
                float(_mixed((a, c), (values[0], values[2]))),
                TEXTS("counted_twice_left_out_hint"),
            ),
            WrongAnswer(
                TEXTS("counted_twice_value"),
                float(_mixed(weights, (values[0], 2 * values[1], values[2]))),
                TEXTS("counted_twice_value_hint"),
            ),
        ),
        hint=TEXTS("counted_twice_hint"),
        explanation=TEXTS(
            "counted_twice_explanation",
            doubled=2 * b,
            with_it=a + 2 * b + c,
            single=b,
            without=a + b + c,
            right=exact_number(float(right)) if right.denominator == 1 else "",
        ),
        working=(arithmetic_line(_mixing(doubled, values), CELL_DECIMALS, trim=False),),
        would_mean=lambda given: TEXTS(
            "counted_twice_would",
            product=equation(Product((typeset_number(given), *sum_of_wholes(a + 2 * b + c)))),
        ),
    )


@question_maker("larger-maximum")
def larger_maximum_question(draw: Draw) -> Question | None:
    """What does the sum so far become when a larger score comes? c·l + 1, c = e^(old − new)."""
    halves, times = draw.whole(1, 5), draw.one_of((2, 4, 5, 10))
    old_sum = 1 + Fraction(halves, 10)
    largest = draw.whole(2, 5)
    answer = old_sum / times + 1
    text = exact_number(float(old_sum))
    return Question(
        id="",
        prompt=TEXTS("larger_maximum_prompt", largest=largest, sum=text, new=largest * times),
        kind=VALUE,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                TEXTS("larger_maximum_old"), float(old_sum + 1), TEXTS("larger_maximum_old_hint")
            ),
            WrongAnswer(
                TEXTS("larger_maximum_other_way"),
                float(old_sum * times + 1),
                TEXTS("larger_maximum_other_way_hint", times=times),
            ),
            WrongAnswer(
                TEXTS("larger_maximum_left_out"),
                float(old_sum / times),
                TEXTS("larger_maximum_left_out_hint"),
            ),
        ),
        hint=TEXTS("larger_maximum_hint", largest=largest, new=largest * times, times=times),
        explanation=TEXTS("larger_maximum_explanation", times=times),
        working=(
            arithmetic_line(
                Sum(
                    (
                        Quotient(typeset_number(float(old_sum)), *sum_of_wholes(times)),
                        *sum_of_wholes(1),
                    )
                ),
                CELL_DECIMALS,
                trim=False,
            ),
        ),
        would_mean=lambda given: TEXTS(
            "larger_maximum_would",
            left=equation(Subtraction(typeset_number(given), *sum_of_wholes(1))),
        ),
    )


@question_maker("tiles-needed")
def tiles_needed_question(draw: Draw) -> Question | None:
    """How many tiles does a causal mask leave? n(n + 1)/2 of n²."""
    n, width = draw.whole(3, 12), draw.one_of((64, 128))
    answer = len(row_by_row(n * width, width, width, "causal").ticks)
    return Question(
        id="",
        prompt=TEXTS("tiles_needed_prompt", tokens=f"{n * width:,}", width=width),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("tiles_needed_all"), n * n, TEXTS("tiles_needed_all_hint")),
            WrongAnswer(
                TEXTS("tiles_needed_diagonal"),
                n * (n - 1) // 2,
                TEXTS("tiles_needed_diagonal_hint"),
            ),
            WrongAnswer(TEXTS("tiles_needed_row"), n, TEXTS("tiles_needed_row_hint", blocks=n)),
        ),
        hint=TEXTS("tiles_needed_hint"),
        explanation=TEXTS("tiles_needed_explanation", blocks=n, all=n * n),
        working=(arithmetic_line(sum_text(tuple(range(1, n + 1))), 0),),
        would_mean=lambda given: TEXTS(
            "tiles_needed_would", each=equation(Quotient(typeset_number(given), *sum_of_wholes(n)))
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("two_pieces"): two_pieces_question,
        TEXTS("counted_twice"): counted_twice_question,
        TEXTS("larger_maximum"): larger_maximum_question,
        TEXTS("tiles_needed"): tiles_needed_question,
    }
)
