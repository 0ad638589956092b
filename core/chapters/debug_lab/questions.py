"""The debug lab's questions (M1–M4, M15, M16, M18, M19). Answers are read from runs."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from core.attention.attention_mistakes import MISTAKES
from core.attention.from_scores import MASKED, run_from_scores, run_of_equal_scores
from core.attention.masks import Rule
from core.hash_random import Draw
from core.operations.softmax import softmax
from core.program.arithmetic import (
    ArithmeticLine,
    Call,
    Product,
    Quotient,
    Subtraction,
    Sum,
    arithmetic_line,
)
from core.program.display import shown
from core.program.rounding import CELL_DECIMALS, operand_text
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    QuestionTable,
    WrongAnswer,
    question_maker,
    question_table,
)
from core.questions.texts import (
    comma_separated,
    equation,
    exact_number,
    numeral,
    printed,
    sum_of_wholes,
    sum_text,
    typeset_number,
    worked,
)
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
TOLERANCE = 0.01
SAME, DIFFERENT, LARGER = TEXTS("same"), TEXTS("different"), TEXTS("larger")
STILL, NO_LONGER = TEXTS("still"), TEXTS("no_longer")
ZERO, ABOVE, NEGATIVE = TEXTS("exactly_0"), TEXTS("above_0"), TEXTS("below_0")
NANS, ZEROS, EVEN = TEXTS("nan"), TEXTS("zeros"), TEXTS("even")
SDPA, MHA = "F.scaled_dot_product_attention", "nn.MultiheadAttention"
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
"""The smallest float64 above 0."""
UNDERFLOW = math.log(SMALLEST) - math.log(2)
"""Where exp rounds to 0: half of the smallest number is as near to it as to nothing."""
SEES, BLOCKED = TEXTS("sees"), TEXTS("blocked")


@question_maker("mask-after-softmax")
def late_mask_question(draw: Draw) -> Question | None:
    """M1: masked after softmax, what does a row add up to? (P6: ¼)"""
    T = draw.whole(2, 4)
    counts = [draw.wholes(1, 4, T) for _ in range(T)]
    row = draw.whole(0, T - 2)
    trace = _run("after", np.log(np.array(counts, dtype=float)))
    answer, every = float(trace["weights"][0, row].sum()), sum(counts[row])
    seen = counts[row][: row + 1]
    scores = ", ".join(rf"$\ln {n}$" for n in counts[row])
    powers = ", ".join(f"${n}$" for n in counts[row])

    def would_mean(given: float) -> str:
        if not 0 <= given <= 1:
            return TEXTS("late_range")
        visible = equation(Product((typeset_number(given), *sum_of_wholes(every))))
        return TEXTS("late_means", total=every, visible=visible)

    return Question(
        id="",
        prompt=TEXTS("late", row=row + 1, scores=scores),
        kind=NumberAnswer(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("late_first"), 1.0, TEXTS("late_first_why")),
            WrongAnswer(TEXTS("late_lost"), 1 - answer, TEXTS("late_lost_why")),
            WrongAnswer(
                TEXTS("late_undivided"),
                float(sum(seen)),
                TEXTS("late_undivided_why", powers=powers, total=every),
            ),
        ),
        hint=TEXTS("late_hint"),
        explanation=TEXTS("late_answer", powers=powers),
        working=(
            *(arithmetic_line(sum_text(some), 0) for some in (seen, counts[row]) if len(some) > 1),
            arithmetic_line(Quotient(*sum_of_wholes(sum(seen), every)), CELL_DECIMALS, trim=False),
        ),
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
    kind = NumberAnswer(TOLERANCE)

    def made(decimals: int) -> tuple[ArithmeticLine, ...]:
        own_share = arithmetic_line(Call("exp", sum_of_wholes(own)), decimals)
        parts = (own_share.right, *sum_of_wholes(*[1] * hidden))
        return (
            own_share,
            arithmetic_line(Call("exp", sum_of_wholes(0)), 0),
            summed := arithmetic_line(Sum(parts), decimals),
            arithmetic_line(Quotient(typeset_number(hidden), summed.right), decimals),
        )

    def would_mean(given: float) -> str:
        if not 0 < given < 1:
            return TEXTS("fill_range")
        each = equation(Quotient(typeset_number(given), *sum_of_wholes(hidden)))
        stays = equation(Subtraction(typeset_number(1), typeset_number(given)))
        return TEXTS("fill_means", each=each, stays=stays, ratio=f"$e^{{{own}}}$")

    return Question(
        id="",
        prompt=TEXTS("fill", tokens=T, own=own, hidden=hidden),
        kind=kind,
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("fill_none"), 0.0, TEXTS("fill_none_why")),
            WrongAnswer(TEXTS("fill_one"), float(weights[1]), TEXTS("fill_one_why", hidden=hidden)),
            WrongAnswer(TEXTS("fill_own"), float(weights[0]), TEXTS("fill_own_why")),
        ),
        hint=TEXTS("fill_hint", own=own, hidden=hidden),
        explanation=TEXTS("fill_answer"),
        working=worked(kind.text(answer), made),
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("fill_evidence"), trace, "weights"),),
    )


@question_maker("renormalise")
def renormalise_question(draw: Draw) -> Question | None:
    """M3: mask after softmax and then renormalise: other weights than masking first? No."""
    scores = _scores(draw, 3)
    late = _run("after", scores)["weights"][0]
    divided = late / late.sum(axis=-1, keepdims=True)
    first, again = _right(scores), _right(scores, weights=divided)
    same = bool(np.allclose(divided, first["weights"][0], rtol=0, atol=1e-12))
    one, other = (exact_number(x) for x in scores[1, :2])
    return _choice(
        TEXTS("renormalise"),
        (SAME, DIFFERENT, LARGER),
        SAME if same else DIFFERENT,
        {
            DIFFERENT: TEXTS("not_different", one=one, other=other),
            LARGER: TEXTS("not_larger"),
            SAME: TEXTS("not_same"),
        },
        TEXTS("renormalise_hint"),
        TEXTS("renormalise_answer"),
        fact=TEXTS("renormalise_fact"),
        tables=(question_table(first, "masked", TEXTS("masked_scores")),),
        evidence=(
            Evidence(TEXTS("masked_first"), first, "weights"),
            Evidence(TEXTS("masked_later"), again, "weights"),
        ),
    )


@question_maker("wrong-axis")
def axis_question(draw: Draw) -> Question | None:
    """M4: softmax over the wrong axis, with a causal mask: still causal? No (P7)."""
    scores = _scores(draw, 3)
    changed = scores.copy()
    changed[2, 0] += draw.whole(1, 3)
    runs = tuple(_run("axis", s) for s in (scores, changed))
    before, after = (run["weights"][0, 0] for run in runs)
    first = (0, 0, 0)
    texts = [shown(run, "weights", first) for run in runs]
    if texts[0] == texts[1]:  # the change would not be seen
        return None
    old, new = (exact_number(s[2, 0]) for s in (scores, changed))
    was, now = map(printed, texts)
    return _choice(
        TEXTS("columns"),
        (STILL, NO_LONGER),
        NO_LONGER if not np.array_equal(before, after) else STILL,
        {
            STILL: TEXTS("not_still", power=f"$e^{{{scores[2, 0]:g}}}$"),
            NO_LONGER: TEXTS("not_changed"),
        },
        TEXTS("columns_hint"),
        TEXTS("columns_answer", old=old, new=new, before=was, after=now),
        fact=TEXTS("columns_fact"),
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
    smallest, power = numeral(SMALLEST), f"$e^{{{score}}}$"
    return _choice(
        TEXTS("underflow", score=f"${score}$"),
        (ZERO, ABOVE, NEGATIVE),
        ABOVE if weight else ZERO,
        {
            ZERO: TEXTS("not_0", smallest=smallest, power=power),
            ABOVE: TEXTS("not_above", power=power),
            NEGATIVE: TEXTS("not_below"),
        },
        TEXTS("underflow_hint", smallest=smallest),
        TEXTS(
            "underflow_answer",
            above=weight > 0,
            weight=numeral(weight),
            limit=numeral(UNDERFLOW, 0),
        ),
    )


@question_maker("empty-row")
def empty_row_question(draw: Draw) -> Question | None:
    """M16: what does the plain formula make of a row with every key hidden? NaN."""
    keys = draw.whole(2, 6)
    padded = draw.whole(0, keys - 1)
    visible = np.ones((keys, keys), dtype=bool)
    visible[padded] = False
    scores = np.array([draw.wholes(-2, 2, keys) for _ in range(keys)], dtype=float)
    plain = run_from_scores(scores, visible, MISTAKES["plain"].change(MASKED))
    row = plain["weights"][0, padded]
    ours = run_from_scores(scores, visible)["weights"][0, padded]
    found = NANS if np.isnan(row).all() else ZEROS
    written, zeros = (
        comma_separated([operand_text(float(x), 2) for x in made]) for made in (row, ours)
    )
    formula = r"$\exp(s - \max s) / \sum \exp(s - \max s)$"
    return _choice(
        TEXTS("no_key", padded=padded + 1, keys=keys, formula=formula),
        (NANS, ZEROS, EVEN),
        found,
        {ZEROS: TEXTS("not_zeros"), EVEN: TEXTS("not_even")},
        TEXTS("no_key_hint"),
        TEXTS("no_key_answer", written=written, ours=zeros),
        fact=TEXTS("no_key_fact"),
        evidence=(Evidence(TEXTS("no_key_evidence", row=padded + 1), plain, "weights"),),
    )


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
    return _choice(
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
    return _choice(
        TEXTS("cached", keys=keys, function=SDPA),
        (first, every, last),
        answer,
        {every: TEXTS("not_all", keys=keys), last: TEXTS("not_last", keys=keys)},
        TEXTS("cached_hint"),
        TEXTS("cached_answer", answer=answer),
        fact=TEXTS("cached_fact", first=first),
        after=(
            QuestionTable(
                TEXTS("cached_table"), TEXTS("key"), (TEXTS("new_query"),),
                tuple(str(n + 1) for n in range(keys)), (row,), (0, 0),
            ),
        ),
    )  # fmt: skip


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    TEXTS("title_late"): late_mask_question,
    TEXTS("title_fill"): zero_fill_question,
    TEXTS("title_renormalise"): renormalise_question,
    TEXTS("title_columns"): axis_question,
    TEXTS("title_underflow"): underflow_question,
    TEXTS("title_no_key"): empty_row_question,
    TEXTS("title_boolean"): boolean_question,
    TEXTS("title_cached"): cached_question,
})  # fmt: skip


def _run(mistake: str, scores: np.ndarray) -> Trace:
    T = len(scores)
    return run_from_scores(scores, Rule("causal").mask(T, T), MISTAKES[mistake].change(MASKED))


def _right(scores: np.ndarray, **pinned: np.ndarray) -> Trace:
    T = len(scores)
    return run_from_scores(scores, Rule("causal").mask(T, T), MASKED, **pinned)


def _scores(draw: Draw, T: int) -> np.ndarray:
    return np.array([draw.wholes(-2, 2, T) for _ in range(T)], dtype=float)


def _choice(
    prompt: str,
    options: tuple[str, ...],
    answer: str,
    reasons: Mapping[str, str],
    hint: str,
    explanation: str,
    **more: Any,
) -> Question:
    """A choice; for every option but the answer there is a reason why it is not that one."""
    wrong = tuple(
        WrongAnswer(TEXTS("chosen", option=option), option, reasons[option])
        for option in options
        if option != answer
    )
    return Question("", prompt, Choice(options), answer, wrong, explanation, hint, **more)
