"""The two questions of the dot-product page: a cosine, and which key softmax will prefer."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from core.chapters.dot_products.similarity import similarity_program
from core.chapters.dot_products.vector_pair import Pair, Vector, favourites
from core.draws import Draw
from core.program.arithmetic import Product, line
from core.program.inputs import Inputs
from core.program.rounding import CELL_DECIMALS, decimal_text
from core.program.trace import Trace
from core.questions.answers import Choice, Number
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    Table,
    WrongAnswer,
    question_maker,
    table,
)
from core.questions.texts import DOT, about, equation, exact, number

TOLERANCE = 0.01
CLEAR = 0.1
"""Cosines that are compared differ by at least this, so that nobody has to guess."""
# Whole lengths, so that paper is enough.
_WHOLE = ((3, 4), (4, 3), (6, 8), (8, 6), (5, 12), (12, 5), (0, 2), (2, 0), (0, 5), (5, 0))
_KEYS = ("key A", "key B", "key C")


@question_maker("cosine")
def cosine_question(draw: Draw) -> Question | None:
    """What is the cosine of two small vectors? q·k / (‖q‖ ‖k‖) (T: a·b = ‖a‖ ‖b‖ cos θ)."""
    q, k = (_signed(draw, draw.one_of(_WHOLE)) for _ in range(2))
    pair = Pair(q, k)
    long_q, long_k = pair.lengths
    lost = sum(abs(a * b) for a, b in zip(q, k, strict=True)) / (long_q * long_k)
    # Right angles, no minus sign to lose, the same direction: too little to ask about.
    if not pair.cosine or pair.degrees is None or lost == pair.cosine or long_k == long_q:
        return None
    cosine, made = pair.cosine, pair.lines
    last = line(made["cosine"].left, CELL_DECIMALS, trim=False)

    def would_mean(given: float) -> str:
        if not -1 <= given <= 1:
            return f"No cosine is so far from 0: {DOT} cannot exceed the two lengths multiplied."
        lengths = (made["length_q"].right, made["length_k"].right)
        return (
            f"Then {DOT} would have to be {equation(Product((number(given), *lengths)))}, the "
            "cosine times both lengths. Compare that with your dot product."
        )

    return Question(
        id="",
        prompt="What is the cosine of the angle between $q$ and $k$? Two decimals are enough.",
        kind=Number(TOLERANCE),
        answer=cosine,
        wrong=(
            WrongAnswer(
                "you gave the dot product", pair.dot,
                "It still counts the lengths. Divide it by both of them.",
            ),
            WrongAnswer(
                "you divided by the length of $k$ alone", pair.dot / long_k,
                f"That is the shadow of $q$ on $k$. Divide by the length of $q$, {long_q:g}, too.",
            ),
            WrongAnswer(
                "you divided by the length of $q$ alone", pair.dot / long_q,
                f"That is the shadow of $k$ on $q$. Divide by the length of $k$, {long_k:g}, too.",
            ),
            WrongAnswer(
                "you divided by the sum of the lengths", pair.dot / (long_q + long_k),
                f"The lengths multiply: {long_q:g} times {long_k:g}.",
            ),
            WrongAnswer(
                "you lost the minus signs", lost,
                "Opposite entries make a negative product, which lowers the cosine.",
            ),
            WrongAnswer(
                "you gave the angle", pair.degrees,
                r"That is $\theta$ in degrees. Its cosine is the dot product over both lengths.",
            ),
        ),
        hint=(
            f"Work out the dot product {DOT} and the two lengths: the root of the sum of squares. "
            "Then divide by both lengths."
        ),
        explanation="The dot product, both lengths, and the one divided by the others.",
        working=(made["dot"], made["length_q"], made["length_k"], made["lengths"], last),
        would_mean=would_mean,
        tables=(_table("Query and key", ("$q$", "$k$"), (q, k)),),
        evidence=(Evidence("The cosine", _run("cosine", q, (k, k)), "scores", (0, 0, 0)),),
    )  # fmt: skip


@question_maker("favourite-key")
def favourite_question(draw: Draw) -> Question | None:
    """Which of three keys gets the most weight, by dot product or by cosine (in the manner of P11)?

    One key wins by dot product, another by cosine, and the third is the longest of all.
    """
    q, *keys = (tuple(map(float, draw.wholes(-4, 4, 2))) for _ in range(4))
    rule = draw.one_of(("dot", "cosine"))
    pairs = [Pair(q, k) for k in keys]
    cosines = [pair.cosine for pair in pairs if pair.cosine is not None]
    if len(cosines) < len(pairs) or not _clear([p.dot for p in pairs], 1.0) or not _clear(cosines):
        return None
    by_dot, by_cosine = favourites(q, keys)
    lengths = [pair.lengths[1] for pair in pairs]
    longest = int(np.argmax(lengths))
    facing = pairs[by_dot].dot > 0 and pairs[by_cosine].dot > 0
    if len({by_dot, by_cosine, longest}) < 3 or not _clear(lengths) or not facing:
        return None
    right, other = (by_dot, by_cosine) if rule == "dot" else (by_cosine, by_dot)
    name = {"dot": f"dot products {DOT}", "cosine": "cosines of $q$ and $k$"}
    runs = {r: _run(r, q, tuple(keys)) for r in name}
    numbers = "; ".join(
        f"{label}: {exact(p.dot)} and {about(p.cosine or 0.0)}"
        for label, p in zip(_KEYS, pairs, strict=True)
    )
    swapped = "you looked at the direction alone" if rule == "dot" else "you let the length count"
    hint = {
        "dot": f"The dot product counts length too: {_KEYS[other]} points most nearly along $q$, "
        "but another key is longer.",
        "cosine": f"A cosine divides by length: {_KEYS[other]} has the largest dot product, but "
        "another key points more nearly along $q$.",
    }
    of_longest = {
        "dot": f"dot product with $q$ is {exact(pairs[longest].dot)}",
        "cosine": f"cosine with $q$ is {about(cosines[longest])}",
    }
    apart = "cosine" if rule == "dot" else "dot"
    first, second = sorted(runs[rule]["weights"][0, 0], reverse=True)[:2]
    return Question(
        id="",
        prompt=f"The scores are the {name[rule]}; softmax follows. Which key gets the most weight?",
        kind=Choice(_KEYS),
        answer=_KEYS[right],
        wrong=(
            WrongAnswer(swapped, _KEYS[other], hint[rule]),
            WrongAnswer(
                "you picked the longest key", _KEYS[longest],
                f"Length alone does not help: of {_KEYS[longest]}, the longest, the "
                f"{of_longest[rule]}, and another key's is larger.",
            ),
        ),
        hint=(
            f"Work out {DOT} for each key." if rule == "dot" else
            f"Work out {DOT} for each key and divide it by the key's length. The length of $q$ is "
            "the same for all."
        ),
        explanation=(
            f"Dot product and cosine of {numbers}. Softmax keeps the order, so {_KEYS[right]} gets "
            f"the most, {about(first)} of the weight, and the next one {about(second)}; by "
            f"{name[apart]}, {_KEYS[other]} would get the most."
        ),
        tables=(_table("One query and three keys", ("$q$", *_KEYS), (q, *keys)),),
        after=(_weights(runs[rule], right),),
        evidence=(Evidence("The weights", runs[rule], "weights", (0, 0, right)),),
    )  # fmt: skip


SIMILARITY_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "A cosine": cosine_question,
    "The favourite key": favourite_question,
})  # fmt: skip


def _signed(draw: Draw, sizes: tuple[int, int]) -> Vector:
    return tuple(float(size * draw.one_of((-1, 1))) + 0.0 for size in sizes)


def _clear(values: list[float], by: float = CLEAR) -> bool:
    """Whether the largest value is the largest by a good margin."""
    *_, second, first = sorted(values)
    return first - second >= by


def _run(rule: str, q: Vector, keys: tuple[Vector, ...]) -> Trace:
    """One query, pinned, against keys that are the rows of X."""
    same = np.eye(2)[None]
    arrays = {"X": np.array(keys), "W_Q": same, "W_K": same, "W_V": same}
    return similarity_program(rule).run(
        Inputs(arrays, _KEYS[: len(keys)]), pinned={"Q": np.array([[q]])}
    )


def _weights(trace: Trace, right: int) -> Table:
    """The weights of the one query, which is no token: its row is called as in the question."""
    return replace(table(trace, "weights", "The weights"), rows=("$q$",), marked=(0, right))


def _table(title: str, names: tuple[str, ...], rows: tuple[Vector, ...]) -> Table:
    cells = tuple(tuple(decimal_text(x, 0) for x in row) for row in rows)
    return Table(title, "entry →", names, ("1", "2"), cells)
