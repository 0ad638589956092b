"""Questions about softmax or a mask in the wrong place (M1–M4). Answers are read from runs."""

import numpy as np

from core.attention.from_scores import MASKED, run_from_scores
from core.attention.masks import Rule
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.chapters.debug_lab.reasoned_choice import reasoned_choice
from core.hash_random import Draw
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    Product,
    Quotient,
    Subtraction,
    Sum,
    arithmetic_line,
)
from core.program.numbers.display import shown
from core.program.numbers.rounding import CELL_DECIMALS
from core.program.trace import Trace
from core.questions.answers import NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    WrongAnswer,
    question_maker,
    question_table,
)
from core.questions.texts import (
    equation,
    exact_number,
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
    return reasoned_choice(
        draw,
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
    return reasoned_choice(
        draw,
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


def _run(mistake: str, scores: np.ndarray) -> Trace:
    """The run of these scores, masked causally, with a mistake of the lab."""
    return run_from_scores(scores, _causal(scores), MISTAKES[mistake].change(MASKED))


def _right(scores: np.ndarray, **pinned: np.ndarray) -> Trace:
    """The run of these scores, masked causally, without a mistake."""
    return run_from_scores(scores, _causal(scores), MASKED, **pinned)


def _causal(scores: np.ndarray) -> np.ndarray:
    return Rule("causal").mask(*scores.shape)


def _scores(draw: Draw, T: int) -> np.ndarray:
    return np.array([draw.wholes(-2, 2, T) for _ in range(T)], dtype=float)
