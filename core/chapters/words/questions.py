"""The questions before attention: does a later word change *bank*, and which value adds more?"""

import numpy as np

from core.attention.examples.presets import preset
from core.chapters.words.vectors import BANK, TABLE, mean_program
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.labels import listed_names
from core.program.numbers.arithmetic import arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import Choice
from core.questions.asking import Asking
from core.questions.engine import Evidence, Question, question_maker, question_table
from core.questions.texts import exact_numbers, product_of
from core.texts import core_texts

TEXTS = core_texts("words")
SAME, BEFORE, AFTER = TEXTS("stays"), TEXTS("moves_before"), TEXTS("moves_after")
FIRST, SECOND, EVEN = TEXTS("first_value"), TEXTS("second_value"), TEXTS("both_values")
CLEAR = 0.1


@question_maker("does-bank-change")
def bank_question(draw: Draw) -> Question | None:
    """Does *bank* change? Only if a word comes before it (M6, P4)."""
    others = [word for word in TABLE if word != BANK]
    count = draw.whole(1, len(others))
    words = draw.some_of((*draw.some_of(others, count), BANK), count + 1)
    given = preset("P4").built()
    inputs = {**given.inputs, "X": np.array([TABLE[word] for word in words])}
    trace = given.program.run(Inputs(inputs, tuple(words)))  # type: ignore[arg-type]
    at = words.index(BANK)
    moved = float(np.abs(trace["output"][at] - trace["X"][at]).max())
    if at and moved < CLEAR:
        return None  # what comes before it pulls in all directions at once
    earlier = listed_names([f"*{word}*" for word in words[:at]])
    ask = Asking(TEXTS, "bank", sentence=" ".join(words), bank=BANK, earlier=earlier)
    return ask.question(
        Choice((SAME, BEFORE, AFTER)),
        BEFORE if at else SAME,
        {"read_nothing": SAME, "read_before": BEFORE, "read_after": AFTER},
        tables=(question_table(trace, "X", TEXTS("rows_before")),),
        after=(question_table(trace, "output", TEXTS("rows_after")),),
        evidence=(Evidence(TEXTS("rows_after"), trace, "output", (at, 0)),),
    )


@question_maker("main-contributor")
def contributor_question(draw: Draw) -> Question | None:
    """Does the largest weight add most? Not if its value is small (M14, P9)."""
    tenths = draw.one_of((6, 7, 8, 9))
    values = draw.whole(0, 3), draw.whole(2, 30)
    parts = tenths * values[0] / 10, (10 - tenths) * values[1] / 10
    if 0 < abs(parts[0] - parts[1]) < CLEAR:
        return None
    dials = np.array([[tenths, 10 - tenths]], dtype=float)
    trace = mean_program().run(
        Inputs({"dials": dials, "V": np.array(values, dtype=float)[:, None]}, ())
    )
    weights = tenths / 10, (10 - tenths) / 10
    told: dict[str, str] = {}
    for ending, pair in (("", values), ("_weight", weights), ("_part", parts)):
        told |= exact_numbers(**{f"first{ending}": pair[0], f"second{ending}": pair[1]})
    ask = Asking(TEXTS, "adds", **told)
    only_large = "only_values" if values[1] > values[0] else "no_product"
    return ask.question(
        Choice((FIRST, SECOND, EVEN)),
        EVEN if parts[0] == parts[1] else FIRST if parts[0] > parts[1] else SECOND,
        [
            ask.mistake("only_weights", FIRST, "one_product", part=told["first_part"]),
            ask.mistake(only_large, SECOND, "one_product", part=told["second_part"]),
            ask.mistake("took_for_equal", EVEN, "two_products"),
        ],
        working=[
            arithmetic_line(product_of(*pair), CELL_DECIMALS, trim=False)
            for pair in zip(weights, values, strict=True)
        ],
        evidence=(Evidence(TEXTS("what_is_read"), trace, "average", (0, 0)),),
    )


QUESTIONS = {TEXTS("does_it_change"): bank_question, TEXTS("which_adds_more"): contributor_question}
