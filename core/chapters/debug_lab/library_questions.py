"""Questions about the mask arguments of PyTorch's functions (M18, M19)."""

import numpy as np

from core.attention.from_scores import run_of_equal_scores
from core.attention.masks import Rule
from core.chapters.debug_lab.reasoned_choice import reasoned_choice
from core.hash_random import Draw
from core.questions.engine import (
    Evidence,
    Question,
    QuestionTable,
    question_maker,
)
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
SDPA, MHA = "F.scaled_dot_product_attention", "nn.MultiheadAttention"
SEES, BLOCKED = TEXTS("sees"), TEXTS("blocked")


@question_maker("boolean-mask")
def boolean_question(draw: Draw) -> Question | None:
    """M18: what does True mean in a boolean mask? Keep in one function, block in the other."""
    function = draw.one_of((SDPA, MHA))
    T = draw.whole(3, 5)
    i = draw.whole(1, T - 1)
    j = draw.whole(0, i - 1)
    given = np.zeros((T, T), dtype=bool)
    given[i, j] = True
    visible = given if function == SDPA else ~given
    trace = run_of_equal_scores(visible)
    kept = function == SDPA
    return reasoned_choice(
        draw,
        TEXTS("boolean", function=function, tokens=T, query=i + 1, key=j + 1),
        (SEES, BLOCKED),
        SEES if trace["weights"][0, i, j] > 0 else BLOCKED,
        {SEES: TEXTS("not_sees", blocks=MHA), BLOCKED: TEXTS("not_blocked", keeps=SDPA)},
        TEXTS("boolean_hint", keeps=SDPA, blocks=MHA),
        TEXTS("boolean_answer", function=function, kept=kept, other=MHA if kept else SDPA),
        evidence=(Evidence(TEXTS("boolean_evidence"), trace, "weights", (0, i, j)),),
    )


@question_maker("cached-keys")
def cached_question(draw: Draw) -> Question | None:
    """M19: one query, many cached keys, is_causal=True: it sees only key 1 (upper left)."""
    keys = draw.whole(3, 9)
    mask = Rule("causal").mask(1, keys)[0]
    first, every = TEXTS("only_key", key=1), TEXTS("all_keys", keys=keys)
    last = TEXTS("only_key", key=keys)
    answer = first if np.flatnonzero(mask).tolist() == [0] else every
    row = tuple(str(int(visible)) for visible in mask)
    columns = tuple(str(n + 1) for n in range(keys))
    table = QuestionTable(
        TEXTS("cached_table"), TEXTS("key"), (TEXTS("new_query"),), columns, (row,), (0, 0)
    )
    return reasoned_choice(
        draw,
        TEXTS("cached", keys=keys, function=SDPA),
        (first, every, last),
        answer,
        {every: TEXTS("not_all", keys=keys), last: TEXTS("not_last", keys=keys)},
        TEXTS("cached_hint"),
        TEXTS("cached_answer", answer=answer),
        fact=TEXTS("cached_fact", first=first),
        after=(table,),
    )
