"""The questions on queries, keys and values. Their answers are read from runs, or counted."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from core.chapters.queries_keys_values.ladder import ladder_program
from core.chapters.queries_keys_values.parameters import Budget
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import arithmetic_line
from core.program.numbers.rounding import operand_text
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.asking import NOUNS, Asking
from core.questions.engine import (
    Evidence,
    Question,
    QuestionTable,
    question_maker,
    table_of_numbers,
)
from core.questions.texts import (
    about,
    comma_separated,
    equation,
    exact_number,
    exact_numbers,
    maths,
    product_of,
    products_summed,
    quotient_of,
)
from core.texts import core_texts

TEXTS = core_texts("queries_keys_values")
PROJECTED = ladder_program(2)
WEIGHED = ladder_program(3)
CLEAR_CHANGE = 0.05
"""A change of the weights must be at least this large somewhere, to be seen at two decimals."""
SMALLER, SAME, LARGER = map(TEXTS, ("smaller", "same", "larger"))
NOTHING, BASIS, CHANGE = map(TEXTS, ("nothing_changes", "basis_changes", "weights_change"))

_WORDS = (*NOUNS, "red", "ball", "slow")
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
    asked = products_summed(trace["Q"][0, 1].tolist(), trace["K"][0, 0].tolist())
    names = {SMALLER: "expected_smaller", SAME: "expected_same", LARGER: "expected_larger"}
    arrays = {"$q$": "Q", "$k$": "K"}
    told = {"one": one, "other": other, "alike": alike, "product": maths(asked.tree())}
    ask = Asking(TEXTS, "symmetric", **told, **exact_numbers(there=there, back=back))
    return ask.question(
        Choice(tuple(names)),
        SAME if alike else LARGER if back > there else SMALLER,
        [ask.mistake(id, option, "symmetric_why", name=id) for option, id in names.items()],
        working=[arithmetic_line(asked, 0)],
        tables=(_side_by_side(trace, arrays, TEXTS("queries_and_keys"), TEXTS("token"), words),),
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
    products = _product(before), _product(after)
    stay = np.array_equal(*products)
    clear = min(moved["Q"], moved["K"]) > 0 if stay else moved["weights"] >= CLEAR_CHANGE
    if not clear or not products[0].any():
        return None
    row, column = np.argwhere(products[0] != (0 if stay else products[1]))[0]
    was, now = (exact_number(float(product[row, column])) for product in products)
    entry = {"row": row + 1, "column": column + 1, "before": was, "after": now}
    matrices = dict(zip(("before", "after"), map(_matrix_text, products), strict=True))
    weighed = about(moved["weights"])
    ask = Asking(TEXTS, "basis", change=TEXTS(text), stays=stay, moved=weighed, **matrices)
    weights = {"$W_Q$": "W_Q", "$W_K$": "W_K"}
    across = TEXTS("matrices_across")
    return ask.question(
        Choice((NOTHING, BASIS, CHANGE)),
        BASIS if stay else CHANGE,
        [
            ask.mistake("kept_rows", NOTHING, **_first_change(before, after)),
            ask.mistake("cancels", BASIS, **entry),
            ask.mistake("other_rows", CHANGE, **entry),
        ],
        tables=(
            table_of_numbers("$X$", TEXTS("token"), tokens, _features(), before["X"]),
            _side_by_side(before, weights, TEXTS("before"), across, _features()),
            _side_by_side(after, weights, TEXTS("after"), across, _features()),
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
    ask = Asking(TEXTS, "parameters", n=n, d_model=d_model, d_k=d_k, scores=f"{counted.scores:,}")
    return ask.question(
        NumberAnswer(0.5, decimals=0),
        float(counted.parameters),
        {
            "one_projection": counted.parameters / 2,
            "the_scores": float(counted.scores),
            "values_too": counted.parameters * 1.5,
            "square": 2.0 * d_model**2,
            "rows_counted": 2.0 * n * d_k,
        },
        working=[product_of(2, d_model, d_k)],
        would_mean=lambda x: ask("parameters_would_mean", half=equation(quotient_of(x, 2))),
    )


QUESTIONS = {
    TEXTS("ask_symmetric"): symmetric_question,
    TEXTS("ask_basis"): basis_question,
    TEXTS("ask_parameters"): parameters_question,
}


def _matrix(draw: Draw, largest: int) -> Float[np.ndarray, "2 2"]:
    return np.array([draw.wholes(-largest, largest, 2) for _ in range(2)], dtype=float)


def _one_head(tokens: tuple[str, ...], X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray) -> Inputs:
    arrays = {"X": X, "W_Q": W_Q[None], "W_K": W_K[None], "W_V": np.eye(2)[None]}
    return Inputs(arrays, tokens)


def _product(trace: Trace) -> Float[np.ndarray, "2 2"]:
    """Return W_Q W_Kᵀ, the only thing about W_Q and W_K that the scores depend on."""
    product: np.ndarray = trace["W_Q"][0] @ trace["W_K"][0].T
    return product


def _first_change(before: Trace, after: Trace) -> dict[str, str]:
    """Return what is said of a row of Q or K that has changed."""
    name = "Q" if not np.array_equal(before["Q"], after["Q"]) else "K"
    row = int(np.flatnonzero((before[name][0] != after[name][0]).any(axis=1))[0])
    rows = (trace[name][0, row] for trace in (before, after))
    old, new = (comma_separated([operand_text(x, 2) for x in each]) for each in rows)
    return {"name": name, "token": before.tokens[row], "before": old, "after": new}


def _matrix_text(matrix: Float[np.ndarray, "m n"]) -> str:
    """A matrix in LaTeX."""
    lines = r" \\ ".join(" & ".join(operand_text(x, 2) for x in row) for row in matrix.tolist())
    return rf"\begin{{pmatrix}}{lines}\end{{pmatrix}}"


def _side_by_side(
    trace: Trace, arrays: Mapping[str, str], title: str, corner: str, rows: Sequence[str]
) -> QuestionTable:
    """Arrays of one head, by what their columns are called."""
    columns = [f"{name} {n}" for name in arrays for n in (1, 2)]
    numbers = np.hstack([trace[array][0] for array in arrays.values()])
    return table_of_numbers(title, corner, rows, columns, numbers)


def _features() -> tuple[str, ...]:
    return tuple(TEXTS("feature", n=n) for n in (1, 2))
