"""The two questions the walkthrough ends with. Their answers are read from a run of the program."""

import math

import numpy as np

from core.attention.program import attention_program
from core.hash_random import Draw
from core.program.explanations import arithmetic
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.questions.answers import NumberAnswer
from core.questions.asking import NOUNS, VERBS, Asking
from core.questions.attention import unchanged_row_question
from core.questions.engine import Evidence, Question, question_maker, table_of_numbers
from core.questions.texts import DOT, ROOT, call_of, equation, exact_number, product_of
from core.texts import core_texts

TEXTS = core_texts("walkthrough")
CAUSAL = attention_program(heads=1)
LARGEST_ENTRY = {4: 3, 9: 2}
"""By d_k: longer vectors hold smaller whole numbers, so that paper is enough."""


@question_maker("score")
def score_question(draw: Draw) -> Question | None:
    """What goes into softmax for one query and one key? q·k / √d_k (Vaswani et al. 2017, eq. 1)."""
    d_k = draw.one_of(tuple(LARGEST_ENTRY))
    largest = LARGEST_ENTRY[d_k]
    key, query = (np.array(draw.wholes(-largest, largest, d_k)) for _ in range(2))
    key_word, query_word = draw.one_of(NOUNS), draw.one_of(VERBS)
    trace = _score_trace(key, query, (key_word, query_word))
    pair = (0, 1, 0)
    score, answer = float(trace["scores"][pair]), float(trace["masked"][pair])
    root, root_of_d_k = math.isqrt(d_k), equation(call_of("sqrt", d_k))
    words = {"key": key_word, "query": query_word}
    signs = {"dot": DOT, "root": ROOT, "root_of": root_of_d_k}
    ask = Asking(TEXTS, "score", d_k=d_k, score=exact_number(score), **words, **signs)
    names = TEXTS("query_row", word=query_word), TEXTS("key_row", word=key_word)
    places, rows = [str(n + 1) for n in range(d_k)], (trace["Q"][0, 1], trace["K"][0, 0])
    return ask.question(
        NumberAnswer(0.01),
        answer,
        {
            "no_root": score,
            "whole_d_k": score / d_k,
            "multiplied": score * root,
            "no_signs": float(np.abs(query * key).sum()) / root,
            "first_pair": float(query[0] * key[0]) / root,
            "added": float(query.sum() + key.sum()) / root,
            "exponential": math.exp(answer),
        },
        working=[made for name in ("scores", "scaled") for made in arithmetic(trace, name, pair)],
        would_mean=lambda given: ask(
            "would_mean",
            given=exact_number(given),
            root=root_of_d_k,
            product=equation(product_of(given, root)),
        ),
        tables=(table_of_numbers(TEXTS("table"), TEXTS("entry"), names, places, rows),),
        evidence=(Evidence(TEXTS("evidence"), trace, "scaled", pair),),
    )


QUESTIONS = {TEXTS("score"): score_question, TEXTS("unchanged_row"): unchanged_row_question}


def _score_trace(key: np.ndarray, query: np.ndarray, words: tuple[str, str]) -> Trace:
    """Two tokens whose key and query are their rows of X: W_Q and W_K change nothing."""
    same = np.eye(len(key))
    arrays = {"X": np.array([key, query], dtype=np.float64), "W_O": same}
    arrays |= dict.fromkeys(("W_Q", "W_K", "W_V"), same[None])
    return CAUSAL.run(Inputs(arrays, words))
