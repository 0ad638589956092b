"""The two questions the walkthrough ends with. Their answers are read from a run of the program."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.program import attention_program
from core.hash_random import Draw
from core.program.explanations import arithmetic
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import Call, Product
from core.program.numbers.rounding import decimal_text
from core.program.patterns import Cell
from core.program.trace import Trace
from core.questions.answers import NumberAnswer
from core.questions.attention import unchanged_row_question
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    QuestionTable,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import DOT, ROOT, equation, exact_number, sum_of_wholes, typeset_number
from core.texts import core_texts

TEXTS = core_texts("walkthrough")
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
        prompt=TEXTS("prompt", key=key_word, query=query_word, d_k=d_k),
        kind=NumberAnswer(TOLERANCE),
        answer=answer,
        wrong=_wrong_scores(np.array(query), np.array(key), score, answer),
        hint=TEXTS("hint", dot=DOT, root=ROOT),
        explanation=TEXTS("explanation", dot=DOT, root=ROOT),
        tables=(_vectors(trace, query_word, key_word),),
        working=tuple(lines),
        would_mean=lambda given: TEXTS(
            "would_mean",
            given=exact_number(given),
            dot=DOT,
            root=equation(Call("sqrt", sum_of_wholes(d_k))),
            product=equation(Product((typeset_number(given), *sum_of_wholes(root)))),
        ),
        evidence=(Evidence(TEXTS("evidence"), trace, "scaled", pair),),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("score"): score_question,
        TEXTS("unchanged_row"): unchanged_row_question,
    }
)


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
    dot_is, by_root = exact_number(score), equation(Call("sqrt", sum_of_wholes(d_k)))
    divide = {"dot": DOT, "score": dot_is, "root_of": by_root}
    return (
        WrongAnswer(TEXTS("no_root", root=ROOT), score, TEXTS("no_root_why", **divide)),
        WrongAnswer(
            TEXTS("whole_d_k"),
            score / d_k,
            TEXTS("whole_d_k_why", root_of=by_root, dot=DOT, root=ROOT),
        ),
        WrongAnswer(
            TEXTS("multiplied", root=ROOT), score * root, TEXTS("multiplied_why", **divide)
        ),
        WrongAnswer(
            TEXTS("no_signs"), float(np.abs(query * key).sum()) / root, TEXTS("no_signs_why")
        ),
        WrongAnswer(
            TEXTS("first_pair"),
            float(query[0] * key[0]) / root,
            TEXTS("first_pair_why", d_k=d_k),
        ),
        WrongAnswer(TEXTS("added"), float(query.sum() + key.sum()) / root, TEXTS("added_why")),
        WrongAnswer(TEXTS("exponential"), math.exp(answer), TEXTS("exponential_why")),
    )


def _vectors(trace: Trace, query_word: str, key_word: str) -> QuestionTable:
    rows: tuple[tuple[str, str, Cell], ...] = (
        (TEXTS("query_row", word=query_word), "Q", (0, 1)),
        (TEXTS("key_row", word=key_word), "K", (0, 0)),
    )
    return QuestionTable(
        TEXTS("table"),
        TEXTS("entry"),
        tuple(title for title, _, _ in rows),
        tuple(str(n + 1) for n in range(trace["Q"].shape[-1])),
        tuple(tuple(decimal_text(float(x), 0) for x in trace[name][at]) for _, name, at in rows),
    )
