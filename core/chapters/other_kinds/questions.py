"""The questions on other kinds: a row of linear attention, a state's size, a kernel, a recall."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.chapters.other_kinds.convolution import ATTENTION, CONVOLUTION, moved
from core.chapters.other_kinds.recall import recall_program
from core.draws import Draw
from core.program.arithmetic import Product, Quotient, Sum, line
from core.program.inputs import Inputs
from core.program.rounding import CELL_DECIMALS
from core.questions.answers import Choice, Number
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, exact, number, whole

NO_WEIGHT, SOME_WEIGHTS = "None of the weights", "Some of the weights"


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
    terms = [Product(whole(m, v)) for m, v in zip(met, values, strict=True)]
    return Question(
        id="",
        prompt=(
            f"Attention without φ and without $e^x$: the query is {_written(query)}, the keys are "
            f"{', '.join(map(_written, keys))}, and their values {', '.join(map(exact, values))}. "
            "What does the query read?"
        ),
        kind=Number(0.006),
        answer=answer,
        wrong=(
            WrongAnswer("you left the sum in", float(top), "Divide by what was met in all."),
            WrongAnswer("you took the plain mean", mean,
                        "A value counts as much as its key meets the query."),
            WrongAnswer("you took softmax", soft, "Here the dot products themselves are shares, "
                        "once they are divided by their sum."),
        ),
        hint="First the dot product of the query and each key. These are the weights, over a sum.",
        explanation=(
            f"The query meets the keys with {', '.join(exact(m) for m in met)}, in all "
            f"{exact(total)}."
        ),
        working=(
            line(Sum(tuple(terms)), CELL_DECIMALS),
            line(Quotient(*whole(top, total)), CELL_DECIMALS, trim=False),
        ),
        would_mean=lambda given: (
            f"Times the sum that would be {equation(Product((number(given), *whole(total))))}."
        ),
    )  # fmt: skip


@question_maker("state-size")
def state_size_question(draw: Draw) -> Question | None:
    """How many numbers are kept of a text? T keys and values, or one state."""
    d, T = draw.one_of((4, 8, 16)), draw.one_of((32, 64, 100, 256))
    answer, cache, pairs = d * d + d, 2 * T * d, T * T
    if len({answer, cache, pairs, T * (d * d + d)}) < 4:
        return None
    return Question(
        id="",
        prompt=(
            f"One head of linear attention has keys and values of {exact(d)} features. It has read "
            f"{exact(T)} tokens. How many numbers does it keep of them: the state, and the sum of "
            "the keys?"
        ),
        kind=Number(0.3, decimals=0),
        answer=answer,
        wrong=(
            WrongAnswer("you counted a cache of keys and values", cache,
                        "That is what softmax attention has to keep."),
            WrongAnswer("you counted all pairs", pairs, "No pair of tokens is kept."),
            WrongAnswer("you counted a state for each token", T * (d * d + d),
                        "Each token is added to one state."),
        ),
        hint="The number of tokens does not matter.",
        explanation="A number for each pair of a key's and a value's features, and the summed key.",
        working=(line(Sum((Product(whole(d, d)), *whole(d))), 0),),
        would_mean=lambda given: (
            f"That would be {equation(Quotient(number(given), *whole(d)))} numbers for each "
            "feature of a key. Count its row of the state, and its entry in the sum of the keys."
        ),
    )  # fmt: skip


@question_maker("kernel-moves")
def kernel_moves_question(draw: Draw) -> Question | None:
    """Which weights are others where a token is? (B13)"""
    words = draw.some_of(("cat", "owl", "river", "bank", "train", "fox"), 4)
    at, kind = draw.whole(0, 3), draw.one_of((ATTENTION, CONVOLUTION))
    found = moved(" ".join(words), kind, at)
    answer = SOME_WEIGHTS if found.weights else NO_WEIGHT
    by_content = kind == ATTENTION
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}” goes through a layer of "
            f"{'causal attention' if by_content else 'causal convolution'}, and then once more "
            f"with another row of $X$ for *{words[at]}*. Which weights, of those that mix the "
            "values, are others?"
        ),
        kind=Choice((NO_WEIGHT, SOME_WEIGHTS)),
        answer=answer,
        wrong=(
            WrongAnswer("you took the weights for fixed", NO_WEIGHT,
                        "Attention makes its weights of queries and keys, and these of rows.")
            if by_content
            else WrongAnswer("you let the content count", SOME_WEIGHTS,
                             "What does a kernel's weight depend on?"),
        ),
        hint="Of what are these weights made?",
        explanation=(
            f"{found.weights} of {found.of_weights} weights are others: they are made of the text."
            if by_content
            else "A kernel's weights depend on distance alone, and are the same for every text. "
            f"What they mix is another: {found.rows} of {found.of_rows} rows of the result."
        ),
    )  # fmt: skip


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
    options = tuple(f"Pattern {n}" for n in (1, 2, 3))
    stored = "; ".join(f"{n}: {_written(p)}" for n, p in enumerate(patterns, 1))
    return Question(
        id="",
        prompt=(
            f"A modern Hopfield network has stored {stored}. The state is {_written(state)}, and "
            "β is large. To which pattern does one update bring it?"
        ),
        kind=Choice(options),
        answer=options[best],
        wrong=tuple(
            WrongAnswer("you took another overlap for the largest", options[n],
                        "Count for each pattern how many entries agree, minus how many do not.")
            for n in range(3)
            if n != best
        ),
        hint="Softmax of a large multiple gives nearly all to the largest dot product.",
        explanation=f"The overlaps are {', '.join(exact(o) for o in overlaps)}.",
        working=(
            line(
                Sum(tuple(Product(whole(*two)) for two in zip(patterns[best], state, strict=True))),
                0,
            ),
        ),
    )  # fmt: skip


KIND_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "A row by hand": linear_row_question,
    "What is kept": state_size_question,
    "Which weights": kernel_moves_question,
    "Recall": recalled_question,
})  # fmt: skip


def _written(numbers: list[int]) -> str:
    return "(" + ", ".join(exact(x) for x in numbers) + ")"
