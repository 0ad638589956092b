"""The debug lab's questions (M1–M4, M15, M16, M18, M19): softmax or a mask in the wrong place,
weights at the limits of floats, PyTorch's mask arguments. Answers are read from runs.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from core.attention.from_scores import MASKED, run_from_scores, run_of_equal_scores
from core.attention.masks import Rule
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.hash_random import Draw
from core.operations.softmax import softmax
from core.program.numbers.arithmetic import ArithmeticLine, arithmetic_line
from core.program.numbers.display import shown
from core.program.numbers.rounding import operand_text
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.asking import Asking
from core.questions.engine import Evidence, Question, QuestionTable, question_maker, question_table
from core.questions.texts import (
    call_of,
    comma_separated,
    difference_of,
    equation,
    exact_number,
    numeral,
    printed,
    product_of,
    quotient_of,
    sum_of_terms,
    worked,
)
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
ABOUT = NumberAnswer(0.01)
SDPA, MHA = "F.scaled_dot_product_attention", "nn.MultiheadAttention"
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
"""The smallest float64 above 0."""
UNDERFLOW = math.log(SMALLEST) - math.log(2)
"""Below this, exp rounds to 0: half of the smallest number is as near to it as to nothing."""


def _choice(
    draw: Draw, ask: Asking, answer: str, hints: Mapping[str, str], **more: Any
) -> Question:
    """Return a question with options in a drawn order; `hints` are the ids of why each is wrong."""
    options = draw.some_of(tuple(hints), len(hints))
    wrong = [ask.mistake("chosen", o, hints[o], option=o) for o in options if o != answer]
    return ask.question(Choice(tuple(options)), answer, wrong, **more)


@question_maker("mask-after-softmax")
def late_mask_question(draw: Draw) -> Question | None:
    """M1: masked after softmax, what does a row add up to? (P6: ¼)"""
    T = draw.whole(2, 4)
    counts = [draw.wholes(1, 4, T) for _ in range(T)]
    row = draw.whole(0, T - 2)
    trace = _run("after", np.log(np.array(counts, dtype=float)))
    answer, total = float(trace["weights"][0, row].sum()), sum(counts[row])
    seen = counts[row][: row + 1]
    scores = ", ".join(rf"$\ln {n}$" for n in counts[row])
    powers = ", ".join(f"${n}$" for n in counts[row])
    ask = Asking(TEXTS, "late", row=row + 1, scores=scores, powers=powers, total=total)

    def would_mean(given: float) -> str:
        if not 0 <= given <= 1:
            return ask("late_range")
        return ask("late_means", visible=equation(product_of(given, total)))

    return ask.question(
        ABOUT,
        answer,
        {"late_first": 1.0, "late_lost": 1 - answer, "late_undivided": float(sum(seen))},
        working=[
            *(sum_of_terms(*some) for some in (seen, counts[row]) if len(some) > 1),
            quotient_of(sum(seen), total),
        ],
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("late_evidence"), trace, "weights"),),
    )


@question_maker("zero-fill")
def zero_fill_question(draw: Draw) -> Question | None:
    """M2: hidden scores set to 0 instead of −∞: how much leaks? ([2, 0, 0]: .213)"""
    T, own = draw.whole(3, 5), draw.whole(1, 3)
    scores = np.full((T, T), 0.0)
    scores[:, 0] = own
    hidden = T - 1
    trace = _run("zero", scores)
    weights = trace["weights"][0, 0]
    answer = float(weights[1:].sum())
    ask = Asking(TEXTS, "fill", tokens=T, own=own, hidden=hidden)

    def made(decimals: int) -> tuple[ArithmeticLine, ...]:
        own_share = arithmetic_line(call_of("exp", own), decimals)
        another = arithmetic_line(call_of("exp", 0), 0)
        summed = arithmetic_line(sum_of_terms(own_share.right, *[1] * hidden), decimals)
        leaked = arithmetic_line(quotient_of(hidden, summed.right), decimals)
        return own_share, another, summed, leaked

    def would_mean(given: float) -> str:
        if not 0 < given < 1:
            return ask("fill_range")
        each, stays = quotient_of(given, hidden), difference_of(1, given)
        ratio = f"$e^{{{own}}}$"
        return ask("fill_means", each=equation(each), stays=equation(stays), ratio=ratio)

    return ask.question(
        ABOUT,
        answer,
        {"fill_none": 0.0, "fill_one": float(weights[1]), "fill_own": float(weights[0])},
        working=worked(ABOUT.text(answer), made),
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("fill_evidence"), trace, "weights"),),
    )


@question_maker("renormalise")
def renormalise_question(draw: Draw) -> Question | None:
    """M3: mask after softmax and then renormalise: other weights than masking first? No."""
    scores = _scores(draw)
    late = _run("after", scores)["weights"][0]
    divided = late / late.sum(axis=-1, keepdims=True)
    first, again = _right(scores), _right(scores, weights=divided)
    is_same = np.allclose(divided, first["weights"][0], rtol=0, atol=1e-12)
    one, other = (exact_number(x) for x in scores[1, :2])
    same, different, larger = map(TEXTS, ("same", "different", "larger"))
    return _choice(
        draw,
        ask := Asking(TEXTS, "renormalise", one=one, other=other),
        same if is_same else different,
        {same: "not_same", different: "not_different", larger: "not_larger"},
        fact=ask("renormalise_fact"),
        tables=(question_table(first, "masked", TEXTS("masked_scores")),),
        evidence=(
            Evidence(TEXTS("masked_first"), first, "weights"),
            Evidence(TEXTS("masked_later"), again, "weights"),
        ),
    )


@question_maker("wrong-axis")
def axis_question(draw: Draw) -> Question | None:
    """M4: softmax over the wrong axis, with a causal mask: still causal? No (P7)."""
    scores = _scores(draw)
    changed = scores.copy()
    changed[2, 0] += draw.whole(1, 3)
    runs = tuple(_run("axis", s) for s in (scores, changed))
    before, after = (run["weights"][0, 0] for run in runs)
    first = (0, 0, 0)
    was, now = (printed(shown(run, "weights", first)) for run in runs)
    if was == now:  # the change would not be seen
        return None
    old, new = (exact_number(s[2, 0]) for s in (scores, changed))
    power = f"$e^{{{scores[2, 0]:g}}}$"
    still, no_longer = TEXTS("still"), TEXTS("no_longer")
    return _choice(
        draw,
        ask := Asking(TEXTS, "columns", power=power, old=old, new=new, before=was, after=now),
        still if np.array_equal(before, after) else no_longer,
        {still: "not_still", no_longer: "not_changed"},
        fact=ask("columns_fact"),
        tables=(question_table(_right(scores), "masked", TEXTS("masked_scores")),),
        evidence=tuple(
            Evidence(TEXTS("columns_evidence", score=score), run, "weights", first)
            for score, run in zip((old, new), runs, strict=True)
        ),
    )


@question_maker("underflow")
def underflow_question(draw: Draw) -> Question | None:
    """M15: does a very small score give a weight of exactly 0? In float64, below `UNDERFLOW`."""
    score = -draw.whole(10, 1000)
    weight = float(softmax().forward(np.array([[[0.0, score]]]))[0, 0, 1])
    limits = {"smallest": numeral(SMALLEST), "limit": numeral(UNDERFLOW, 0)}
    numbers = {"score": f"${score}$", "power": f"$e^{{{score}}}$", "weight": numeral(weight)}
    ask = Asking(TEXTS, "underflow", above=weight > 0, **numbers, **limits)
    zero, above, below = map(TEXTS, ("exactly_0", "above_0", "below_0"))
    hints: dict[str, str] = {zero: "not_0", above: "not_above", below: "not_below"}
    return _choice(draw, ask, above if weight else zero, hints)


@question_maker("empty-row")
def empty_row_question(draw: Draw) -> Question | None:
    """M16: what does the plain formula make of a row with every key hidden? NaN."""
    keys = draw.whole(2, 6)
    padded = draw.whole(0, keys - 1)
    visible = np.ones((keys, keys), dtype=bool)
    visible[padded] = False
    scores = np.array([draw.wholes(-2, 2, keys) for _ in range(keys)], dtype=float)
    plain = run_from_scores(scores, visible, MISTAKES["plain"].change(MASKED))
    rows = (run["weights"][0, padded] for run in (plain, run_from_scores(scores, visible)))
    written, ours = (comma_separated([operand_text(float(x), 2) for x in row]) for row in rows)
    formula = r"$\exp(s - \max s) / \sum \exp(s - \max s)$"
    made = {"formula": formula, "written": written, "ours": ours}
    ask = Asking(TEXTS, "no_key", padded=padded + 1, keys=keys, **made)
    nans, zeros, even = map(TEXTS, ("nan", "zeros", "even"))
    return _choice(
        draw,
        ask,
        nans if np.isnan(plain["weights"][0, padded]).all() else zeros,
        {nans: "", zeros: "not_zeros", even: "not_even"},
        fact=ask("no_key_fact"),
        evidence=(Evidence(TEXTS("no_key_evidence", row=padded + 1), plain, "weights"),),
    )


@question_maker("boolean-mask")
def boolean_question(draw: Draw) -> Question | None:
    """M18: what does True mean in a boolean mask? Keep in one function, block in the other."""
    function = draw.one_of((SDPA, MHA))
    kept = function == SDPA
    T = draw.whole(3, 5)
    i = draw.whole(1, T - 1)
    j = draw.whole(0, i - 1)
    given = np.zeros((T, T), dtype=bool)
    given[i, j] = True
    trace = run_of_equal_scores(given if kept else ~given)
    functions = {"function": function, "other": MHA if kept else SDPA, "keeps": SDPA, "blocks": MHA}
    ask = Asking(TEXTS, "boolean", tokens=T, query=i + 1, key=j + 1, kept=kept, **functions)
    sees, blocked = TEXTS("sees"), TEXTS("blocked")
    return _choice(
        draw,
        ask,
        sees if trace["weights"][0, i, j] > 0 else blocked,
        {sees: "not_sees", blocked: "not_blocked"},
        evidence=(Evidence(TEXTS("boolean_evidence"), trace, "weights", (0, i, j)),),
    )


@question_maker("cached-keys")
def cached_question(draw: Draw) -> Question | None:
    """M19: one query, many cached keys, is_causal=True: it sees only key 1 (upper left)."""
    keys = draw.whole(3, 9)
    mask = Rule("causal").mask(1, keys)[0]
    first, last = (TEXTS("only_key", key=key) for key in (1, keys))
    every = TEXTS("all_keys", keys=keys)
    answer = first if np.flatnonzero(mask).tolist() == [0] else every
    numbers, seen = (tuple(map(str, row)) for row in (range(1, keys + 1), mask.astype(int)))
    titles = TEXTS("cached_table"), TEXTS("key")
    table = QuestionTable(*titles, (TEXTS("new_query"),), numbers, (seen,), (0, 0))
    return _choice(
        draw,
        ask := Asking(TEXTS, "cached", keys=keys, function=SDPA, answer=answer, first=first),
        answer,
        {first: "", every: "not_all", last: "not_last"},
        fact=ask("cached_fact"),
        after=(table,),
    )


QUESTIONS = {
    TEXTS("title_late"): late_mask_question,
    TEXTS("title_fill"): zero_fill_question,
    TEXTS("title_renormalise"): renormalise_question,
    TEXTS("title_columns"): axis_question,
    TEXTS("title_underflow"): underflow_question,
    TEXTS("title_no_key"): empty_row_question,
    TEXTS("title_boolean"): boolean_question,
    TEXTS("title_cached"): cached_question,
}


def _run(mistake: str, scores: np.ndarray) -> Trace:
    """The run of these scores, masked causally, with a mistake of the lab."""
    return run_from_scores(scores, _causal(scores), MISTAKES[mistake].change(MASKED))


def _right(scores: np.ndarray, **pinned: np.ndarray) -> Trace:
    """The run of these scores, masked causally, without a mistake."""
    return run_from_scores(scores, _causal(scores), MASKED, **pinned)


def _causal(scores: np.ndarray) -> np.ndarray:
    return Rule("causal").mask(*scores.shape)


def _scores(draw: Draw) -> np.ndarray:
    return np.array([draw.wholes(-2, 2, 3) for _ in range(3)], dtype=float)
