"""The questions on the block: a layer norm by hand, a unit, a residual, which rows move."""

from collections.abc import Mapping
from types import MappingProxyType

from core.attention.layers.block import POST, PRE, BlockKind
from core.attention.layers.language_model import likeliest
from core.chapters.block.moved import ATTENTION, SUM, moved_rows
from core.chapters.block.tiny_model import WEIGHTS, copied, model_family
from core.hash_random import Draw
from core.program.numbers.arithmetic import (
    Call,
    Product,
    Quotient,
    Subtraction,
    Sum,
    arithmetic_line,
)
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, exact_number, sum_of_wholes, typeset_number
from core.texts import core_texts

TEXTS = core_texts("block")
OWN, SEEING, ALL = TEXTS("own_row"), TEXTS("later_rows"), TEXTS("every_row")
OF_MEAN_0 = (((5, -1, -1, -3), 3), ((7, 1, -1, -7), 5), ((3, 1, 1, -5), 3))
"""Rows of mean 0 whose variance has a whole root, with that root."""


@question_maker("norm-entry")
def norm_entry_question(draw: Draw) -> Question | None:
    """An entry of a layer norm: (x − mean) / √variance."""
    (centred, root), mean = draw.one_of(OF_MEAN_0), draw.whole(-3, 6)
    left = draw.some_of(centred, 4)
    row, at = [mean + x for x in left], draw.whole(0, 3)
    answer = left[at] / root
    squares = " + ".join(str(x * x) for x in left)
    printed = ", ".join(exact_number(float(x)) for x in row)
    return Question(
        id="",
        prompt=TEXTS("norm_prompt", row=printed, at=at + 1, number=exact_number(float(row[at]))),
        kind=NumberAnswer(0.006),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("norm_spread"), float(left[at]), TEXTS("norm_spread_hint")),
            WrongAnswer(TEXTS("norm_variance"), answer / root, TEXTS("norm_variance_hint")),
            WrongAnswer(TEXTS("norm_mean"), row[at] / root, TEXTS("norm_mean_hint")),
        ),
        hint=TEXTS("norm_hint"),
        explanation=TEXTS(
            "norm_explanation",
            mean=exact_number(mean),
            squares=squares,
            total=4 * root**2,
            variance=root**2,
            root=root,
        ),
        working=(
            arithmetic_line(Subtraction(*sum_of_wholes(row[at], mean)), CELL_DECIMALS),
            arithmetic_line(Quotient(*sum_of_wholes(left[at], root)), CELL_DECIMALS, trim=False),
        ),
        would_mean=lambda given: TEXTS(
            "norm_would_mean", away=equation(Product((typeset_number(given), *sum_of_wholes(root))))
        ),
    )


@question_maker("unit-says")
def unit_question(draw: Draw) -> Question | None:
    """What does a unit say? ReLU of a row times its column of W_up."""
    row = [draw.whole(-3, 4) for _ in range(3)]
    column = [draw.whole(-3, 4) for _ in range(3)]
    terms = [a * b for a, b in zip(row, column, strict=True)]
    met = sum(terms)
    positive = sum(max(0, term) for term in terms)
    answer = max(0, met)
    wrong = {"each": positive, "sign": met, "size": abs(met)}
    if not met or len({*wrong.values(), answer} - {answer}) < (1 if met > 0 else 2):
        return None
    found = [
        WrongAnswer(TEXTS("unit_each"), positive, TEXTS("unit_each_hint")),
    ]
    if met < 0:
        found += [
            WrongAnswer(TEXTS("unit_left_out"), met, TEXTS("unit_left_out_hint")),
            WrongAnswer(TEXTS("unit_sign"), -met, TEXTS("unit_sign_hint")),
        ]
    else:
        found.append(WrongAnswer(TEXTS("unit_blocked"), 0, TEXTS("unit_blocked_hint")))
    mistakes = tuple({mistake.value: mistake for mistake in reversed(found)}.values())
    if any(mistake.value == answer for mistake in mistakes):
        return None
    known = next(term for term in terms if term != answer)  # the answer would give itself away
    return Question(
        id="",
        prompt=TEXTS("unit_prompt", row=_written(row), column=_written(column)),
        kind=NumberAnswer(0.3, decimals=0),
        answer=answer,
        wrong=mistakes,
        hint=TEXTS("unit_hint"),
        explanation=TEXTS("unit_explanation", met=exact_number(met), passes=met > 0),
        working=(
            arithmetic_line(
                Sum(tuple(Product(sum_of_wholes(a, b)) for a, b in zip(row, column, strict=True))),
                0,
            ),
            arithmetic_line(Call("max", sum_of_wholes(0, met)), 0),
        ),
        would_mean=lambda given: TEXTS(
            "unit_would_mean",
            negative=given < 0,
            rest=equation(Subtraction(typeset_number(given), *sum_of_wholes(known))),
        ),
    )


