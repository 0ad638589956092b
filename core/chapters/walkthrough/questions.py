"""The two questions the walkthrough ends with. Their answers are read from a run of the program."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.program import attention_program
from core.draws import Draw
from core.program.arithmetic import Call, Product
from core.program.explanations import arithmetic
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.rounding import decimal_text
from core.program.trace import Trace
from core.questions.answers import Number
from core.questions.attention import unchanged_row_question
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    Table,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import DOT, ROOT, equation, exact, number, whole

CAUSAL = attention_program(heads=1)
TOLERANCE = 0.01
LARGEST_ENTRY = {4: 3, 9: 2}
"""By d_k: longer vectors hold smaller whole numbers, so that paper is enough."""

_VERBS = ("saw", "met", "heard", "drew", "found", "called", "fed", "followed")
_NOUNS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin")


@question_maker("score")
def score_question(draw: Draw) -> Question | None:
    """What goes into softmax for one query and one key? q·k / √d_k (Vaswani et al. 2017, eq. 1)."""
    d_k = draw.one_of(tuple(LARGEST_ENTRY))
    largest = LARGEST_ENTRY[d_k]
    key, query = (draw.wholes(-largest, largest, d_k) for _ in range(2))
    key_word, query_word = draw.one_of(_NOUNS), draw.one_of(_VERBS)
    trace = _score_trace(key, query, (key_word, query_word))
    pair = (0, 1, 0)
    score, answer = float(trace["scores"][pair]), float(trace["masked"][pair])
    root = math.isqrt(d_k)
    lines = [made for name in ("scores", "scaled") for made in arithmetic(trace, name, pair)]
    return Question(
        id="",
        prompt=(
            f"“{key_word} {query_word}”: the query of *{query_word}* meets the key of "
            f"*{key_word}*, which comes before it, so the causal mask leaves the pair visible. "
            f"$d_k = {d_k}$. Which number goes into softmax for this pair? Two decimals are enough."
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=_wrong_scores(np.array(query), np.array(key), score, answer),
        hint=(
            f"First the dot product {DOT}: multiply each entry of $q$ with the entry of $k$ "
            f"below it, and add up the products. Then divide by {ROOT}."
        ),
        explanation=f"First the dot product {DOT}, then its division by {ROOT}.",
        tables=(_vectors(trace, query_word, key_word),),
        working=tuple(lines),
        would_mean=lambda given: (
            f"For {exact(given)} to come out, {DOT} would have to be "
            f"{equation(Product((number(given), *whole(root))))}, because "
            f"{equation(Call('sqrt', whole(d_k)))}. Compare that with your sum of products."
        ),
        evidence=(Evidence("The score, scaled", trace, "scaled", pair),),
    )


WALKTHROUGH_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "One score": score_question,
    "Which row stays the same": unchanged_row_question,
})  # fmt: skip


def _score_trace(key: list[int], query: list[int], words: tuple[str, str]) -> Trace:
    """Two tokens whose key and query are their rows of X: W_Q and W_K change nothing."""
    same = np.eye(len(key))
    arrays = {"X": np.array([key, query], dtype=np.float64), "W_O": same}
    arrays |= dict.fromkeys(("W_Q", "W_K", "W_V"), same[None])
    return CAUSAL.run(Inputs(arrays, words))


def _wrong_scores(
    query: np.ndarray, key: np.ndarray, score: float, answer: float
) -> tuple[WrongAnswer, ...]:
    d_k = len(key)
    root = math.isqrt(d_k)
    dot, by_root = exact(score), equation(Call("sqrt", whole(d_k)))
    return (
        WrongAnswer(
            f"you forgot {ROOT}", score, f"{DOT} is {dot}. Divide it by {by_root}."
        ),
        WrongAnswer(
            "you divided by $d_k$", score / d_k,
            f"Divide by the root, {by_root}: the spread of {DOT} grows like {ROOT}.",
        ),
        WrongAnswer(
            f"you multiplied by {ROOT}", score * root,
            f"{DOT} is {dot}. Divide it by {by_root}: scaling makes large scores smaller.",
        ),
        WrongAnswer(
            "you lost the minus signs", float(np.abs(query * key).sum()) / root,
            "Minus times minus is plus, minus times plus is minus: entries of opposite signs lower "
            "a score.",
        ),
        WrongAnswer(
            "you took only the first pair", float(query[0] * key[0]) / root,
            f"A dot product multiplies all {d_k} pairs of entries and adds them up.",
        ),
        WrongAnswer(
            "you added the entries", float(query.sum() + key.sum()) / root,
            "Multiply each entry of $q$ with the entry of $k$ below it, then add up the products.",
        ),
        WrongAnswer(
            "you went on to the exponential", math.exp(answer),
            "That is what softmax makes of the number first. Asked is what goes into it.",
        ),
    )  # fmt: skip


def _vectors(trace: Trace, query_word: str, key_word: str) -> Table:
    rows: tuple[tuple[str, str, Cell], ...] = (
        (f"$q$ of *{query_word}*", "Q", (0, 1)), (f"$k$ of *{key_word}*", "K", (0, 0)),
    )  # fmt: skip
    return Table(
        "Query and key",
        "entry →",
        tuple(title for title, _, _ in rows),
        tuple(str(n + 1) for n in range(trace["Q"].shape[-1])),
        tuple(tuple(decimal_text(float(x), 0) for x in trace[name][at]) for _, name, at in rows),
    )
