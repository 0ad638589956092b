"""The questions before attention: does a later word change *bank*, and who contributes more?"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.presets import preset
from core.chapters.words.average import mean_program
from core.chapters.words.vectors import BANK, TABLE
from core.draws import Draw
from core.program.arithmetic import Product, line
from core.program.inputs import Inputs
from core.program.rounding import CELL_DECIMALS
from core.questions.answers import Choice
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    WrongAnswer,
    question_maker,
    table,
)
from core.questions.texts import exact, number

SAME, BEFORE, AFTER = (
    "Its row comes out as it went in", "It moves towards what comes before it",
    "It moves towards what comes after it",
)  # fmt: skip
FIRST, SECOND, EVEN = "The first value", "The second value", "Both the same"
CLEAR = 0.1


@question_maker("does-bank-change")
def bank_question(draw: Draw) -> Question | None:
    """Does *bank* change, given its neighbour's side? Only if one comes before it (M6, P4)."""
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
    answer = BEFORE if at else SAME
    earlier = " and ".join(f"*{word}*" for word in words[:at])
    sees = f"*{BANK}* sees itself and {earlier}" if at else f"*{BANK}* sees only itself"
    hints = {
        SAME: ("you took the mask to hide both", f"Under the causal mask {sees}."),
        BEFORE: ("you looked for a word before", f"Nothing comes before *{BANK}* here."),
        AFTER: ("you let it see what comes after", "The causal mask hides what comes after."),
    }
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}”: one head of causal attention, whose matrices are all the "
            f"identity. These are the rows that go in. What becomes of *{BANK}*?"
        ),
        kind=Choice((SAME, BEFORE, AFTER)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(hints[option][0], option, hints[option][1])
            for option in (SAME, BEFORE, AFTER)
            if option != answer
        ),
        hint=f"Which words may *{BANK}* read under a causal mask?",
        explanation=f"Under the causal mask {sees}. Its row is the weighted mean of what it sees.",
        tables=(table(trace, "X", "Before attention"),),
        after=(table(trace, "output", "After attention"),),
        evidence=(Evidence("After attention", trace, "output", (at, 0)),),
    )


@question_maker("main-contributor")
def contributor_question(draw: Draw) -> Question | None:
    """Does the largest weight contribute most? Not if its value is small (M14, P9)."""
    tenths = draw.one_of((6, 7, 8, 9))
    small, large = draw.whole(0, 3), draw.whole(2, 30)
    parts = tenths * small / 10, (10 - tenths) * large / 10
    if 0 < abs(parts[0] - parts[1]) < CLEAR:
        return None
    dials = np.array([[tenths, 10 - tenths]], dtype=float)
    trace = mean_program().run(
        Inputs({"dials": dials, "V": np.array([[float(small)], [float(large)]])}, ())
    )
    answer = EVEN if parts[0] == parts[1] else FIRST if parts[0] > parts[1] else SECOND
    terms = f"{exact(parts[0])} and {exact(parts[1])}"
    why = f"What each adds is its weight times its value: {terms}."
    weights = tenths / 10, (10 - tenths) / 10
    return Question(
        id="",
        prompt=(
            f"A token reads two values: {exact(small)} with the weight {exact(weights[0])}, and "
            f"{exact(large)} with the weight {exact(weights[1])}. Which of them adds more to what "
            "it reads?"
        ),
        kind=Choice((FIRST, SECOND, EVEN)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(
                "you looked at the weights alone" if option == FIRST else "you looked elsewhere",
                option, why,
            )
            for option in (FIRST, SECOND, EVEN) if option != answer
        ),
        hint="Multiply each value by its weight.",
        explanation=f"{why} A large weight on a small value moves little.",
        working=tuple(
            line(Product((number(weight), number(float(value)))), CELL_DECIMALS, trim=False)
            for weight, value in zip(weights, (small, large), strict=True)
        ),
        evidence=(Evidence("What is read", trace, "average", (0, 0)),),
    )  # fmt: skip


WORD_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Does it change": bank_question,
    "Who adds more": contributor_question,
})  # fmt: skip
