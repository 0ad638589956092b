"""The questions on other kinds: a row of linear attention, a state's size, a kernel, a recall."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.chapters.other_kinds.convolution import ATTENTION, CONVOLUTION, moved
from core.chapters.other_kinds.recall import recall_program
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import Product, Quotient, Sum, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, exact_number, sum_of_wholes, typeset_number
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
NO_WEIGHT, SOME_WEIGHTS = TEXTS("none_moved"), TEXTS("some_moved")


@question_maker("linear-row")
def linear_row_question(draw: Draw) -> Question | None:
    """A query over three keys without e^x: Σ (q·k) v / Σ q·k (P10 is one of these)."""
    query = [draw.whole(1, 2), draw.whole(0, 2)]
    keys = [[draw.whole(0, 2), draw.whole(0, 2)] for _ in range(3)]
    values = [draw.whole(1, 6) for _ in range(3)]
    met = [query[0] * key[0] + query[1] * key[1] for key in keys]
    total = sum(met)
    if not total or total in (1, 3):
        return None
    top = sum(m * v for m, v in zip(met, values, strict=True))
    answer = top / total
    if answer == total:  # a reply names the total: it would name the answer
        return None
    mean, powers = sum(values) / 3, np.exp(np.array(met, dtype=float))
    soft = float(powers @ np.array(values) / powers.sum())
    if len({round(x, 2) for x in (answer, float(top), mean, soft)}) < 4:
        return None
    terms = [Product(sum_of_wholes(m, v)) for m, v in zip(met, values, strict=True)]
    return Question(
        id="",
        prompt=TEXTS(
            "row_prompt",
            query=_written(query),
            keys=", ".join(map(_written, keys)),
            values=", ".join(map(exact_number, values)),
        ),
        kind=NumberAnswer(0.006),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("row_sum"), float(top), TEXTS("row_sum_why")),
            WrongAnswer(TEXTS("row_mean"), mean, TEXTS("row_mean_why")),
            WrongAnswer(TEXTS("row_softmax"), soft, TEXTS("row_softmax_why")),
        ),
        hint=TEXTS("row_hint"),
        explanation=TEXTS(
            "row_explanation", met=", ".join(map(exact_number, met)), total=exact_number(total)
        ),
        working=(
            arithmetic_line(Sum(tuple(terms)), CELL_DECIMALS),
            arithmetic_line(Quotient(*sum_of_wholes(top, total)), CELL_DECIMALS, trim=False),
        ),
        would_mean=lambda given: TEXTS(
            "row_would", equation=equation(Product((typeset_number(given), *sum_of_wholes(total))))
        ),
    )


@question_maker("state-size")
def state_size_question(draw: Draw) -> Question | None:
    """How many numbers are kept of a text? T keys and values, or one state."""
    d, T = draw.one_of((4, 8, 16)), draw.one_of((32, 64, 100, 256))
    answer, cache, pairs = d * d + d, 2 * T * d, T * T
    if len({answer, cache, pairs, T * (d * d + d)}) < 4:
        return None
    return Question(
        id="",
        prompt=TEXTS("size_prompt", features=exact_number(d), tokens=exact_number(T)),
        kind=NumberAnswer(0.3, decimals=0),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("size_cache"), cache, TEXTS("size_cache_why")),
            WrongAnswer(TEXTS("size_pairs"), pairs, TEXTS("size_pairs_why")),
            WrongAnswer(TEXTS("size_states"), T * (d * d + d), TEXTS("size_states_why")),
        ),
        hint=TEXTS("size_hint"),
        explanation=TEXTS("size_explanation"),
        working=(arithmetic_line(Sum((Product(sum_of_wholes(d, d)), *sum_of_wholes(d))), 0),),
        would_mean=lambda given: TEXTS(
            "size_would", equation=equation(Quotient(typeset_number(given), *sum_of_wholes(d)))
        ),
    )


@question_maker("kernel-moves")
def kernel_moves_question(draw: Draw) -> Question | None:
    """Which weights change if a token does? (B13)"""
    words = draw.some_of(("cat", "owl", "river", "bank", "train", "fox"), 4)
    at, kind = draw.whole(0, 3), draw.one_of((ATTENTION, CONVOLUTION))
    found = moved(" ".join(words), kind, at)
    answer = SOME_WEIGHTS if found.weights else NO_WEIGHT
    by_content = kind == ATTENTION
    return Question(
        id="",
        prompt=TEXTS("moves_prompt", text=" ".join(words), by_content=by_content, word=words[at]),
        kind=Choice((NO_WEIGHT, SOME_WEIGHTS)),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("moves_fixed"), NO_WEIGHT, TEXTS("moves_fixed_why"))
            if by_content
            else WrongAnswer(TEXTS("moves_content"), SOME_WEIGHTS, TEXTS("moves_content_why")),
        ),
        hint=TEXTS("moves_hint"),
        explanation=TEXTS(
            "moves_explanation",
            by_content=by_content,
            weights=found.weights,
            of_weights=found.of_weights,
            rows=found.rows,
            of_rows=found.of_rows,
        ),
    )


@question_maker("recalled")
def recalled_question(draw: Draw) -> Question | None:
    """Which stored pattern does a large β bring back?"""
    patterns = [[draw.one_of((1, -1)) for _ in range(4)] for _ in range(3)]
    state = [draw.one_of((1, -1)) for _ in range(4)]
    overlaps = [sum(a * b for a, b in zip(p, state, strict=True)) for p in patterns]
    if sorted(overlaps)[-1] == sorted(overlaps)[-2] or len({tuple(p) for p in patterns}) < 3:
        return None
    arrays = {"state": np.array([[state]], float), "patterns": np.array([patterns], float)}
    trace = recall_program(4.0).run(Inputs(arrays, ()))
    best = int(trace["weights"][0, 0].argmax())
    options = tuple(TEXTS("recall_option", number=n) for n in (1, 2, 3))
    stored = "; ".join(f"{n}: {_written(p)}" for n, p in enumerate(patterns, 1))
    return Question(
        id="",
        prompt=TEXTS("recall_prompt", patterns=stored, state=_written(state)),
        kind=Choice(options),
        answer=options[best],
        wrong=tuple(
            WrongAnswer(TEXTS("recall_other"), options[n], TEXTS("recall_other_why"))
            for n in range(3)
            if n != best
        ),
        hint=TEXTS("recall_hint"),
        explanation=TEXTS("recall_explanation", overlaps=", ".join(map(exact_number, overlaps))),
        working=(
            arithmetic_line(
                Sum(
                    tuple(
                        Product(sum_of_wholes(*two))
                        for two in zip(patterns[best], state, strict=True)
                    )
                ),
                0,
            ),
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("row_question"): linear_row_question,
        TEXTS("size_question"): state_size_question,
        TEXTS("moves_question"): kernel_moves_question,
        TEXTS("recall_question"): recalled_question,
    }
)


def _written(numbers: list[int]) -> str:
    return "(" + ", ".join(exact_number(x) for x in numbers) + ")"