@question_maker("rows-moved")
def rows_moved_question(draw: Draw) -> Question | None:
    """Which rows does a part change if one row of its input changes? (K10)"""
    words = draw.some_of(("cat", "owl", "river", "bank", "train", "fox"), 4)
    at, mask = draw.whole(1, 2), draw.one_of(("causal", "none"))
    kind = BlockKind(draw.one_of((POST, PRE)), "relu", mask)
    parts = moved_rows(kind, " ".join(words), at)
    part = draw.one_of([each for each in parts if each.name != SUM])
    patterns = {
        OWN: [n == at for n in range(4)],
        SEEING: [n >= at for n in range(4)],
        ALL: [True] * 4,
    }
    answer = next(name for name, rows in patterns.items() if rows == list(part.alone))
    mixes, name, word = part.name == ATTENTION, part.name.lower(), words[at]
    reasons = {
        OWN: TEXTS("rows_own_hint", word=word),
        SEEING: TEXTS("rows_later_hint", mixes=mixes, word=word),
        ALL: TEXTS("rows_every_hint", mixes=mixes, word=word),
    }
    return Question(
        id="",
        prompt=TEXTS(
            "rows_prompt", text=" ".join(words), causal=mask == "causal", part=name, word=word
        ),
        kind=Choice((OWN, SEEING, ALL)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(TEXTS("rows_another"), option, reasons[option])
            for option in patterns
            if option != answer
        ),
        hint=TEXTS("rows_hint"),
        explanation=TEXTS("rows_explanation", mixes=mixes, part=name, word=word),
    )


@question_maker("layers-deep")
def layers_deep_question(draw: Draw) -> Question | None:
    """A number through n layers with a residual: x (1 + a)ⁿ."""
    tenths, layers, start = draw.one_of((5, 10, 20, -5)), draw.whole(2, 3), draw.one_of((2, 4, 8))
    a = tenths / 10
    answer, dropped, once = start * (1 + a) ** layers, start * a**layers, start * (1 + a * layers)
    if len({round(x, 6) for x in (answer, dropped, once, start * (1 + a))}) < 4:
        return None
    factor = typeset_number(1 + a)
    return Question(
        id="",
        prompt=TEXTS(
            "deep_prompt", start=exact_number(start), factor=exact_number(a), layers=layers
        ),
        kind=NumberAnswer(0.006),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("deep_dropped"), dropped, TEXTS("deep_dropped_hint")),
            WrongAnswer(TEXTS("deep_first"), once, TEXTS("deep_first_hint")),
            WrongAnswer(TEXTS("deep_one"), start * (1 + a), TEXTS("deep_one_hint", layers=layers)),
        ),
        hint=TEXTS("deep_hint"),
        explanation=TEXTS("deep_explanation", both=exact_number(1 + a), factor=exact_number(a)),
        working=(
            arithmetic_line(
                Product((*sum_of_wholes(start), *[factor] * layers)), CELL_DECIMALS, trim=False
            ),
        ),
        would_mean=lambda given: TEXTS(
            "deep_would_mean",
            times=equation(Quotient(typeset_number(given), *sum_of_wholes(start))),
        ),
    )


@question_maker("copied-next")
def copied_next_question(draw: Draw) -> Question | None:
    """What does the model write whose weights were set by hand? The word after the last time."""
    words = draw.some_of(("cat", "owl", "river", "fox", "train"), 4)
    repeated, first, second, more = words
    between = [more] if draw.whole(0, 1) else []
    prompt = [repeated, first, *between, repeated, second, more, repeated]
    trace = model_family(" ".join(prompt), {}).run(**{WEIGHTS.key: "hand"})
    answer = likeliest(trace)
    reasons = {
        first: (TEXTS("next_first"), TEXTS("next_first_hint", last=repeated)),
        repeated: (TEXTS("next_itself"), TEXTS("next_itself_hint")),
        more: (TEXTS("next_another"), TEXTS("next_another_hint", last=repeated)),
        second: (TEXTS("next_last"), TEXTS("next_last_hint")),
    }
    return Question(
        id="",
        prompt=TEXTS("next_prompt", prompt=" ".join(prompt)),
        kind=Choice(tuple(sorted(words))),
        answer=answer,
        wrong=tuple(WrongAnswer(reasons[w][0], w, reasons[w][1]) for w in words if w != answer),
        hint=TEXTS("next_hint"),
        explanation=TEXTS("next_explanation", last=repeated, copied=str(copied(prompt))),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("norm_question"): norm_entry_question,
        TEXTS("unit_question"): unit_question,
        TEXTS("rows_question"): rows_moved_question,
        TEXTS("deep_question"): layers_deep_question,
        TEXTS("next_question"): copied_next_question,
    }
)


def _written(numbers: list[int]) -> str:
    return "(" + ", ".join(exact_number(x) for x in numbers) + ")"
