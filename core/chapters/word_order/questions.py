"""The questions on order: tokens shuffled, which row stands where, a turn, a slope."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from core.chapters.word_order.orders import ORDERS
from core.chapters.word_order.shuffled import shuffled_inputs, shuffled_program
from core.draws import Draw
from core.program.arithmetic import Product, Quotient, line
from core.program.rounding import CELL_DECIMALS
from core.program.trace import Trace
from core.questions.answers import Choice, Number
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    WrongAnswer,
    question_maker,
    table,
)
from core.questions.texts import equation, exact, number, whole

SAME, CHANGES = "It stays the same", "It changes"
NONE = "None of these rows"
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
    depth = "one layer" if one else "two layers"
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}” goes through {depth} of attention with a causal mask and without "
            "positions. Then the tokens before the last are put in the opposite order: "
            f"“{' '.join([*words[-2::-1], words[-1]])}”. What becomes of what *{words[-1]}* reads?"
        ),
        kind=Choice((SAME, CHANGES)),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you let it notice the order", CHANGES,
                "Its softmax runs over the same keys, and a sum does not depend on the order of "
                "its terms. What would have to be different?",
            )
            if one
            else WrongAnswer(
                "you looked at the first layer alone", SAME,
                "In the second layer it reads what the others have read, and each of these sees "
                "other tokens now.",
            ),
        ),
        hint="Which tokens does it see, and which rows do these have, layer by layer?",
        explanation=(
            "The last token sees the same tokens, with the same rows of the embedding, so its "
            "softmax and its sum are the same."
            if one
            else "In the first layer each earlier token reads itself and those before it, and "
            "the ones before are others now. The second layer mixes these rows, so the order is in "
            "what it reads."
        ),
        after=(
            table(trace, "moved", "What is read as typed, its rows in the new order"),
            table(trace, f"context_{layers}", "What is read in the new order"),
        ),
        evidence=(
            Evidence("What is read in the new order", trace, f"context_{layers}", last),
            Evidence("What is read as typed, moved along", trace, "moved", last),
        ),
    )  # fmt: skip


@question_maker("moved-row")
def moved_row_question(draw: Draw) -> Question | None:
    """Which row stands at a place of the new order? That of its token, unless a mask changes it."""
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
    with_mask = "with a causal mask and" if mask == "causal" else "without a mask and"
    wrong = [
        WrongAnswer(
            "you kept the row at its place" if at == place else "you took another token's row",
            word,
            f"That row belongs to *{word}*. Which token stands at place {place + 1} now?"
            if word != placed
            else f"It is the row of *{placed}* as typed. Does *{placed}* see the same tokens here?",
        )
        for at, word in enumerate(words)
        if word != answer
    ]
    if answer != NONE:
        wrong.append(
            WrongAnswer(
                "you let the order change what is read",
                NONE,
                f"The token that stands at place {place + 1} now sees the same in both orders. "
                "Does a sum depend on the order of its terms?",
            )
        )
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}” goes through one layer of attention {with_mask} without "
            "positions. The table says what each token reads. Then the tokens are put in another "
            f"order: “{' '.join(words[at] for at in ORDERS[order](len(words)))}”. Which row of the "
            f"table stands at place {place + 1} of the new result?"
        ),
        kind=Choice((*words, NONE)),
        answer=answer,
        wrong=tuple(wrong),
        hint="Which token stands there now, and which tokens does it see?",
        explanation=(
            f"*{placed}* stands there, and it sees other tokens than before: what it reads is in "
            "no row of the table."
            if answer == NONE
            else f"*{placed}* stands there, and it sees the same tokens as before, whose rows have "
            "the same numbers. So it reads the same."
        ),
        tables=(table(trace, "context_1_typed", "What each token reads as typed"),),
        after=(table(trace, "context_1", "What each token reads in the new order"),),
        evidence=(
            Evidence("What each token reads in the new order", trace, "context_1", (0, place, 0)),
        ),
    )  # fmt: skip


@question_maker("order-turn")
def turn_question(draw: Draw) -> Question | None:
    """RoPE: by what angle does a pair of the query stand ahead of the key's? (i − j)·frequency."""
    i, j = draw.whole(4, 12), draw.whole(1, 3)
    tenths = draw.one_of((1, 2, 5))
    frequency = Fraction(tenths, 10)
    said = exact(float(frequency))
    return Question(
        id="",
        prompt=(
            f"RoPE turns a pair of features by its position times {said}, in radians. A query and "
            f"a key hold the same pair before they are turned. The query is at position {i}, the "
            f"key at position {j}. What angle is between the two pairs after turning?"
        ),
        kind=Number(0.011),
        answer=float((i - j) * frequency),
        wrong=(
            WrongAnswer("you took the query's own angle", float(i * frequency),
                        "The key is turned too, by its own position."),
            WrongAnswer("you added the two angles", float((i + j) * frequency),
                        "Both are turned in the same direction."),
            WrongAnswer("you left out the frequency", float(i - j),
                        f"One step turns this pair by {said}."),
        ),
        hint="By what angle is each of the two turned?",
        explanation=(
            f"The query is turned by {i} steps and the key by {j}: they are {i - j} steps apart, "
            "wherever the two stand. So a score depends on the distance."
        ),
        working=(line(Product((*whole(i - j), number(float(frequency)))), CELL_DECIMALS,
                      trim=False),),
        would_mean=lambda given: (
            f"That would be {equation(Quotient(number(given), number(float(frequency))))} steps of "
            f"{said}. Count the steps from the key to the query."
        ),
    )  # fmt: skip


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
        prompt=(
            f"ALiBi with {heads} heads: head {head} has the slope $2^{{-{power}}}$. A key stands "
            f"{back} positions before the query. What is added to their scaled score?"
        ),
        kind=Number(0.011),
        answer=float(answer),
        wrong=(
            WrongAnswer("you added where ALiBi takes away", float(-answer),
                        "A key that is far away has a lower score, not a higher one."),
            WrongAnswer("you left out the distance", float(-slope),
                        "That is what one position costs."),
            WrongAnswer("you left out the slope", float(-back),
                        "The distance is multiplied by the slope of the head."),
        ),
        hint=f"What does one position cost in this head, and what do {back} cost?",
        explanation=(
            f"One position costs {exact(float(slope))} in this head, and {back} cost {back} times "
            "as much. The head with the largest slope sees mostly what is near."
        ),
        working=(line(Product((number(float(-slope)), *whole(back))), CELL_DECIMALS, trim=False),),
        would_mean=lambda given: (
            f"That would be {equation(Quotient(number(given), *whole(back)))} for each position. "
            "Compare it with the slope."
        ),
    )  # fmt: skip


ORDER_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Earlier tokens shuffled": earlier_shuffled_question,
    "Which row": moved_row_question,
    "A turn by distance": turn_question,
    "What a slope takes away": slope_question,
})  # fmt: skip
