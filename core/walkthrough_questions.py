"""The two questions the walkthrough ends with. Their answers are read from a run of the program."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention import attention_program
from core.display import shown
from core.explanations import arithmetic
from core.inputs import Inputs, toy_inputs
from core.labels import axis_labels
from core.patterns import Cell
from core.programs import Trace
from core.questions import (
    Choice,
    Draw,
    Evidence,
    Number,
    Question,
    QuestionMaker,
    Table,
    WrongAnswer,
    question_maker,
    table,
)
from core.rounding import decimal_text

CAUSAL = attention_program(heads=1)
FREE = attention_program(heads=1, mask="none")
TOLERANCE = 0.01
LARGEST_ENTRY = {4: 3, 9: 2, 16: 1}
"""By d_k: longer vectors hold smaller whole numbers, so that paper is enough."""
CLEAR_CHANGE = 0.05
"""A row that the mask changes must change by at least this, to be seen at two decimals."""

_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gita", "Hugo")
_VERBS = ("saw", "met", "heard", "drew", "found", "called", "fed", "followed")
_ARTICLES = ("the", "a", "one", "every")
_NOUNS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin")
_ENDS = ("today", "again", "first", "slowly", "outside", "twice")
_SENTENCES = (
    (_NAMES, _VERBS, _NAMES),
    (_ARTICLES, _NOUNS, _VERBS, _NAMES),
    (_NAMES, _VERBS, _ARTICLES, _NOUNS),
    (_NAMES, _VERBS, _ARTICLES, _NOUNS, _ENDS),
)


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
    worked = "; ".join(arithmetic(trace, name, pair)[-1].plain() for name in ("scores", "scaled"))
    return Question(
        id="",
        prompt=(
            f"The query of {query_word} meets the key of {key_word}, which comes before it, so "
            f"the causal mask leaves the pair visible. d_k = {d_k}. Which number goes into "
            "softmax for this pair? Two decimals are enough."
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=_wrong_scores(np.array(query), np.array(key), score, answer),
        explanation=f"First the dot product q·k, then its division by √d_k: {worked}.",
        tables=(_vectors(trace, query_word, key_word),),
        evidence=(Evidence("The score, scaled", trace, "scaled", pair),),
    )


@question_maker("unchanged-row")
def unchanged_row_question(draw: Draw) -> Question | None:
    """Which row of weights does the causal mask leave as it is? The last (T; CONCEPTS M8)."""
    words = [draw.one_of(part) for part in draw.one_of(_SENTENCES)]
    if len(set(words)) < len(words):
        return None
    inputs = toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999))
    free, causal = FREE.run(inputs), CAUSAL.run(inputs)
    change = np.abs(free["weights"] - causal["weights"]).max(axis=(0, 2))
    unchanged = np.flatnonzero(change < CLEAR_CHANGE)
    if len(unchanged) != 1 or change[unchanged[0]] > 1e-12:
        return None
    row = int(unchanged[0])
    labels = axis_labels(free, "weights")[1]
    numbers = ", ".join(shown(causal, "weights", (0, row, j)) for j in range(len(labels)))
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}”: here are the weights without a mask, a row for each query. "
            "The causal mask hides from each query the keys that come after it. Which row stays "
            "exactly as it is?"
        ),
        kind=Choice(tuple(labels)),
        answer=labels[row],
        wrong=tuple(_changed_row(free, causal, labels, i) for i in range(len(labels)) if i != row),
        explanation=(
            f"No key comes after {labels[row]}, so the mask hides nothing from it: its row is "
            f"{numbers} with the mask and without."
        ),
        tables=(table(free, "weights", "Weights without a mask"),),
        evidence=(
            Evidence("Weights without a mask", free, "weights"),
            Evidence("Weights with the causal mask", causal, "weights"),
        ),
    )


@question_maker("first-weight")
def first_weight_question(draw: Draw) -> Question | None:
    """What weight does the first token have on itself under a causal mask? 1, always (M7)."""
    words = [draw.one_of(part) for part in draw.one_of(_SENTENCES)]
    if len(set(words)) < len(words):
        return None
    inputs = toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999))
    free, causal = FREE.run(inputs), CAUSAL.run(inputs)
    first = (0, 0, 0)
    answer, unmasked = float(causal["weights"][first]), float(free["weights"][first])
    if unmasked > 1 - CLEAR_CHANGE:
        return None
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}”: these are the scaled scores, the causal mask still to come. "
            f"After mask and softmax, what is the weight of {words[0]} on itself, however the "
            "model is trained?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you took the whole row", unmasked,
                f"The keys after {words[0]} are hidden, so they take no part in its softmax.",
            ),
            WrongAnswer(
                "you shared it out evenly", 1 / len(words),
                "Equal weights need equal scores, and only over the keys that can be seen.",
            ),
        ),
        explanation=(
            f"{words[0]} sees only itself, and a softmax over one number is "
            f"{shown(causal, 'weights', first)}, whatever the number is: no training changes it."
        ),
        tables=(table(free, "scaled", "Scaled scores"),),
        evidence=(Evidence("Weights with the causal mask", causal, "weights", first),),
    )  # fmt: skip


WALKTHROUGH_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "One score": score_question,
    "Which row does not mind": unchanged_row_question,
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
    dot = decimal_text(score, 0)
    return (
        WrongAnswer(
            "you forgot √d_k", score, f"q·k is {dot}. Divide it by √{d_k} = {root}."
        ),
        WrongAnswer(
            "you divided by d_k", score / d_k,
            f"Divide by the root, √{d_k} = {root}: the spread of q·k grows like √d_k.",
        ),
        WrongAnswer(
            "you multiplied by √d_k", score * root,
            f"Divide q·k = {dot} by √{d_k} = {root}: scaling makes large scores smaller.",
        ),
        WrongAnswer(
            "you lost the minus signs", float(np.abs(query * key).sum()) / root,
            "Minus times minus is plus, minus times plus is minus: opposite entries lower a score.",
        ),
        WrongAnswer(
            "you took only the first pair", float(query[0] * key[0]) / root,
            f"A dot product multiplies all {d_k} pairs of entries and adds them up.",
        ),
        WrongAnswer(
            "you added the entries", float(query.sum() + key.sum()) / root,
            "Multiply each entry of q with the entry of k below it, then add up the products.",
        ),
        WrongAnswer(
            "you went on to the exponential", math.exp(answer),
            "That is what softmax makes of the number first. Asked is what goes into it.",
        ),
    )  # fmt: skip


def _changed_row(free: Trace, causal: Trace, labels: list[str], i: int) -> WrongAnswer:
    """Why row i is not the one: what the mask takes from it."""
    hidden = len(labels) - 1 - i
    taken = decimal_text(float(free["weights"][0, i, i + 1 :].sum()))
    keys, after = ("key", "a key") if hidden == 1 else ("keys", "keys")
    if i == 0:
        own = (0, 0, 0)
        return WrongAnswer(
            "you picked the row that loses the most keys", labels[0],
            f"{labels[0]} comes first and can see only itself: its weight on itself goes from "
            f"{shown(free, 'weights', own)} to {shown(causal, 'weights', own)}.",
        )  # fmt: skip
    return WrongAnswer(
        f"you picked a row with {after} after it", labels[i],
        f"The mask hides {hidden} {keys} after {labels[i]}, which took {taken} of its weight "
        "without it.",
    )  # fmt: skip


def _vectors(trace: Trace, query_word: str, key_word: str) -> Table:
    rows: tuple[tuple[str, str, Cell], ...] = (
        (f"q of {query_word}", "Q", (0, 1)), (f"k of {key_word}", "K", (0, 0)),
    )  # fmt: skip
    return Table(
        "Query and key",
        tuple(title for title, _, _ in rows),
        tuple(str(n + 1) for n in range(trace["Q"].shape[-1])),
        tuple(tuple(decimal_text(float(x), 0) for x in trace[name][at]) for _, name, at in rows),
    )
