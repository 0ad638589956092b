"""The questions on merging: two pieces, a key counted twice, a larger maximum, tiles needed."""

from fractions import Fraction

from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tile_schedule import row_by_row
from core.hash_random import Draw
from core.program.numbers.arithmetic import Quotient
from core.questions.answers import COUNT, NumberAnswer
from core.questions.asking import Asking
from core.questions.engine import Question, question_maker
from core.questions.texts import (
    difference_of,
    equation,
    exact_number,
    product_of,
    products_summed,
    quotient_of,
    sum_of_terms,
)

VALUE = NumberAnswer(0.011)


def _mixed(weights: tuple[int, ...], values: tuple[int, ...]) -> Fraction:
    """The mean of values with these weights."""
    pairs = zip(weights, values, strict=True)
    return Fraction(sum(w * v for w, v in pairs), sum(weights))


def _mixing(weights: tuple[int, ...], values: tuple[int, ...]) -> Quotient:
    return quotient_of(products_summed(weights, values), sum_of_terms(*weights))


@question_maker("two-pieces")
def two_pieces_question(draw: Draw) -> Question | None:
    """The value of two pieces together: their values, weighted by e to their scores (M20)."""
    a, b = draw.whole(1, 6), draw.whole(1, 6)
    x, y = 10 * draw.whole(1, 4), 10 * draw.whole(5, 9)
    if a == b:
        return None
    ask = Asking(TEXTS, "two_pieces", a=a, b=b, x=x, y=y, total=a + b)

    def would_mean(given: float) -> str:
        weight = quotient_of(difference_of(given, y), x - y)
        return ask("two_pieces_would", weight=equation(weight))

    return ask.question(
        VALUE,
        _mixed((a, b), (x, y)),
        {
            "two_pieces_mean": Fraction(x + y, 2),
            "two_pieces_swapped": _mixed((b, a), (x, y)),
            "two_pieces_undivided": Fraction(a * x + b * y),
        },
        working=[_mixing((a, b), (x, y))],
        would_mean=would_mean,
    )


@question_maker("counted-twice")
def counted_twice_question(draw: Draw) -> Question | None:
    """What comes out if one key is in both pieces? It counts twice."""
    weights = a, b, c = (draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 4))
    values = x, y, z = (10 * draw.whole(1, 3), 10 * draw.whole(4, 6), 10 * draw.whole(7, 9))
    doubled = (a, 2 * b, c)
    total = sum(doubled)
    answer, right = _mixed(doubled, values), _mixed(weights, values)
    if abs(answer - right) < Fraction(1, 20):
        return None
    scores = ", ".join(rf"\ln {w}" for w in weights)
    counts = {"doubled": 2 * b, "with_it": total, "single": b, "without": sum(weights)}
    whole = exact_number(right) if right.denominator == 1 else ""
    ask = Asking(TEXTS, "counted_twice", scores=scores, x=x, y=y, z=z, right=whole, **counts)
    return ask.question(
        VALUE,
        answer,
        {
            "counted_twice_right": right,
            "counted_twice_left_out": _mixed((a, c), (x, z)),
            "counted_twice_value": _mixed(weights, (x, 2 * y, z)),
        },
        working=[_mixing(doubled, values)],
        would_mean=lambda it: ask("counted_twice_would", product=equation(product_of(it, total))),
    )


@question_maker("larger-maximum")
def larger_maximum_question(draw: Draw) -> Question | None:
    """What does the sum so far become when a larger score comes? c·l + 1, c = e^(old − new)."""
    halves, times = draw.whole(1, 5), draw.one_of((2, 4, 5, 10))
    old_sum = 1 + Fraction(halves, 10)
    largest = draw.whole(2, 5)
    sizes = {"largest": largest, "new": largest * times, "times": times}
    ask = Asking(TEXTS, "larger_maximum", sum=exact_number(old_sum), **sizes)
    return ask.question(
        VALUE,
        old_sum / times + 1,
        {
            "larger_maximum_old": old_sum + 1,
            "larger_maximum_other_way": old_sum * times + 1,
            "larger_maximum_left_out": old_sum / times,
        },
        working=[sum_of_terms(quotient_of(old_sum, times), 1)],
        would_mean=lambda x: ask("larger_maximum_would", left=equation(difference_of(x, 1))),
    )


@question_maker("tiles-needed")
def tiles_needed_question(draw: Draw) -> Question | None:
    """How many tiles does a causal mask leave? n(n + 1)/2 of n²."""
    n, width = draw.whole(3, 12), draw.one_of((64, 128))
    ask = Asking(TEXTS, "tiles_needed", tokens=f"{n * width:,}", width=width, blocks=n, all=n * n)
    below = n * (n - 1) // 2
    wrong = {"tiles_needed_all": n * n, "tiles_needed_diagonal": below, "tiles_needed_row": n}
    return ask.question(
        COUNT,
        len(row_by_row(n * width, width, width, "causal").ticks),
        wrong,
        working=[sum_of_terms(*range(1, n + 1))],
        would_mean=lambda x: ask("tiles_needed_would", each=equation(quotient_of(x, n))),
    )


QUESTIONS = {
    TEXTS("two_pieces"): two_pieces_question,
    TEXTS("counted_twice"): counted_twice_question,
    TEXTS("larger_maximum"): larger_maximum_question,
    TEXTS("tiles_needed"): tiles_needed_question,
}
