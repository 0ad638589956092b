"""The questions on queries, keys and values. Their answers are read from runs, or counted."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.chapters.queries_keys_values.ladder import ladder_program
from core.chapters.queries_keys_values.parameters import Budget
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import Product, Quotient, Sum, arithmetic_line
from core.program.numbers.rounding import operand_text
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    QuestionTable,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import (
    about,
    comma_separated,
    equation,
    exact_number,
    maths,
    sum_of_wholes,
    typeset_number,
)
from core.texts import core_texts

TEXTS = core_texts("queries_keys_values")
PROJECTED = ladder_program(2)
WEIGHED = ladder_program(3)
CLEAR_CHANGE = 0.05
"""A change of the weights must be at least this large somewhere, to be seen at two decimals."""
SMALLER, SAME, LARGER = map(TEXTS, ("smaller", "same", "larger"))
NOTHING, BASIS, CHANGE = map(TEXTS, ("nothing_changes", "basis_changes", "weights_change"))

_WORDS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin", "red", "ball", "slow")
Pair = tuple[np.ndarray, np.ndarray]
_QUARTER_TURN = np.array([[0, 1], [-1, 0]])
_SWAPPED = np.array([[0, 1], [1, 0]])
"""Multiplying by it exchanges the two columns."""
_CHANGES: tuple[tuple[str, Callable[[np.ndarray, np.ndarray], Pair]], ...] = (
    ("doubled_and_halved", lambda Q, K: (2 * Q, K / 2)),
    ("halved_and_times_4", lambda Q, K: (Q / 2, 4 * K)),
    ("both_doubled", lambda Q, K: (2 * Q, 2 * K)),
    ("one_sign", lambda Q, K: (-Q, K)),
    ("both_signs", lambda Q, K: (-Q, -K)),
    ("columns_of_one", lambda Q, K: (Q @ _SWAPPED, K)),
    ("columns_of_both", lambda Q, K: (Q @ _SWAPPED, K @ _SWAPPED)),
    ("quarter_turn", lambda Q, K: (Q @ _QUARTER_TURN, K @ _QUARTER_TURN)),
    ("exchanged", lambda Q, K: (K, Q)),
)
"""What may be done to W_Q and W_K, by the id of its text."""


@question_maker("symmetric", beyond=True)
def symmetric_question(draw: Draw) -> Question | None:
    """Is QKᵀ symmetric? Not in general (CONCEPTS M5); it is if queries equal keys."""
    one, other = words = tuple(draw.some_of(_WORDS, 2))
    queries, keys = (_matrix(draw, 3) for _ in range(2))
    alike = draw.whole(1, 3) == 1
    trace = PROJECTED.run(_one_head(words, np.eye(2), queries, queries if alike else keys))
    there, back = (float(trace["scores"][cell]) for cell in ((0, 0, 1), (0, 1, 0)))
    if (there == back) != alike:
        return None
    answer = SAME if alike else LARGER if back > there else SMALLER
    asked = _dot(trace["Q"][0, 1], trace["K"][0, 0])
    names = {SMALLER: "expected_smaller", SAME: "expected_same", LARGER: "expected_larger"}
    pair = {"one": one, "other": other, "there": exact_number(there)}
    product = maths(asked.tree())
    return Question(
        id="",
        prompt=TEXTS("symmetric_prompt", **pair),
        kind=Choice(tuple(names)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(
                TEXTS(name),
                value,
                TEXTS("symmetric_why", product=product, name=name, **pair),
            )
            for value, name in names.items()
            if value != answer
        ),
        hint=TEXTS("symmetric_hint", one=one, other=other),
        explanation=TEXTS("symmetric_explanation", back=exact_number(back), alike=alike, **pair),
        tables=(_queries_and_keys(trace),),
        working=(arithmetic_line(asked, 0),),
        evidence=(Evidence(TEXTS("scores_table"), trace, "scores", (0, 1, 0)),),
    )


@question_maker("basis", beyond=True)
def basis_question(draw: Draw) -> Question | None:
    """Do the weights change with W_Q and W_K? Not while W_Q W_Kᵀ is the same (CONCEPTS M17)."""
    text, change = draw.one_of(_CHANGES)
    tokens = tuple(draw.some_of(_WORDS, 3))
    X = np.array([draw.wholes(-2, 2, 2) for _ in tokens], dtype=float)
    W_Q, W_K = (_matrix(draw, 2) for _ in range(2))
    before = WEIGHED.run(_one_head(tokens, X, W_Q, W_K))
    after = WEIGHED.run(_one_head(tokens, X, *change(W_Q, W_K)))
    moved = {name: float(np.abs(before[name] - after[name]).max()) for name in after}
    stay = np.array_equal(_product(before), _product(after))
    clear = min(moved["Q"], moved["K"]) > 0 if stay else moved["weights"] >= CLEAR_CHANGE
    products = _product(before), _product(after)
    if not clear or not products[0].any():
        return None
    row, column = np.argwhere(products[0] != (0 if stay else products[1]))[0]
    entries = [exact_number(float(product[row, column])) for product in products]
    at = {"row": row + 1, "column": column + 1, "before": entries[0], "after": entries[1]}
    wrong = {
        NOTHING: (TEXTS("kept_rows"), _first_change(before, after)),
        BASIS: (TEXTS("cancels"), TEXTS("cancels_why", **at)),
        CHANGE: (TEXTS("other_rows"), TEXTS("other_rows_why", **at)),
    }
    answer = BASIS if stay else CHANGE
    return Question(
        id="",
        prompt=TEXTS("basis_prompt", change=TEXTS(text)),
        kind=Choice(tuple(wrong)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(name, value, hint)
            for value, (name, hint) in wrong.items()
            if value != answer
        ),
        hint=TEXTS("basis_hint"),
        explanation=TEXTS(
            "basis_explanation",
            stays=stay,
            moved=about(moved["weights"]),
            before=_matrix_text(products[0]),
            after=_matrix_text(products[1]),
        ),
        tables=(
            _tokens_table(before),
            _matrices(before, TEXTS("before")),
            _matrices(after, TEXTS("after")),
        ),
        evidence=(
            Evidence(TEXTS("weights_before"), before, "weights"),
            Evidence(TEXTS("weights_after"), after, "weights"),
        ),
    )


@question_maker("parameters")
def parameters_question(draw: Draw) -> Question | None:
    """How many parameters make queries and keys? 2 · d_model · d_k, whatever n is (G)."""
    d_model, d_k = draw.one_of((16, 32, 64, 128, 256, 512)), draw.one_of((2, 4, 8, 16, 32, 64))
    n = 10 * draw.whole(1, 60)
    if d_k >= d_model:
        return None
    counted = Budget(n, d_model, d_k)
    sizes = {"d_model": d_model, "d_k": d_k}
    return Question(
        id="",
        prompt=TEXTS("parameters_prompt", n=n, **sizes),
        kind=NumberAnswer(0.5, decimals=0),
        answer=float(counted.parameters),
        wrong=(
            WrongAnswer(
                TEXTS("one_projection"), counted.parameters / 2, TEXTS("one_projection_words")
            ),
            WrongAnswer(TEXTS("the_scores"), float(counted.scores), TEXTS("the_scores_words", n=n)),
            WrongAnswer(TEXTS("values_too"), counted.parameters * 1.5, TEXTS("values_too_words")),
            WrongAnswer(TEXTS("square"), 2.0 * d_model**2, TEXTS("square_words", **sizes)),
            WrongAnswer(TEXTS("rows_counted"), 2.0 * n * d_k, TEXTS("rows_counted_words", n=n)),
        ),
        hint=TEXTS("parameters_hint", **sizes),
        explanation=TEXTS("parameters_explanation", scores=f"{counted.scores:,}"),
        working=(arithmetic_line(Product(sum_of_wholes(2, d_model, d_k)), 0),),
        would_mean=lambda given: TEXTS(
            "parameters_would_mean",
            half=equation(Quotient(typeset_number(given), *sum_of_wholes(2))),
            **sizes,
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("ask_symmetric"): symmetric_question,
        TEXTS("ask_basis"): basis_question,
        TEXTS("ask_parameters"): parameters_question,
    }
)


def _matrix(draw: Draw, largest: int) -> Float[np.ndarray, "2 2"]:
    return np.array([draw.wholes(-largest, largest, 2) for _ in range(2)], dtype=float)


def _one_head(tokens: tuple[str, ...], X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray) -> Inputs:
    arrays = {"X": X, "W_Q": W_Q[None], "W_K": W_K[None], "W_V": np.eye(2)[None]}
    return Inputs(arrays, tokens)


def _product(trace: Trace) -> Float[np.ndarray, "2 2"]:
    """Return W_Q W_Kᵀ, the only thing about W_Q and W_K that the scores depend on."""
    product: np.ndarray = trace["W_Q"][0] @ trace["W_K"][0].T
    return product


def _dot(q: Float[np.ndarray, " k"], k: Float[np.ndarray, " k"]) -> Sum:
    """q · k, to be worked out."""
    pairs = zip(q.tolist(), k.tolist(), strict=True)
    return Sum(tuple(Product((typeset_number(a), typeset_number(b))) for a, b in pairs))


def _first_change(before: Trace, after: Trace) -> str:
    """Return a sentence about a row of Q or K that has changed."""
    name = "Q" if not np.array_equal(before["Q"], after["Q"]) else "K"
    row = int(np.flatnonzero((before[name][0] != after[name][0]).any(axis=1))[0])
    old, new = (
        comma_separated([operand_text(x, 2) for x in t[name][0, row]]) for t in (before, after)
    )
    return TEXTS("kept_rows_why", name=name, token=before.tokens[row], before=old, after=new)


def _matrix_text(matrix: Float[np.ndarray, "m n"]) -> str:
    """A matrix in LaTeX."""
    lines = r" \\ ".join(" & ".join(operand_text(x, 2) for x in row) for row in matrix.tolist())
    return rf"\begin{{pmatrix}}{lines}\end{{pmatrix}}"


def _tokens_table(trace: Trace) -> QuestionTable:
    rows = tuple(tuple(operand_text(x, 2) for x in row) for row in trace["X"].tolist())
    return QuestionTable("$X$", TEXTS("token"), trace.tokens, _features(), rows)


def _queries_and_keys(trace: Trace) -> QuestionTable:
    """Q and K side by side, a row for each token."""
    pairs = zip(trace["Q"][0].tolist(), trace["K"][0].tolist(), strict=True)
    rows = tuple(tuple(operand_text(x, 2) for x in (*query, *key)) for query, key in pairs)
    columns = tuple(f"{name} {n}" for name in ("$q$", "$k$") for n in (1, 2))
    return QuestionTable(TEXTS("queries_and_keys"), TEXTS("token"), trace.tokens, columns, rows)


def _matrices(trace: Trace, title: str) -> QuestionTable:
    """W_Q and W_K side by side."""
    pairs = zip(trace["W_Q"][0].tolist(), trace["W_K"][0].tolist(), strict=True)
    rows = tuple(tuple(operand_text(x, 2) for x in (*query, *key)) for query, key in pairs)
    columns = tuple(f"${name}$ {n}" for name in ("W_Q", "W_K") for n in (1, 2))
    return QuestionTable(title, TEXTS("matrices_across"), _features(), columns, rows)


def _features() -> tuple[str, ...]:
    return tuple(TEXTS("feature", n=n) for n in (1, 2))
