"""Questions whose answer is worked out of printed numbers, in fractions where they stay such."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from tests.stage.questions_solved.printed import Number, PrintedQuestion
from tests.stage.questions_solved.solver import Solvers, worked


def root(square: Number) -> Number:
    """Exact where it is whole."""
    whole = math.isqrt(int(square))
    return Fraction(whole) if whole * whole == square else math.sqrt(square)


BY_NUMBERS = Solvers(
    {
        "softmax-ratio": worked(
            r"Four keys have the logits (\S+), (\S+), (\S+) and (\S+)\. Softmax is taken at "
            r"temperature T = (\d+)\. The weight of the first key is how many times",
            lambda first, second, _third, _fourth, T: math.exp((first - second) / T),
        ),
        "divisor": worked(
            r"d_model = (\d+) and H = (\d+) heads of equal size",
            lambda d_model, heads: root(d_model / heads),
        ),
        "zero-fill": worked(
            r"The first of (\d+) tokens has the score (−?\d+) with itself; the (\d+) after it are "
            r"hidden by setting their scores to 0",
            lambda T, own, hidden: (T - 1) / (math.exp(own) + hidden),
        ),
        "order-turn": worked(
            r"by its position times (\S+), in radians\..* query is at position (\d+), the key at "
            r"position (\d+)\. What is the angle between",
            lambda turn, query, key: abs(query * turn - key * turn),
        ),
        "edge-taken-away": worked(
            r"from a, b and c\. Their weights are (\S+), (\S+) and (\S+)\. "
            r".*hides the edge from b\. What is the weight of the edge from a now",
            lambda a, _b, c: a / (a + c),
        ),
        "unit-says": worked(
            r"row is \((\S+), (\S+), (\S+)\)\. A unit's column of W_up is \((\S+), (\S+), (\S+)\), "
            r"and the unit is ReLU",
            lambda *found: max(Fraction(0), dot(found[:3], found[3:])),
        ),
        "layers-deep": worked(
            r"A feature is (\S+)\. Each layer outputs its input plus (\S+) × its input\. "
            r"What is the feature after (\d) layers",
            lambda feature, factor, layers: feature * (1 + factor) ** int(layers),
        ),
    }
)
solves = BY_NUMBERS.of


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def powers_of_e(printed: PrintedQuestion) -> list[Fraction]:
    """e to each of the scores ln n of the words: n."""
    return [Fraction(n) for n in re.findall(r"ln (\d+)", printed.text)]


@solves("cosine")
def _(printed: PrintedQuestion) -> Number:
    printed.find("cosine of the angle between q and k")
    q, k = printed.tables[0].numbers
    assert printed.tables[0].rows == ["q", "k"]
    return dot(q, k) / (root(dot(q, q)) * root(dot(k, k)))


@solves("score")
def _(printed: PrintedQuestion) -> Number:
    pair = r"query of (\S+) meets the key of (\S+)\. .*leaves the pair visible"
    names = printed.find(pair).groups()
    (d_k,) = printed.wholes(r"d_k = (\d+)\. Which number goes into softmax for this pair")
    table = printed.tables[0]
    assert table.rows == [f"{letter} of {name}" for letter, name in zip("qk", names, strict=True)]
    assert len(table.columns) == d_k
    return dot(*table.numbers) / root(Fraction(d_k))


@solves("aligned-score")
def _(printed: PrintedQuestion) -> Number:
    (d_k,) = printed.wholes(r"d_k = (\d+) entries\. Each entry is 1 or −1")
    sign = {"k = q": 1, "k = −q": -1}[printed.find(r"entries: (k = −?q)\.")[1]]
    q = [Fraction((-1) ** at) for at in range(d_k)]
    return dot(q, [sign * x for x in q]) / root(Fraction(d_k))


@solves("first-weight")
def _(printed: PrintedQuestion) -> Number:
    token = printed.find(r"what is the weight of (\S+) on itself")[1]
    table = printed.tables[0]
    at = table.rows.index(token)
    visible = [math.exp(score) for score in table.numbers[at][: at + 1]]
    return visible[table.columns.index(token)] / sum(visible)


@solves("mask-after-softmax")
def _(printed: PrintedQuestion) -> Number:
    _, kept = printed.wholes(r"Row (\d+) of the scores is .* of the keys after key (\d+) to 0")
    shares = powers_of_e(printed)
    return sum(shares[:kept], Fraction(0)) / sum(shares)


@solves("what-is-left")
def _(printed: PrintedQuestion) -> Number:
    factor, put, rest, at = printed.find_numbers(
        r"multiplied by (\S+) at each step.* Token 1 put (\d) into it, the others put in (\d)\. "
        r"What does the state hold at token (\d+)\?"
    )
    state: Number = Fraction(0)
    for token in range(1, int(at) + 1):
        state = factor * state + (put if token == 1 else rest)
    return state


@solves("two-pieces")
def _(printed: PrintedQuestion) -> Number:
    values = printed.find_numbers(r"v\(I\) = (\d+) and v\(J\) = (\d+)")
    shares = powers_of_e(printed)
    return dot(shares, values) / sum(shares)


@solves("counted-twice")
def _(printed: PrintedQuestion) -> Number:
    values = printed.find_numbers(r"the values (\d+), (\d+) and (\d+)")
    pieces = re.findall(r"\{(\d), ?(\d)\}", printed.text)
    keys = [int(key) - 1 for piece in pieces for key in piece]
    shares = powers_of_e(printed)
    assert len(keys) == 4
    weights = [shares[at] for at in keys]
    return dot(weights, [values[at] for at in keys]) / sum(weights)


@solves("larger-maximum")
def _(printed: PrintedQuestion) -> Number:
    before, after = powers_of_e(printed)
    (so_far,) = printed.find_numbers(r"The sum so far is ([\d.]+):")
    return (so_far * before + after) / max(before, after)


@solves("order-slope")
def _(printed: PrintedQuestion) -> Number:
    heads, head, power, back = printed.wholes(
        r"ALiBi with (\d+) heads: head (\d+) has the slope 2\^−(\d+)\. "
        r"A key is (\d+) positions before"
    )
    assert power * heads == 8 * head
    return -Fraction(1, 2**power) * back


@solves("norm-entry")
def _(printed: PrintedQuestion) -> Number:
    *row, at, own = printed.find_numbers(
        r"gets the row (\S+), (\S+), (\S+), (\S+)\. What does number (\d) of the row, (\S+), become"
    )
    assert row[int(at) - 1] == own
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    return (own - mean) / root(variance)


@solves("previous-token-score")
def _(printed: PrintedQuestion) -> Number:
    printed.find("mean weight that a token gives to the token before it")
    table = printed.tables[0]
    assert all(sum(row) == 1 for row in table.numbers)
    given = [
        table.numbers[table.rows.index(token)][table.columns.index(before)]
        for before, token in pairwise(table.rows)
    ]
    return sum(given) / len(given)


@solves("linear-row")
def _(printed: PrintedQuestion) -> Number:
    pair = r"\((\S+), (\S+)\)"
    found = printed.find_numbers(
        rf"query is {pair}, the keys are {pair}, {pair}, {pair}, and their values are "
        r"(\S+), (\S+), (\S+)\."
    )
    q, keys, values = found[:2], [found[2:4], found[4:6], found[6:8]], found[8:]
    met = [dot(q, key) for key in keys]
    return dot(met, values) / sum(met)


@solves("untrained-loss")
def _(printed: PrintedQuestion) -> Number:
    (size,) = printed.wholes(r"gives each of its (\d+) tokens the same probability")
    printed.find("minus the natural logarithm of the right token's probability")
    return -math.log(1 / size)
