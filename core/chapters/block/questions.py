"""The questions on the block: a layer norm by hand, a unit, a residual, which rows move."""

from core.attention.layers.block import POST, PRE, BlockKind
from core.attention.layers.language_model import likeliest
from core.chapters.block.stack import ATTENTION, SUM, moved_rows
from core.chapters.block.tiny_model import WEIGHTS, copied, model_family
from core.hash_random import Draw
from core.questions.answers import COUNT, TWO_DECIMALS, Choice
from core.questions.asking import NOUNS, Asking
from core.questions.engine import Question, question_maker
from core.questions.texts import (
    call_of,
    difference_of,
    equation,
    exact_list,
    exact_number,
    exact_numbers,
    exact_row,
    product_of,
    products_summed,
    quotient_of,
)
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
    sizes = {"at": at + 1, "total": 4 * root**2, "variance": root**2, "root": root}
    numbers = exact_numbers(number=row[at], mean=mean)
    squares = " + ".join(str(x * x) for x in left)
    ask = Asking(TEXTS, "norm", row=exact_list(row), squares=squares, **sizes, **numbers)
    return ask.question(
        TWO_DECIMALS,
        answer,
        {
            "norm_spread": float(left[at]),
            "norm_variance": answer / root,
            "norm_mean": row[at] / root,
        },
        working=[difference_of(row[at], mean), quotient_of(left[at], root)],
        would_mean=lambda x: ask("norm_would_mean", away=equation(product_of(x, root))),
    )


@question_maker("unit-says")
def unit_question(draw: Draw) -> Question | None:
    """What does a unit say? ReLU of a row times its column of W_up."""
    row, column = ([draw.whole(-3, 4) for _ in range(3)] for _ in range(2))
    terms = [a * b for a, b in zip(row, column, strict=True)]
    met = sum(terms)
    positive = sum(max(0, term) for term in terms)
    answer = max(0, met)
    if not met:
        return None
    wrong = {"unit_each": positive}
    if met > 0:
        wrong["unit_blocked"] = 0
    else:
        wrong |= {"unit_left_out": met, "unit_sign": -met}
    # Of two that lead to one number the first is named.
    by_value = {value: id for id, value in reversed(wrong.items())}
    known = next(term for term in terms if term != answer)  # the answer would give itself away
    rows = {"row": exact_row(row), "column": exact_row(column)}
    ask = Asking(TEXTS, "unit", met=exact_number(met), passes=met > 0, **rows)
    return ask.question(
        COUNT,
        answer,
        {id: value for value, id in by_value.items()},
        working=[products_summed(row, column), call_of("max", 0, met)],
        would_mean=lambda given: ask(
            "unit_would_mean", negative=given < 0, rest=equation(difference_of(given, known))
        ),
    )


@question_maker("rows-moved")
def rows_moved_question(draw: Draw) -> Question | None:
    """Which rows does a part change if one row of its input changes? (K10)"""
    words = draw.some_of(NOUNS[:6], 4)
    at, mask = draw.whole(1, 2), draw.one_of(("causal", "none"))
    kind = BlockKind(draw.one_of((POST, PRE)), "relu", mask)
    parts = moved_rows(kind, " ".join(words), at)
    part = draw.one_of([each for each in parts if each.name != SUM])
    own, later = [n == at for n in range(4)], [n >= at for n in range(4)]
    patterns = {OWN: own, SEEING: later, ALL: [True] * 4}
    told = {"part": part.name.lower(), "mixes": part.name == ATTENTION, "word": words[at]}
    ask = Asking(TEXTS, "rows", text=" ".join(words), causal=mask == "causal", **told)
    hints = {OWN: "rows_own_hint", SEEING: "rows_later_hint", ALL: "rows_every_hint"}
    return ask.question(
        Choice((OWN, SEEING, ALL)),
        next(name for name, rows in patterns.items() if rows == list(part.alone)),
        [ask.mistake("rows_another", option, hint) for option, hint in hints.items()],
    )


@question_maker("layers-deep")
def layers_deep_question(draw: Draw) -> Question | None:
    """A number through n layers with a residual: x (1 + a)ⁿ."""
    tenths, layers, start = draw.one_of((5, 10, 20, -5)), draw.whole(2, 3), draw.one_of((2, 4, 8))
    a = tenths / 10
    answer, dropped, once = start * (1 + a) ** layers, start * a**layers, start * (1 + a * layers)
    if len({round(x, 6) for x in (answer, dropped, once, start * (1 + a))}) < 4:
        return None
    ask = Asking(TEXTS, "deep", layers=layers, **exact_numbers(start=start, factor=a, both=1 + a))
    return ask.question(
        TWO_DECIMALS,
        answer,
        {"deep_dropped": dropped, "deep_first": once, "deep_one": start * (1 + a)},
        working=[product_of(start, *[1 + a] * layers)],
        would_mean=lambda x: ask("deep_would_mean", times=equation(quotient_of(x, start))),
    )


@question_maker("copied-next")
def copied_next_question(draw: Draw) -> Question | None:
    """What does the model write whose weights were set by hand? The word after the last time."""
    words = draw.some_of(("cat", "owl", "river", "fox", "train"), 4)
    repeated, first, second, more = words
    between = [more] if draw.whole(0, 1) else []
    prompt = [repeated, first, *between, repeated, second, more, repeated]
    trace = model_family(" ".join(prompt), {}).run(**{WEIGHTS.key: "hand"})
    ids = {repeated: "next_itself", first: "next_first", second: "next_last", more: "next_another"}
    ask = Asking(TEXTS, "next", prompt=" ".join(prompt), last=repeated, copied=str(copied(prompt)))
    return ask.question(
        Choice(tuple(sorted(words))),
        likeliest(trace),
        [ask.mistake(id, word) for word, id in ids.items()],
    )


QUESTIONS = {
    TEXTS("norm_question"): norm_entry_question,
    TEXTS("unit_question"): unit_question,
    TEXTS("rows_question"): rows_moved_question,
    TEXTS("deep_question"): layers_deep_question,
    TEXTS("next_question"): copied_next_question,
}
