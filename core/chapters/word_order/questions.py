"""The questions on order: tokens shuffled, the position of a row, a turn, a slope."""

from fractions import Fraction

import numpy as np

from core.chapters.word_order.orders import ORDERS
from core.chapters.word_order.shuffled import shuffled_inputs, shuffled_program
from core.hash_random import Draw
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.asking import NOUNS_AND_NAMES, Asking
from core.questions.engine import Evidence, Question, question_maker, question_table
from core.questions.texts import equation, exact_number, product_of, quotient_of
from core.texts import core_texts

TEXTS = core_texts("word_order")
SAME, CHANGES = TEXTS("stays"), TEXTS("changes")
NONE = TEXTS("no_row")
CLEAR = 0.05
"""What changes must change by at least this, to be seen at two decimals."""
NEAR = NumberAnswer(0.011)


def _drawn(draw: Draw, mask: str, layers: int, order: str) -> tuple[list[str], list[str], Trace]:
    """Drawn words, the same in the new order, and their run."""
    words = draw.some_of(NOUNS_AND_NAMES, 4)
    order_of = ORDERS[order](len(words))
    run = shuffled_program(mask, layers).run(shuffled_inputs(" ".join(words), order_of, layers))
    return words, [words[at] for at in order_of], run


@question_maker("earlier-shuffled")
def earlier_shuffled_question(draw: Draw) -> Question | None:
    """Does the last token notice the order of the earlier ones? In the second layer (M9)."""
    layers = draw.one_of((1, 2))
    words, moved, trace = _drawn(draw, "causal", layers, "earlier")
    last = (0, len(words) - 1, 0)
    change = float(np.abs(trace["difference"][0, -1]).max())
    if 1e-9 < change < CLEAR:
        return None
    context = f"context_{layers}"
    orders = {"typed": " ".join(words), "last": words[-1], "moved": " ".join(moved)}
    ask = Asking(TEXTS, "earlier_shuffled", layers=layers, **orders)
    return ask.question(
        Choice((SAME, CHANGES)),
        CHANGES if change > CLEAR else SAME,
        {"earlier_shuffled_notices": CHANGES} if layers == 1 else {"earlier_shuffled_first": SAME},
        after=(
            question_table(trace, "moved", TEXTS("read_as_typed_moved")),
            question_table(trace, context, TEXTS("read_in_new_order")),
        ),
        evidence=(
            Evidence(TEXTS("read_in_new_order"), trace, context, last),
            Evidence(TEXTS("read_moved"), trace, "moved", last),
        ),
    )


@question_maker("moved-row")
def moved_row_question(draw: Draw) -> Question | None:
    """Which row is at a position of the new order? Its token's, unless a mask changes it."""
    mask, order = draw.one_of(("none", "none", "causal")), draw.one_of(("front", "reversed"))
    words, moved, trace = _drawn(draw, mask, 1, order)
    place = draw.whole(0, len(words) - 1)
    typed, here = trace["context_1_typed"][0], trace["context_1"][0, place]
    gaps = np.abs(typed - here).max(axis=1)
    if any(1e-9 < gap < CLEAR for gap in gaps):
        return None
    equal = [word for word, gap in zip(words, gaps, strict=True) if gap <= 1e-9]
    placed = moved[place]
    orders = {"typed": " ".join(words), "moved": " ".join(moved), "causal": mask == "causal"}
    ask = Asking(TEXTS, "which_row", place=place + 1, found=bool(equal), word=placed, **orders)
    wrong = [
        ask.mistake(
            "which_row_kept" if at == place else "which_row_another",
            word,
            "which_row_as_typed" if word == placed else "which_row_belongs",
            word=word,
        )
        for at, word in enumerate(words)
    ]
    return ask.question(
        Choice((*words, NONE)),
        equal[0] if equal else NONE,
        [*wrong, ask.mistake("which_row_changed", NONE)],
        tables=(question_table(trace, "context_1_typed", TEXTS("each_as_typed")),),
        after=(question_table(trace, "context_1", TEXTS("each_in_new_order")),),
        evidence=(Evidence(TEXTS("each_in_new_order"), trace, "context_1", (0, place, 0)),),
    )


@question_maker("order-turn")
def turn_question(draw: Draw) -> Question | None:
    """RoPE: the angle between a pair of the query and the key's pair: (i − j)·frequency."""
    i, j = draw.whole(4, 12), draw.whole(1, 3)
    frequency = Fraction(draw.one_of((1, 2, 5)), 10)
    text, added = exact_number(frequency), (i + j) * frequency
    ask = Asking(TEXTS, "turn", frequency=text, query=i, key=j, apart=i - j)
    return ask.question(
        NEAR,
        (i - j) * frequency,
        {"turn_own": i * frequency, "turn_added": added, "turn_steps": Fraction(i - j)},
        working=[product_of(i - j, frequency)],
        would_mean=lambda x: ask("turn_would", steps=equation(quotient_of(x, frequency))),
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
    if answer.denominator > 4 or answer == -1:
        return None
    sizes = {"heads": heads, "head": head, "power": power, "back": back}
    ask = Asking(TEXTS, "slope", slope=exact_number(slope), **sizes)
    return ask.question(
        NEAR,
        answer,
        {"slope_added": -answer, "slope_one": -slope, "slope_distance": Fraction(-back)},
        working=[product_of(-slope, back)],
        would_mean=lambda x: ask("slope_would", each=equation(quotient_of(x, back))),
    )


QUESTIONS = {
    TEXTS("earlier_shuffled"): earlier_shuffled_question,
    TEXTS("which_row"): moved_row_question,
    TEXTS("turn"): turn_question,
    TEXTS("take_away"): slope_question,
}
