"""The debug lab's questions (M1–M4, M15, M16, M18, M19). Answers are read from runs."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from core.attention.from_scores import MASKED, run_from_scores, run_of_equal_scores
from core.attention.masks import Rule
from core.attention.mistakes import MISTAKES
from core.draws import Draw
from core.operations.softmax import softmax
from core.program.arithmetic import Call, Difference, Line, Product, Quotient, Sum, line
from core.program.display import shown
from core.program.rounding import CELL_DECIMALS, operand_text
from core.program.trace import Trace
from core.questions.answers import Choice, Number
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    Table,
    WrongAnswer,
    question_maker,
    table,
)
from core.questions.texts import (
    equation,
    exact,
    listed,
    number,
    numeral,
    printed,
    total,
    whole,
    worked,
)

TOLERANCE = 0.01
SAME, DIFFERENT, LARGER = "the same", "different, some larger and some smaller", "all larger"
STILL, NO_LONGER = "yes, still causal", "no"
ZERO, ABOVE, NEGATIVE = "exactly 0", "more than 0", "less than 0"
NANS, ZEROS, EVEN = "NaN", "zeros", "equal shares"
SDPA, MHA = "F.scaled_dot_product_attention", "nn.MultiheadAttention"
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
"""The smallest float64 above 0."""
UNDERFLOW = math.log(SMALLEST) - math.log(2)
"""Where exp rounds to 0: half of the smallest number is as near to it as to nothing."""
SEES, BLOCKED = "yes, it sees that key", "no, it does not"


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
    exponentials = ", ".join(f"${n}$" for n in counts[row])

    def would_mean(given: float) -> str:
        if not 0 <= given <= 1:
            return "Softmax makes a row of sum $1$. Setting weights to $0$ can only lower it."
        visible = equation(Product((number(given), *whole(every))))
        return (
            f"Softmax divides each exponential by the sum of all, {every}. Then the visible "
            f"exponentials would add up to {visible}."
        )

    return Question(
        id="",
        prompt=(
            f"Row {row + 1} of the scores is {scores}. A program takes softmax first and then sets "
            f"the weights of the keys after key {row + 1} to 0. What does the row of weights add "
            "up to?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer("you masked first", 1.0,
                        "Masked before softmax a row adds up to 1. Here the shares are dealt out "
                        "before any key is hidden."),
            WrongAnswer("you took what is lost", 1 - answer,
                        "That is the share of the hidden keys, which is now gone."),
            WrongAnswer("you forgot to divide", float(sum(seen)),
                        f"$e$ to the scores is {exponentials}; divide by their sum, {every}."),
        ),
        hint=r"$e^{\ln n}$ is $n$. Work out softmax of the whole row, then drop the hidden keys.",
        explanation=(
            f"$e$ to the scores is {exponentials}. Softmax divides each by the sum of all of them, "
            "and the keys that are hidden afterwards take their share with them."
        ),
        working=(
            *(line(total(some), 0) for some in (seen, counts[row]) if len(some) > 1),
            line(Quotient(*whole(sum(seen), every)), CELL_DECIMALS, trim=False),
        ),
        would_mean=would_mean,
        evidence=(Evidence("Masked after softmax", trace, "weights"),),
    )  # fmt: skip


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
    kind = Number(TOLERANCE)

    def made(decimals: int) -> tuple[Line, ...]:
        own_share = line(Call("exp", whole(own)), decimals)
        parts = (own_share.right, *whole(*[1] * hidden))
        return (
            own_share, line(Call("exp", whole(0)), 0), summed := line(Sum(parts), decimals),
            line(Quotient(number(hidden), summed.right), decimals),
        )  # fmt: skip

    def would_mean(given: float) -> str:
        if not 0 < given < 1:
            return "It is a share of the row's weight, between $0$ and $1$."
        each = equation(Quotient(number(given), *whole(hidden)))
        stays = equation(Difference(number(1), number(given)))
        return (
            f"Then each hidden key would get {each}, and the token itself {stays}. The second of "
            f"them divided by the first has to be $e^{{{own}}}$: is it?"
        )

    return Question(
        id="",
        prompt=(
            f"The first of {T} tokens has the score {own} with itself; the {hidden} after it are "
            "hidden by setting their scores to 0. How much of its weight leaks to them, in all?"
        ),
        kind=kind,
        answer=answer,
        wrong=(
            WrongAnswer("you took 0 for −∞", 0.0,
                        r"$e^0$ is $1$, not $0$. Only a score of $-\infty$ gives a weight of "
                        "exactly 0."),
            WrongAnswer("you took one hidden key", float(weights[1]),
                        f"There are {hidden} of them, each with this share."),
            WrongAnswer("you took what stays", float(weights[0]),
                        "That is the weight on the token itself; asked is the rest."),
        ),
        hint=f"The row of scores is {own} and {hidden} times 0. What is $e$ to each of them?",
        explanation=(
            r"A score of $0$ is no refusal, because $e^0$ is $1$: each hidden key takes its share."
        ),
        working=worked(kind.text(answer), made),
        would_mean=would_mean,
        evidence=(Evidence("Hidden scores set to 0", trace, "weights"),),
    )  # fmt: skip


@question_maker("renormalise")
def renormalise_question(draw: Draw) -> Question | None:
    """M3: mask after softmax and then renormalise: other weights than masking first? No."""
    scores = _scores(draw, 3)
    late = _run("after", scores)["weights"][0]
    divided = late / late.sum(axis=-1, keepdims=True)
    first, again = _right(scores), _right(scores, weights=divided)
    same = bool(np.allclose(divided, first["weights"][0], rtol=0, atol=1e-12))
    one, other = (exact(x) for x in scores[1, :2])
    return _choice(
        "These are the scores, the future masked. A program takes softmax of all the scores, then "
        "sets the weights of future keys to 0, then divides each row by its sum. How do the "
        "weights compare with those of masking before softmax?",
        (SAME, DIFFERENT, LARGER),
        SAME if same else DIFFERENT,
        {DIFFERENT: f"In row 2 the visible scores are {one} and {other}. Either way the two "
                    "weights have the ratio of $e$ to these scores, and add up to 1.",
         LARGER: "Each row adds up to 1 either way, so its weights cannot all be larger.",
         SAME: "The rows differ."},
        "By what is the row divided in the end: which of the two sums is still in it?",
        "Softmax's own sum cancels when the row is divided again. It fails only where all visible "
        "exponentials underflow.",
        fact="Masking after softmax and dividing each row by its sum gives the weights of masking "
             "first, unless all visible exponentials underflow.",
        tables=(table(first, "masked", "Scores, the future masked"),),
        evidence=(
            Evidence("Masked before softmax", first, "weights"),
            Evidence("Masked after it, rows divided by their sums", again, "weights"),
        ),
    )  # fmt: skip


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
    old, new = (exact(s[2, 0]) for s in (scores, changed))
    return _choice(
        "The future is masked, but softmax runs down the columns, over the queries. Does row 1 "
        "still depend on nothing that comes after token 1?",
        (STILL, NO_LONGER),
        NO_LONGER if not np.array_equal(before, after) else STILL,
        {STILL: f"Column 1 is divided by its sum, and $e^{{{scores[2, 0]:g}}}$ of query 3 is a "
                "part of that sum.",
         NO_LONGER: "Nothing changed."},
        "By which sum is the weight of query 1 on key 1 divided, and whose scores are in it?",
        f"When the score of query 3 with key 1 goes from {old} to {new}, the weight of query 1 on "
        f"key 1 goes from {printed(texts[0])} to {printed(texts[1])}.",
        fact="With softmax over the queries, what a later token scores changes the rows before it: "
             "the weights are not causal, although the future is masked.",
        tables=(table(_right(scores), "masked", "Scores, the future masked"),),
        evidence=(
            Evidence(f"Weights, query 3 scoring key 1 with {old}", runs[0], "weights", first),
            Evidence(f"Weights, query 3 scoring key 1 with {new}", runs[1], "weights", first),
        ),
    )  # fmt: skip


@question_maker("underflow")
def underflow_question(draw: Draw) -> Question | None:
    """M15: does a very small score give a weight of exactly 0? In float64, below `UNDERFLOW`."""
    score = -draw.whole(10, 1000)
    weight = float(softmax().forward(np.array([[[0.0, score]]]))[0, 0, 1])
    size = f"about {numeral(weight)}" if weight else "exactly $0$"
    smallest, limit = numeral(SMALLEST), numeral(UNDERFLOW, 0)
    return _choice(
        f"A row has two visible keys with the scores $0$ and ${score}$. What is the weight of the "
        "second in float64?",
        (ZERO, ABOVE, NEGATIVE),
        ABOVE if weight else ZERO,
        {ZERO: rf"float64 holds numbers down to about {smallest}, and $e^{{{score}}}$ is larger.",
         ABOVE: f"$e^{{{score}}}$ is smaller than any float64 above 0: it underflows.",
         NEGATIVE: "No power of $e$ is below 0, whatever the score."},
        f"$e$ to the score, against the smallest float64 above 0, about {smallest}. "
        r"($e^{-2.3} \approx 0.1$.)",
        f"The weight comes out as {size}. In exact arithmetic only $-\\infty$ gives 0; in float64 "
        f"exp underflows below about {limit}, which is what a large additive mask relies on.",
    )  # fmt: skip


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
    return _choice(
        f"Token {padded + 1} of {keys} is padding and may see none of the {keys} keys: every score "
        "of its row is $-\\infty$. What does the formula "
        r"$\exp(s - \max s) / \sum \exp(s - \max s)$, as written, give for the row?",
        (NANS, ZEROS, EVEN),
        found,
        {ZEROS: r"$-\infty - (-\infty)$ is not a number, and what is computed from it is not one "
                "either.",
         EVEN: r"Equal finite scores would share 1; these are not finite, and "
               r"$-\infty - (-\infty)$ is no finite number."},
        r"Begin with $s - \max s$ where both are $-\infty$.",
        f"As written: {listed([operand_text(float(x), 2) for x in row])}. This product gives such "
        f"a row {listed([operand_text(float(x), 2) for x in ours])}: a row without a key reads "
        "nothing. In PyTorch `F.scaled_dot_product_attention` gives zeros too, and `torch.softmax` "
        "gives NaN.",
        fact="Softmax as it is written gives NaN for a row without a visible key. Such a row needs "
             "a case of its own.",
        evidence=(
            Evidence(f"Weights as written, row {padded + 1} without a key", plain, "weights"),
        ),
    )  # fmt: skip


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
    means = "takes part" if function == SDPA else "do not attend"
    return _choice(
        f"You pass `{function}` a boolean `attn_mask` for {T} tokens that is True at query "
        f"{i + 1}, key {j + 1} and False elsewhere. Does query {i + 1} then see key {j + 1}?",
        (SEES, BLOCKED),
        SEES if trace["weights"][0, i, j] > 0 else BLOCKED,
        {SEES: f"In `{MHA}` True means: do not attend.",
         BLOCKED: f"In `{SDPA}` True means: takes part."},
        f"`{SDPA}` and `{MHA}` read a boolean mask in opposite ways. Which one keeps where it is "
        "True?",
        f"In `{function}` True means: {means}. In `{MHA if function == SDPA else SDPA}` it means "
        "the opposite: one mask given to both trains a model on what it should not see.",
        evidence=(
            Evidence("Weights of equal scores under that mask", trace, "weights", (0, i, j)),
        ),
    )  # fmt: skip


@question_maker("cached-keys")
def cached_question(draw: Draw) -> Question | None:
    """M19: one query, many cached keys, is_causal=True: it sees only key 1 (upper left)."""
    keys = draw.whole(3, 9)
    mask = Rule("causal").mask(1, keys)[0]
    options = ("only key 1", f"all {keys} keys", f"only key {keys}")
    answer = options[0] if np.flatnonzero(mask).tolist() == [0] else options[1]
    row = tuple(str(int(visible)) for visible in mask)
    return _choice(
        f"While generating, one new query meets {keys} cached keys, its own the last. You pass "
        f"`is_causal=True` to `{SDPA}`. Which keys does the query see?",
        options,
        answer,
        {options[1]: "That is what was meant. But rows are counted from the first query given: the "
                     f"one here has $i = 1$, and key {keys} would need $j \\le 1$.",
         options[2]: f"Key {keys} comes last, and $j \\le i$ fails for it: the one query given has "
                     "$i = 1$."},
        r"`is_causal` builds $j \le i$, with $i$ counted from the first query given. Which $i$ has "
        "the new query?",
        "The mask is aligned at the upper left corner: the new query is row 1 of 1, so it sees "
        f"{answer}. With one new query and a cache no mask is needed at all.",
        fact="`is_causal=True` is aligned at the upper left corner: a single query sees "
             f"{options[0]}.",
        after=(
            Table(
                "What the new query sees with `is_causal=True`: 1 is visible", "key",
                ("the new query",), tuple(str(n + 1) for n in range(keys)), (row,), (0, 0),
            ),
        ),
    )  # fmt: skip


DEBUG_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Mask after softmax": late_mask_question,
    "0 for −∞": zero_fill_question,
    "Renormalised": renormalise_question,
    "Wrong axis": axis_question,
    "Very small score": underflow_question,
    "No visible key": empty_row_question,
    "What True means": boolean_question,
    "Cached keys": cached_question,
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
        WrongAnswer(f"you chose “{option}”", option, reasons[option])
        for option in options
        if option != answer
    )
    return Question("", prompt, Choice(options), answer, wrong, explanation, hint, **more)
