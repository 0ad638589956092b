"""The debug lab's questions (M1–M4, M15, M16, M18, M19). Answers are read from runs."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.from_scores import MASKED, run_from_scores, run_of_equal_scores
from core.attention.masks import Rule
from core.attention.mistakes import MISTAKES
from core.draws import Draw
from core.operations.mistaken import plain_softmax
from core.operations.softmax import softmax
from core.program.rounding import decimal_text, operand_text, typeset
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

TOLERANCE = 0.01
SAME, DIFFERENT = "the same", "different"
STILL, NO_LONGER = "yes, still causal", "no"
ZERO, ABOVE = "exactly 0", "more than 0"
NANS, ZEROS, EVEN = "NaN", "zeros", "equal shares"
SDPA, MHA = "F.scaled_dot_product_attention", "nn.MultiheadAttention"
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
"""The smallest float64 above 0."""
UNDERFLOW = math.log(SMALLEST) - math.log(2)
"""Where exp rounds to 0: half of the smallest number is as near to it as to nothing."""
SEES, BLOCKED = "query sees that key", "query does not see that key"


@question_maker("mask-after-softmax")
def late_mask_question(draw: Draw) -> Question | None:
    """M1: masked after softmax, what does a row add up to? (P6: ¼)"""
    T = draw.whole(2, 4)
    counts = [draw.wholes(1, 4, T) for _ in range(T)]
    row = draw.whole(0, T - 2)
    trace = _run("after", np.log(np.array(counts, dtype=float)))
    weights = trace["weights"][0, row]
    answer, total = float(weights.sum()), sum(counts[row])
    return Question(
        id="",
        prompt=(
            f"Row {row + 1} of the scores is {_list(f'ln {n}' for n in counts[row])}. Somebody "
            f"takes softmax first and then sets the weights of the keys after key {row + 1} to 0. "
            "What does the row of weights add up to?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer("you masked first", 1.0,
                        "Masked before softmax a row adds up to 1. Here the shares are dealt out "
                        "before anybody is hidden."),
            WrongAnswer("you took what is lost", 1 - answer,
                        "That is the share of the hidden keys, which is now gone."),
            WrongAnswer("you forgot to divide", float(sum(counts[row][: row + 1])),
                        f"e to the scores is {_list(counts[row])}; divide by their sum, {total}."),
        ),
        explanation=(
            f"e to the scores is {_list(counts[row])}, together {total}. The visible ones keep "
            f"{sum(counts[row][: row + 1])} of {total} = {decimal_text(answer)}."
        ),
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
    return Question(
        id="",
        prompt=(
            f"The first of {T} tokens has the score {own} with itself; the {hidden} after it are "
            "hidden by setting their scores to 0. How much of its weight leaks to them, in all?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer("you took 0 for −∞", 0.0,
                        "e⁰ = 1, not 0. Only a score of −∞ gives a weight of exactly 0."),
            WrongAnswer("you took one hidden key", float(weights[1]),
                        f"There are {hidden} of them, each with this share."),
            WrongAnswer("you took what stays", float(weights[0]),
                        "That is the weight on the token itself; asked is the rest."),
        ),
        explanation=(
            f"The row is e^{own} = {decimal_text(math.exp(own))} and {hidden} times e⁰ = 1: "
            f"{hidden} / ({decimal_text(math.exp(own))} + {hidden}) = {decimal_text(answer)}."
        ),
        evidence=(Evidence("Hidden scores set to 0", trace, "weights"),),
    )  # fmt: skip


@question_maker("renormalise")
def renormalise_question(draw: Draw) -> Question | None:
    """M3: mask after softmax and then renormalise: other weights than masking first? No."""
    scores = _scores(draw, 3)
    late = _run("after", scores)["weights"]
    renormalised = late / late.sum(axis=-1, keepdims=True)
    first = _right(scores)
    same = bool(np.allclose(renormalised, first["weights"], rtol=0, atol=1e-12))
    change = decimal_text(float(np.abs(renormalised - first["weights"]).max()))
    return _choice(
        "Somebody takes softmax, then sets the weights of future keys to 0, then divides each row "
        "by its sum. Compared with masking before softmax, the weights are",
        (SAME, DIFFERENT),
        SAME if same else DIFFERENT,
        {DIFFERENT: "Both divide e to the visible scores by the same sum; the first sum cancels.",
         SAME: "The rows differ."},
        f"The largest difference here is {change}. Softmax's own sum cancels when the row is "
        "divided again. It fails only where all visible exponentials underflow.",
        (table(first, "masked", "Scores, the future masked"),),
    )  # fmt: skip


@question_maker("wrong-axis")
def axis_question(draw: Draw) -> Question | None:
    """M4: softmax over the wrong axis, with a causal mask: still causal? No (P7)."""
    scores = _scores(draw, 3)
    changed = scores.copy()
    changed[2, 0] += draw.whole(1, 3)
    before, after = (_run("axis", s)["weights"][0, 0] for s in (scores, changed))
    shown = [decimal_text(float(w[0])) for w in (before, after)]
    return _choice(
        "The future is masked with −∞, but softmax runs down the columns, over the queries. Does "
        "row 1 still depend on nothing that comes after token 1?",
        (STILL, NO_LONGER),
        NO_LONGER if not np.array_equal(before, after) else STILL,
        {STILL: "A column's sum holds later queries too, so they change what row 1 reads.",
         NO_LONGER: "Nothing changed."},
        f"When the score of query 3 with key 1 goes from {typeset(decimal_text(scores[2, 0]))} to "
        f"{typeset(decimal_text(changed[2, 0]))}, the weight of query 1 on key 1 goes from "
        f"{shown[0]} to {shown[1]}.",
        (table(_right(scores), "masked", "Scores, the future masked"),),
    )  # fmt: skip


@question_maker("underflow")
def underflow_question(draw: Draw) -> Question | None:
    """M15: does a very small score give a weight of exactly 0? In float64, below `UNDERFLOW`."""
    score = -draw.whole(10, 1000)
    weight = float(softmax().forward(np.array([[[0.0, score]]]))[0, 0, 1])
    size = decimal_text(weight) if weight else "0"
    return _choice(
        f"A row has two visible keys with the scores 0 and {typeset(str(score))}. In float64, the "
        "weight of the second is",
        (ZERO, ABOVE),
        ABOVE if weight else ZERO,
        {ZERO: f"float64 holds numbers down to some {typeset(decimal_text(SMALLEST))}; this weight "
               f"is {size}.",
         ABOVE: "e to the score is smaller than any float64 above 0: it underflows."},
        f"e^{typeset(str(score))} comes out as {size}. In exact arithmetic only −∞ gives 0; in "
        f"float64 exp underflows below about {typeset(decimal_text(UNDERFLOW, 0))}, which is what "
        "a large additive mask relies on.",
    )  # fmt: skip


@question_maker("empty-row")
def empty_row_question(draw: Draw) -> Question | None:
    """M16: what does the plain formula make of a row with every key hidden? NaN."""
    keys = draw.whole(2, 6)
    row = np.full((1, 1, keys), -np.inf)
    plain, ours = (operation.forward(row)[0, 0] for operation in (plain_softmax(), softmax()))
    found = NANS if np.isnan(plain).all() else ZEROS
    return _choice(
        f"A padded token may see none of its {keys} keys: every score of its row is −∞. What does "
        "exp(s − max s) / Σ exp(s − max s), as written, give for the row?",
        (NANS, ZEROS, EVEN),
        found,
        {ZEROS: "−∞ − (−∞) is not a number, and what is computed from it is not one either.",
         EVEN: "Equal finite scores would share 1; −∞ − (−∞) is not a number."},
        f"As written: {_list(operand_text(x, 2) for x in plain)}. Here the row gives "
        f"{_list(operand_text(x, 2) for x in ours)}, as F.scaled_dot_product_attention does in "
        "recent versions of PyTorch: a row without a key reads nothing. torch.softmax of such a "
        "row is NaN.",
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
    weight = run_of_equal_scores(visible)["weights"][0, i, j]
    other = "keep" if function == SDPA else "block"
    return _choice(
        f"You pass {function} a boolean attn_mask that is True at query {i + 1}, key {j + 1} and "
        "False elsewhere. Then the",
        (SEES, BLOCKED),
        SEES if weight > 0 else BLOCKED,
        {SEES: "In nn.MultiheadAttention True means: do not attend.",
         BLOCKED: "In F.scaled_dot_product_attention True means: takes part."},
        f"In {function} True means {other}. In {MHA if function == SDPA else SDPA} it means the "
        "opposite: one mask given to both trains a model on what it should not see.",
    )  # fmt: skip


@question_maker("cached-keys")
def cached_question(draw: Draw) -> Question | None:
    """M19: one query, many cached keys, is_causal=True: it sees only key 1 (upper left)."""
    keys = draw.whole(3, 9)
    seen = np.flatnonzero(Rule("causal").mask(1, keys)[0])
    options = ("only key 1", f"all {keys} keys", f"only key {keys}")
    answer = options[0] if seen.tolist() == [0] else options[1]
    return _choice(
        f"While generating, one new query meets {keys} cached keys, its own the last. You pass "
        "is_causal=True to F.scaled_dot_product_attention. The query sees",
        options,
        answer,
        {options[1]: "That is what was meant, but the mask's corner is the upper left one: key j "
                     "is seen where j ≤ i, and the one query given has i = 1.",
         options[2]: "The mask is aligned at the upper left corner, not at the lower right."},
        f"is_causal builds j ≤ i with i counted from the first query given: row 1 of 1, so {answer}"
        ". With one new query and a cache no mask is needed at all.",
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


def _right(scores: np.ndarray) -> Trace:
    T = len(scores)
    return run_from_scores(scores, Rule("causal").mask(T, T))


def _scores(draw: Draw, T: int) -> np.ndarray:
    return np.array([draw.wholes(-2, 2, T) for _ in range(T)], dtype=float)


def _choice(
    prompt: str,
    options: tuple[str, ...],
    answer: str,
    hints: Mapping[str, str],
    explanation: str,
    tables: tuple[Table, ...] = (),
) -> Question:
    """A choice; every option but the answer is a mistake with its hint."""
    wrong = tuple(
        WrongAnswer("not so", option, hints[option]) for option in options if option != answer
    )
    return Question("", prompt, Choice(options), answer, wrong, explanation, tables)


def _list(parts: object) -> str:
    return ", ".join(map(str, parts))  # type: ignore[call-overload]
