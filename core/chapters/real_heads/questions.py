"""The questions on trained heads: what a head does, and a score worked by hand."""

import numpy as np

from core.attention.given.attention_from import attention_from
from core.chapters.real_heads.gallery import scored_run
from core.hash_random import Draw
from core.models.captures import captured_run
from core.models.head_scores import COUNTED_CELLS, HEAD_SCORES, counted_weight
from core.models.head_search import weights_of_all_heads
from core.models.head_words import score_title, whole_percent
from core.models.token_text import label_token, one_line
from core.program.labels import listed_names, token_labels
from core.questions.answers import Choice, NumberAnswer
from core.questions.asking import Asking
from core.questions.engine import Evidence, Question, QuestionTable, question_maker, question_table
from core.questions.texts import equation, product_of, quotient_of, sum_of_terms
from core.texts import core_texts

TEXTS = core_texts("real_heads")
KINDS = ("previous_token", "own_token", "first_token", "same_token", "induction")
"""What a head may do in the first question."""
TEXTS_READ = ("smollm2-repeat", "smollm2-love")
ROWS = 3
"""How many tokens the first question shows."""
_WORDS = ("the", "cat", "sat", "down", "we", "saw", "red", "lamps", "she", "reads", "old", "books")


@question_maker("what-head-does")
def what_head_does_question(draw: Draw) -> Question | None:
    """Which kind of head reads so? The one whose cells have each row's largest weight."""
    text, kind = draw.one_of(TEXTS_READ), draw.one_of(KINDS)
    run = captured_run(text)
    weights = weights_of_all_heads(run)[scored_run(run, kind).leaders[0]]
    cells = {name: COUNTED_CELLS[name](run.tokens) for name in KINDS}
    most = weights.argmax(axis=1)
    shown = [
        i
        for i in range(len(weights))
        if cells[kind][i, most[i]] and all(counted[i].any() for counted in cells.values())
    ]
    if len(shown) < ROWS:
        return None
    rows = sorted(draw.some_of(shown, ROWS))
    labels = token_labels(list(map(label_token, run.tokens)))
    titles = {name: score_title(name) for name in KINDS}
    ask = Asking(TEXTS, "what", text=one_line(run.prompt), title=titles[kind])
    wrong = []
    for name in KINDS:
        if name == kind:
            continue
        i = next((i for i in rows if not cells[name][i, most[i]]), None)
        if i is None:
            return None
        expected = listed_names([labels[j] for j in np.flatnonzero(cells[name][i])])
        said = {"token": labels[i], "expected": expected, "most": labels[most[i]]}
        wrong.append(ask.mistake("chosen", titles[name], "other_kind", title=titles[name], **said))
    parts = (whole_percent(HEAD_SCORES[name](weights, run.tokens)) for name in KINDS)
    score, kinds, scores = TEXTS("score"), tuple(titles.values()), tuple((f"{n} %",) for n in parts)
    return ask.question(
        Choice(kinds),
        titles[kind],
        wrong,
        tables=(_reads(labels, rows, weights, most),),
        after=(QuestionTable(TEXTS("scores_title"), TEXTS("kind"), kinds, (score,), scores),),
    )


def _reads(
    labels: list[str], rows: list[int], weights: np.ndarray, most: np.ndarray
) -> QuestionTable:
    """Return which token each of these rows reads most, and how much."""
    cells = tuple((labels[most[i]], f"{whole_percent(weights[i, most[i]])} %") for i in rows)
    columns, asked = (TEXTS("reads_most"), TEXTS("weight")), tuple(labels[i] for i in rows)
    return QuestionTable(TEXTS("reads_title"), TEXTS("token"), asked, columns, cells)


@question_maker("previous-token-score")
def score_question(draw: Draw) -> Question | None:
    """What is the previous-token score of a small head? The mean below the diagonal."""
    T = 4
    weights = np.zeros((T, T))
    for i in range(T):
        cuts = sorted(draw.wholes(1, 9, i))
        if len(set(cuts)) < i:
            return None
        weights[i, : i + 1] = np.diff([0, *cuts, 10]) / 10
    tokens = draw.some_of(_WORDS, T)
    trace = attention_from(weights=weights, tokens=tokens)
    counted = (COUNTED_CELLS[name](tokens) for name in KINDS[:3])
    answer, own, first = (counted_weight(weights, cells) for cells in counted)
    below = np.diagonal(weights, -1)
    total = float(below.sum())
    ask = Asking(TEXTS, "by_hand", T=T, count=T - 1)
    return ask.question(
        NumberAnswer(0.005),
        answer,
        {"not_divided": total, "by_all": total / T, "the_own": own, "the_first": first},
        working=[quotient_of(sum_of_terms(*below.tolist()), T - 1)],
        would_mean=lambda x: ask("score_would_mean", total=equation(product_of(T - 1, x))),
        tables=(question_table(trace, "weights", TEXTS("by_hand_table")),),
        evidence=(Evidence(TEXTS("by_hand_table"), trace, "weights"),),
    )


QUESTIONS = {TEXTS("what_title"): what_head_does_question, TEXTS("by_hand_title"): score_question}
