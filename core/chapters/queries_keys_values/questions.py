"""The questions on queries, keys and values. Their answers are read from runs, or counted."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.chapters.queries_keys_values.ladder import ladder_program
from core.chapters.queries_keys_values.parameters import Budget
from core.draws import Draw
from core.program.arithmetic import Product, Quotient, Sum, line
from core.program.inputs import Inputs
from core.program.rounding import operand_text
from core.program.trace import Trace
from core.questions.answers import Choice, Number
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    Table,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import (
    D_MODEL,
    W_QK,
    about,
    equation,
    exact,
    listed,
    maths,
    number,
    whole,
)

MAPS = ladder_program(2)
WEIGHED = ladder_program(3)
CLEAR_CHANGE = 0.05
"""A change of the weights must be at least this large somewhere, to be seen at two decimals."""
SMALLER, SAME, LARGER = "smaller", "the same", "larger"
NOTHING = "the weights stay, and so do $Q$ and $K$"
BASIS = "the weights stay, $Q$ and $K$ do not"
CHANGE = "the weights change"

_WORDS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin", "red", "ball", "slow")
Maps = tuple[np.ndarray, np.ndarray]
_QUARTER_TURN = np.array([[0, 1], [-1, 0]])
_SWAPPED = np.array([[0, 1], [1, 0]])
"""Multiplying by it exchanges the two columns."""
_CHANGES: tuple[tuple[str, Callable[[np.ndarray, np.ndarray], Maps]], ...] = (
    ("$W_Q$ is doubled and $W_K$ halved", lambda Q, K: (2 * Q, K / 2)),
    ("$W_Q$ is halved and $W_K$ multiplied by 4", lambda Q, K: (Q / 2, 4 * K)),
    ("$W_Q$ and $W_K$ are both doubled", lambda Q, K: (2 * Q, 2 * K)),
    ("every entry of $W_Q$ changes its sign", lambda Q, K: (-Q, K)),
    ("every entry of $W_Q$ and of $W_K$ changes its sign", lambda Q, K: (-Q, -K)),
    ("the two columns of $W_Q$ change places", lambda Q, K: (Q @ _SWAPPED, K)),
    (
        "the two columns of $W_Q$ change places, and so do those of $W_K$",
        lambda Q, K: (Q @ _SWAPPED, K @ _SWAPPED),
    ),
    (
        "all queries and all keys are turned by the same quarter turn",
        lambda Q, K: (Q @ _QUARTER_TURN, K @ _QUARTER_TURN),
    ),
    ("$W_Q$ and $W_K$ change places", lambda Q, K: (K, Q)),
)


@question_maker("symmetric")
def symmetric_question(draw: Draw) -> Question | None:
    """Is QKᵀ symmetric? Not in general (CONCEPTS M5); it is where queries are keys."""
    one, other = words = tuple(draw.some_of(_WORDS, 2))
    queries, keys = (_matrix(draw, 3) for _ in range(2))
    alike = draw.whole(1, 3) == 1
    trace = MAPS.run(_one_head(words, np.eye(2), queries, queries if alike else keys))
    there, back = (float(trace["scores"][cell]) for cell in ((0, 0, 1), (0, 1, 0)))
    if (there == back) != alike:
        return None
    answer = SAME if alike else LARGER if back > there else SMALLER
    asked = _dot(trace["Q"][0, 1], trace["K"][0, 0])
    reason = (
        "Each token's query equals its key here, so both directions multiply the same two rows."
        if alike
        else r"Each direction multiplies two other rows: $QK^\top$ need not be symmetric, as "
        r"$XX^\top$ is."
    )
    names = {
        SMALLER: ("you expected less", "below"),
        SAME: (r"you took $QK^\top$ to be symmetric", "equal to"),
        LARGER: ("you expected more", "above"),
    }
    return Question(
        id="",
        prompt=(
            rf"“{one} {other}”: is $QK^\top$ symmetric here? *{one}* scores *{other}* with "
            f"{exact(there)}, its query times the key of *{other}*. The score of *{other}* with "
            f"*{one}* is …"
        ),
        kind=Choice(tuple(names)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(
                name, value,
                f"The query of *{other}* times the key of *{one}* is {maths(asked.tree())}, and "
                f"that is not {where} {exact(there)}.",
            )
            for value, (name, where) in names.items() if value != answer
        ),
        hint=f"Multiply the query of *{other}* with the key of *{one}* by entries, and add up.",
        explanation=(
            f"The query of *{one}* times the key of *{other}* is {exact(there)}; the query of "
            f"*{other}* times the key of *{one}* is {exact(back)}. {reason}"
        ),
        tables=(_queries_and_keys(trace),),
        working=(line(asked, 0),),
        evidence=(Evidence("Scores", trace, "scores", (0, 1, 0)),),
    )  # fmt: skip


@question_maker("basis")
def basis_question(draw: Draw) -> Question | None:
    """Do the weights change with W_Q and W_K? Not while W_Q W_Kᵀ is the same (CONCEPTS M17)."""
    said, change = draw.one_of(_CHANGES)
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
    told = rf"The scores are $X ({W_QK}) X^\top$"
    at = np.argwhere(products[0] != (0 if stay else products[1]))[0]
    entries = [exact(float(product[tuple(at)])) for product in products]
    where = f"In row {at[0] + 1}, column {at[1] + 1} the product ${W_QK}$ has"
    kept = "is what it was, and so is every score:" if stay else "is another matrix:"
    ends = "" if stay else f" A weight changes by {about(moved['weights'])}."
    wrong = {
        NOTHING: ("you left $Q$ and $K$ as they were", _first_change(before, after)),
        BASIS: (
            "you expected the two changes to cancel",
            f"{where} {entries[0]} before and {entries[-1]} after, and with these $X$ that moves "
            "the weights.",
        ),
        CHANGE: (
            "you expected that other queries and keys mean other weights",
            f"{told}. {where} {entries[0]} before and {entries[-1]} after; work out the others.",
        ),
    }
    answer = BASIS if stay else CHANGE
    return Question(
        id="",
        prompt=(
            f"In a head with $d_k = 2$, {said}. $X$ stays as it is. What happens to the weights, "
            r"$\text{softmax}(QK^\top / \sqrt{d_k})$?"
        ),
        kind=Choice(tuple(wrong)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(name, value, hint)
            for value, (name, hint) in wrong.items()
            if value != answer
        ),
        hint=f"{told}: work out ${W_QK}$ before and after.",
        explanation=(
            f"{told}, and ${W_QK}$ {kept} before ${_matrix_text(products[0])}$, after "
            f"${_matrix_text(products[1])}$.{ends}"
        ),
        tables=(_tokens_table(before), _maps(before, "Before"), _maps(after, "After")),
        evidence=(
            Evidence("Weights before", before, "weights"),
            Evidence("Weights after", after, "weights"),
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
    return Question(
        id="",
        prompt=(
            f"A head turns $n = {n}$ tokens of ${D_MODEL} = {d_model}$ features into queries and "
            f"keys of $d_k = {d_k}$. How many parameters do $W_Q$ and $W_K$ have together?"
        ),
        kind=Number(0.5, decimals=0),
        answer=float(counted.parameters),
        wrong=(
            WrongAnswer(
                "you counted one map", counted.parameters / 2,
                "Queries and keys each have a map of their own.",
            ),
            WrongAnswer(
                "you counted the scores", float(counted.scores),
                f"${n}^2$ is how many scores come out. The maps are the same for any $n$.",
            ),
            WrongAnswer(
                "you counted $W_V$ too", counted.parameters * 1.5,
                "The values' map is a third one, and not asked for.",
            ),
            WrongAnswer(
                "you made the maps square", 2.0 * d_model**2,
                f"A map takes ${D_MODEL} = {d_model}$ features to $d_k = {d_k}$, not to "
                f"${D_MODEL}$.",
            ),
            WrongAnswer(
                "you counted queries and keys", 2.0 * n * d_k,
                f"These are the entries of $Q$ and $K$, {n} rows each. Parameters are in $W_Q$ and "
                "$W_K$.",
            ),
        ),
        hint=f"How many rows and columns does a map have that takes {d_model} features to {d_k}?",
        explanation=(
            f"Two maps, each with ${D_MODEL}$ rows and $d_k$ columns, for any number of tokens. "
            f"They make {counted.scores:,} scores here."
        ),
        working=(line(Product(whole(2, d_model, d_k)), 0),),
        would_mean=lambda given: (
            f"Then each of the two maps would have {equation(Quotient(number(given), *whole(2)))} "
            f"entries. Compare that with its {d_model} rows of {d_k}."
        ),
    )  # fmt: skip


PROJECTION_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Is QKᵀ symmetric?": symmetric_question,
    "Do the weights change?": basis_question,
    "How many parameters?": parameters_question,
})  # fmt: skip


def _matrix(draw: Draw, largest: int) -> Float[np.ndarray, "2 2"]:
    return np.array([draw.wholes(-largest, largest, 2) for _ in range(2)], dtype=float)


def _one_head(tokens: tuple[str, ...], X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray) -> Inputs:
    arrays = {"X": X, "W_Q": W_Q[None], "W_K": W_K[None], "W_V": np.eye(2)[None]}
    return Inputs(arrays, tokens)


def _product(trace: Trace) -> Float[np.ndarray, "2 2"]:
    """W_Q W_Kᵀ, all that the scores know of the two maps."""
    product: np.ndarray = trace["W_Q"][0] @ trace["W_K"][0].T
    return product


def _dot(q: Float[np.ndarray, " k"], k: Float[np.ndarray, " k"]) -> Sum:
    """q · k, to be worked out."""
    pairs = zip(q.tolist(), k.tolist(), strict=True)
    return Sum(tuple(Product((number(a), number(b))) for a, b in pairs))


def _first_change(before: Trace, after: Trace) -> str:
    """A row of Q or K that is another one after than before."""
    name = "Q" if not np.array_equal(before["Q"], after["Q"]) else "K"
    row = int(np.flatnonzero((before[name][0] != after[name][0]).any(axis=1))[0])
    old, new = (listed([operand_text(x, 2) for x in t[name][0, row]]) for t in (before, after))
    return (
        f"${name}$ is $X W_{name}$. The row of *{before.tokens[row]}* is {old} before and {new} "
        "after."
    )


def _matrix_text(matrix: Float[np.ndarray, "m n"]) -> str:
    """A matrix in LaTeX."""
    lines = r" \\ ".join(" & ".join(operand_text(x, 2) for x in row) for row in matrix.tolist())
    return rf"\begin{{pmatrix}}{lines}\end{{pmatrix}}"


def _tokens_table(trace: Trace) -> Table:
    rows = tuple(tuple(operand_text(x, 2) for x in row) for row in trace["X"].tolist())
    return Table("$X$", "token", trace.tokens, ("feature 1", "feature 2"), rows)


def _queries_and_keys(trace: Trace) -> Table:
    """Q and K side by side, a row for each token."""
    pairs = zip(trace["Q"][0].tolist(), trace["K"][0].tolist(), strict=True)
    rows = tuple(tuple(operand_text(x, 2) for x in (*query, *key)) for query, key in pairs)
    columns = tuple(f"{name} {n}" for name in ("$q$", "$k$") for n in (1, 2))
    return Table("Queries $q$ and keys $k$", "token", trace.tokens, columns, rows)


def _maps(trace: Trace, title: str) -> Table:
    """W_Q and W_K side by side."""
    pairs = zip(trace["W_Q"][0].tolist(), trace["W_K"][0].tolist(), strict=True)
    rows = tuple(tuple(operand_text(x, 2) for x in (*query, *key)) for query, key in pairs)
    columns = tuple(f"${name}$ {n}" for name in ("W_Q", "W_K") for n in (1, 2))
    return Table(title, "map →", ("feature 1", "feature 2"), columns, rows)
