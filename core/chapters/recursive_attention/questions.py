"""The questions on merging: two pieces, a key counted twice, a larger maximum, tiles needed."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from core.chapters.recursive_attention.traffic import row_by_row
from core.draws import Draw
from core.program.arithmetic import Difference, Product, Quotient, Sum, line
from core.program.rounding import CELL_DECIMALS
from core.questions.answers import Number
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, exact, number, total, whole

VALUE = Number(0.011)
COUNT = Number(0.3, decimals=0)


def _mixed(weights: tuple[int, ...], values: tuple[int, ...]) -> Fraction:
    """The mean of values with these weights."""
    pairs = zip(weights, values, strict=True)
    return Fraction(sum(w * v for w, v in pairs), sum(weights))


def _mixing(weights: tuple[int, ...], values: tuple[int, ...]) -> Quotient:
    pairs = zip(weights, values, strict=True)
    return Quotient(Sum(tuple(Product(whole(w, v)) for w, v in pairs)), Sum(tuple(whole(*weights))))


@question_maker("two-pieces")
def two_pieces_question(draw: Draw) -> Question | None:
    """What do two pieces come to? Their values, weighted by e to their scores (M20)."""
    a, b = draw.whole(1, 6), draw.whole(1, 6)
    x, y = 10 * draw.whole(1, 4), 10 * draw.whole(5, 9)
    if a == b:
        return None
    answer = _mixed((a, b), (x, y))
    return Question(
        id="",
        prompt=(
            rf"Two pieces of one query's keys have the scores $s(I) = \ln {a}$ and "
            rf"$s(J) = \ln {b}$, and the values $v(I) = {x}$ and $v(J) = {y}$. No key is in both. "
            "What is the value of the two together?"
        ),
        kind=VALUE,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                "you took the plain mean", float(Fraction(x + y, 2)),
                "The pieces do not weigh the same: each counts by e to its score.",
            ),
            WrongAnswer(
                "you gave each piece the other's weight", float(_mixed((b, a), (x, y))),
                "Each value is multiplied by e to its own piece's score.",
            ),
            WrongAnswer(
                "you did not divide", float(a * x + b * y),
                f"Divide by what the two weigh together, {a + b}.",
            ),
        ),
        hint=rf"$e^{{\ln {a}}}$ is ${a}$. How much does each piece weigh?",
        explanation=(
            f"The first piece weighs {a} of {a + b}, the second {b} of {a + b}. Which keys they "
            "hold, and how many, no longer matters."
        ),
        working=(line(_mixing((a, b), (x, y)), CELL_DECIMALS, trim=False),),
        would_mean=lambda given: (
            f"Then the first piece would have the share "
            f"{equation(Quotient(Difference(number(given), *whole(y)), *whole(x - y)))}. Its share "
            f"is e to its score, {a}, of what both weigh."
        ),
    )  # fmt: skip


@question_maker("counted-twice")
def counted_twice_question(draw: Draw) -> Question | None:
    """What comes out where one key is in both pieces? It counts twice."""
    weights = (draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 4))
    values = (10 * draw.whole(1, 3), 10 * draw.whole(4, 6), 10 * draw.whole(7, 9))
    a, b, c = weights
    doubled = (a, 2 * b, c)
    answer, right = _mixed(doubled, values), _mixed(weights, values)
    if abs(answer - right) < Fraction(1, 20):
        return None
    said = ", ".join(rf"\ln {w}" for w in weights)
    return Question(
        id="",
        prompt=(
            f"Three keys have the scores ${said}$ and the values ${values[0]}$, ${values[1]}$ and "
            f"${values[2]}$. By mistake somebody merges the pieces "
            r"$\{1, 2\}$ and $\{2, 3\}$. What value comes out?"
        ),
        kind=VALUE,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                "you counted each key once", float(right),
                "That would be right, but key 2 is in both pieces, and the merge cannot know.",
            ),
            WrongAnswer(
                "you left key 2 out", float(_mixed((a, c), (values[0], values[2]))),
                "It is in both pieces, so it counts twice and not at all less.",
            ),
            WrongAnswer(
                "you doubled its value and not its weight",
                float(_mixed(weights, (values[0], 2 * values[1], values[2]))),
                "What is counted twice is e to its score: above and below the fraction.",
            ),
        ),
        hint="Write the sum of e to each score times its value, with key 2 in it twice.",
        explanation=(
            f"Key 2 weighs {2 * b} of {a + 2 * b + c} in place of {b} of {a + b + c}. Counted "
            f"once, it would be {exact(float(right))}." if right.denominator == 1 else
            f"Key 2 weighs {2 * b} of {a + 2 * b + c} in place of {b} of {a + b + c}."
        ),
        working=(line(_mixing(doubled, values), CELL_DECIMALS, trim=False),),
        would_mean=lambda given: (
            "Multiplied by all that is weighed, that is "
            f"{equation(Product((number(given), *whole(a + 2 * b + c))))}. Compare it with the sum "
            "of each weight times its value, key 2 twice."
        ),
    )  # fmt: skip


@question_maker("larger-maximum")
def larger_maximum_question(draw: Draw) -> Question | None:
    """What does the sum so far become when a larger score comes? c·l + 1, c = e^(old − new)."""
    halves, times = draw.whole(1, 5), draw.one_of((2, 4, 5, 10))
    old_sum = 1 + Fraction(halves, 10)
    largest = draw.whole(2, 5)
    answer = old_sum / times + 1
    said = exact(float(old_sum))
    return Question(
        id="",
        prompt=(
            rf"A query's largest score so far is $\ln {largest}$, and the sum so far is {said}: "
            r"$e$ to each score minus the largest, added up. The next key has the score "
            rf"$\ln {largest * times}$. What is the sum then?"
        ),
        kind=VALUE,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                "you did not rescale", float(old_sum + 1),
                "The old sum was made with the old largest score. It must be multiplied by e to "
                "the old minus the new.",
            ),
            WrongAnswer(
                "you rescaled the other way", float(old_sum * times + 1),
                f"The new largest is larger, so what was summed becomes {times} times smaller.",
            ),
            WrongAnswer(
                "you left the new key out", float(old_sum / times),
                "Its own term is e to 0, which is 1.",
            ),
        ),
        hint=rf"$e^{{\ln {largest} - \ln {largest * times}}}$ is $1/{times}$. And the new key "
        "itself?",
        explanation=(
            f"What was summed is divided by {times}, and the new key, which is the largest now, "
            "adds 1. No earlier score is needed again."
        ),
        working=(
            line(Sum((Quotient(number(float(old_sum)), *whole(times)), *whole(1))), CELL_DECIMALS,
                 trim=False),
        ),
        would_mean=lambda given: (
            "Without the new key, that would leave "
            f"{equation(Difference(number(given), *whole(1)))} of the old sum."
        ),
    )  # fmt: skip


@question_maker("tiles-needed")
def tiles_needed_question(draw: Draw) -> Question | None:
    """How many tiles does a causal mask leave? n(n + 1)/2 of n²."""
    n, width = draw.whole(3, 12), draw.one_of((64, 128))
    answer = len(row_by_row(n * width, width, width, "causal").ticks)
    return Question(
        id="",
        prompt=(
            f"A text of {n * width:,} tokens is cut into blocks of {width} queries and {width} "
            "keys. Under a causal mask, tiles that are hidden as a whole are not computed. How "
            "many tiles are left?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you counted all tiles", n * n,
                "The first block of queries needs the first block of keys alone.",
            ),
            WrongAnswer(
                "you left out those on the diagonal", n * (n - 1) // 2,
                "A tile on the diagonal is half hidden, so it is computed and masked.",
            ),
            WrongAnswer(
                "you counted one row of tiles", n,
                f"So many does the last block of queries need. There are {n} such rows.",
            ),
        ),
        hint="How many blocks of keys does the first block of queries need, and the second?",
        explanation=(
            f"The blocks of queries need 1, 2, 3 … {n} blocks of keys: a little more than half of "
            f"all {n * n}."
        ),
        working=(line(total(tuple(range(1, n + 1))), 0),),
        would_mean=lambda given: (
            f"That would be {equation(Quotient(number(given), *whole(n)))} tiles for each block of "
            "queries on average."
        ),
    )  # fmt: skip


RECURSIVE_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Two pieces": two_pieces_question,
    "Counted twice": counted_twice_question,
    "A larger maximum": larger_maximum_question,
    "Tiles needed": tiles_needed_question,
})  # fmt: skip
