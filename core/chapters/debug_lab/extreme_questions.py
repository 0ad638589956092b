"""Questions about weights at the limits of floats, and rows without a key (M15, M16)."""

import math

import numpy as np

from core.attention.from_scores import MASKED, run_from_scores
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.chapters.debug_lab.reasoned_choice import reasoned_choice
from core.hash_random import Draw
from core.operations.softmax import softmax
from core.program.numbers.rounding import operand_text
from core.questions.engine import (
    Evidence,
    Question,
    question_maker,
)
from core.questions.texts import (
    comma_separated,
    numeral,
)
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
ZERO, ABOVE, NEGATIVE = TEXTS("exactly_0"), TEXTS("above_0"), TEXTS("below_0")
NANS, ZEROS, EVEN = TEXTS("nan"), TEXTS("zeros"), TEXTS("even")
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
"""The smallest float64 above 0."""
UNDERFLOW = math.log(SMALLEST) - math.log(2)
"""Below this, exp rounds to 0: half of the smallest number is as near to it as to nothing."""


@question_maker("underflow")
def underflow_question(draw: Draw) -> Question | None:
    """M15: does a very small score give a weight of exactly 0? In float64, below `UNDERFLOW`."""
    score = -draw.whole(10, 1000)
    weight = float(softmax().forward(np.array([[[0.0, score]]]))[0, 0, 1])
    smallest, power = numeral(SMALLEST), f"$e^{{{score}}}$"
    return reasoned_choice(
        draw,
        TEXTS("underflow", score=f"${score}$"),
        (ZERO, ABOVE, NEGATIVE),
        ABOVE if weight else ZERO,
        {
            ZERO: TEXTS("not_0", smallest=smallest, power=power),
            ABOVE: TEXTS("not_above", power=power),
            NEGATIVE: TEXTS("not_below"),
        },
        TEXTS("underflow_hint", smallest=smallest),
        TEXTS(
            "underflow_answer",
            above=weight > 0,
            weight=numeral(weight),
            limit=numeral(UNDERFLOW, 0),
        ),
    )


@question_maker("empty-row")
def empty_row_question(draw: Draw) -> Question | None:
    """M16: what does the plain formula make of a row with every key hidden? NaN."""
    keys = draw.whole(2, 6)
    padded = draw.whole(0, keys - 1)
    visible = np.ones((keys, keys), dtype=bool)
    visible[padded] = False
    scores = np.array([draw.wholes(-2, 2, keys) for _ in range(keys)], dtype=float)
    plain = run_from_scores(scores, visible, MISTAKES["plain"].change(MASKED))
    row = plain["weights"][0, padded]
    ours = run_from_scores(scores, visible)["weights"][0, padded]
    found = NANS if np.isnan(row).all() else ZEROS
    written, zeros = (
        comma_separated([operand_text(float(x), 2) for x in made]) for made in (row, ours)
    )
    formula = r"$\exp(s - \max s) / \sum \exp(s - \max s)$"
    return reasoned_choice(
        draw,
        TEXTS("no_key", padded=padded + 1, keys=keys, formula=formula),
        (NANS, ZEROS, EVEN),
        found,
        {ZEROS: TEXTS("not_zeros"), EVEN: TEXTS("not_even")},
        TEXTS("no_key_hint"),
        TEXTS("no_key_answer", written=written, ours=zeros),
        fact=TEXTS("no_key_fact"),
        evidence=(Evidence(TEXTS("no_key_evidence", row=padded + 1), plain, "weights"),),
    )
