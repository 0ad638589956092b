"""One beginning, several ways to go on: what the beginning gives is computed once for all of them.

Each continuation asks with its last token. It meets the keys of the beginning, which all share,
and those of its own tokens; the two pieces are merged as any pieces are.
"""

from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.chapters.recursive_attention.tree_program import D_MODEL
from core.operations.merging import log_sum_exp
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import divide_by_root
from core.operations.shapes import append_columns, append_rows, rows
from core.operations.softmax import softmax
from core.program.axes import HEAD, POSITION, Axis
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text, typeset
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

PREFIX = "The cat sat on the"
CONTINUATIONS = ("old mat", "warm roof", "red sofa")
"""Each of as many tokens as the others."""
PIECES = ("shared", "own")


@lru_cache(maxsize=1)
def shared_program() -> Program:
    """Attention of several continuations' last tokens, the prefix met by all of them at once."""
    own = len(tokenise(CONTINUATIONS[0]))
    return Program(
        (
            Input("X_prefix", "g p m", _embedding("p")),
            Input("X_own", "x y m", _embedding("y")),
            Input("W_Q", "m k", _weight("query"), role="query"),
            Input("W_K", "m k", _weight("key"), role="key"),
            Input("W_V", "m v", _weight("value"), role="value"),
        ),
        (
            Step("K_prefix", matmul("g p m, m k -> g p k"), ("X_prefix", "W_K"), _row("key", "p"),
                 "key"),
            Step("V_prefix", matmul("g p m, m v -> g p v"), ("X_prefix", "W_V"), _row("value", "p"),
                 "value"),
            Step("Q_own", matmul("x y m, m k -> x y k"), ("X_own", "W_Q"), _row("query", "y"),
                 "query"),
            Step("K_own", matmul("x y m, m k -> x y k"), ("X_own", "W_K"), _row("key", "y"), "key"),
            Step("V_own", matmul("x y m, m v -> x y v"), ("X_own", "W_V"), _row("value", "y"),
                 "value"),
            Step("q_last", rows(f"x l+{own - 1} k -> x l k", 1), ("Q_own",), _asks, "query"),
            Step("q_scaled", divide_by_root(), ("q_last", "K_own"), _scaled, "query"),
            *_piece(
                "prefix", "x l k, x//{group} p k -> x l p", "x l p, x//{group} p v -> x l v", "p"
            ),
            *_piece("own", "x l k, x y k -> x l y", "x l y, x y v -> x l v", "y"),
            Step("pieces", append_columns("x l c+0, x l c-1 -> x l c"), ("s_prefix", "s_own"),
                 _piece_score),
            Step("values", append_rows("x c+0 v, x c-1 v -> x c v"), ("v_prefix", "v_own"),
                 _piece_value, "value"),
            Step("w_pieces", softmax(), ("pieces",), _share, "weights"),
            Step("merged", matmul("x l c, x c v -> x l v"), ("w_pieces", "values"), _read),
        ),
        (
            Phase("The beginning", ("X_prefix",), "Rows that all texts share.",
                  words="The tokens that every continuation begins with."),
            Phase("Once for all", ("K_prefix", "V_prefix"), "Its keys and values.", defines=True,
                  words="Keys and values of the beginning depend on nothing that comes later, so "
                  "they are computed and kept once, however many texts go on from it."),
            Phase("The continuations", ("X_own",), "Rows of one continuation; choose which.",
                  words="Each text goes on with tokens of its own."),
            Phase("Their own rows", ("Q_own", "K_own", "V_own"), "For each continuation.",
                  defines=True,
                  words="Queries, keys and values of the new tokens are each continuation's own."),
            Phase("The last token asks", ("q_last", "q_scaled"), "One query each.", defines=True,
                  words="Each continuation asks with its last token, to write on. It may read all "
                  "that came before it, so no mask is needed."),
            Phase("Meet the beginning", ("v_prefix",), "The same keys for every query.",
                  phases=_piece_phases("prefix", "the beginning"),
                  shows=("a_prefix", "s_prefix", "v_prefix"),
                  words="All continuations' queries meet the same keys, so these are read once for "
                  "all of them. What comes out is a piece: its score and its value."),
            Phase("Meet its own", ("v_own",), "The keys of its own tokens.",
                  phases=_piece_phases("own", "its own tokens"), shows=("a_own", "s_own", "v_own"),
                  words="The keys of the continuation's own tokens, itself among them, are the "
                  "other piece."),
            Phase("Side by side", ("pieces", "values"), "Two pieces.", defines=True,
                  words="The scores of the two pieces in a row, their values below each other."),
            Phase("Merge", ("w_pieces", "merged"), "Shares of the pieces, and what is read.",
                  words="Softmax over the two scores gives their shares, and the values are mixed "
                  "by these: what this query reads of the whole text."),
        ),
        {"g": 1},
        {
            **AXES,
            "g": Axis("shared by the continuations", HEAD, "continuation", of="x"),
            "x": Axis("continuation", HEAD, "continuation", str(len(CONTINUATIONS))),
            "p": Axis("position in the beginning", POSITION, "key", "P"),
            "y": Axis("own token", word="own token", size=str(own)),
            "l": Axis("the last token", word="last token", size="1"),
            "o": Axis("one number", word="number", size="1"),
            "c": Axis("piece", POSITION, "piece", tokens="pieces"),
        },
        makes="what the continuations read",
    )  # fmt: skip


def _piece(name: str, scored: str, mixed: str, letter: str) -> tuple[Step, ...]:
    """The scores, weights, score and value of one piece."""
    return (
        Step(
            f"scores_{name}", matmul_transposed(scored), ("q_scaled", f"K_{name}"), _score(letter)
        ),
        Step(f"a_{name}", softmax(), (f"scores_{name}",), _within(name, letter), "weights"),
        Step(f"s_{name}", log_sum_exp(f"x l {letter} -> x l o"), (f"scores_{name}",), _set_score),
        Step(f"v_{name}", matmul(mixed), (f"a_{name}", f"V_{name}"), _set_value, "value"),
    )


def _piece_phases(name: str, of: str) -> tuple[Phase, ...]:
    return (
        Phase(f"Scores of {of}", (f"scores_{name}",), "Dot products.",
              defines=True, words="The scaled query meets the keys of this piece."),
        Phase(f"Softmax within {of}", (f"a_{name}",), "Shares of this piece.",
              words="Softmax over the keys of this piece alone."),
        Phase(f"Score of {of}", (f"s_{name}",), "How much the piece weighs.", defines=True,
              words="The logarithm of the sum of e to its scores."),
        Phase(f"Value of {of}", (f"v_{name}",), "What is read of it.", defines=True,
              words="The values of this piece, mixed by its own shares."),
    )  # fmt: skip


def shared_run() -> Trace:
    """The example."""
    whole = [toy_inputs(f"{PREFIX} {more}", heads=1, d_model=D_MODEL) for more in CONTINUATIONS]
    start = len(tokenise(PREFIX))
    arrays = {
        "X_prefix": whole[0]["X"][None, :start],
        "X_own": np.stack([inputs["X"][start:] for inputs in whole]),
        **{name: whole[0][name][0] for name in ("W_Q", "W_K", "W_V")},
    }
    tokens = tuple(tokenise(PREFIX))
    return shared_program().run(Inputs(arrays, tokens, {"pieces": PIECES}))


def apart(trace: Trace) -> float:
    """How far what is read is, at most, from each whole text run by itself: its last row."""
    program = attention_program(heads=1)
    rows_read = [
        program.run(toy_inputs(f"{PREFIX} {more}", heads=1, d_model=D_MODEL))["context"][0, -1]
        for more in CONTINUATIONS
    ]
    return float(np.abs(trace["merged"][:, 0] - np.stack(rows_read)).max())


def keys_computed(beginning: int, own: int, texts: int) -> tuple[int, int]:
    """Rows of K that are computed and kept: with the beginning shared, and without."""
    return beginning + texts * own, texts * (beginning + own)


def _embedding(letter: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        *_, at, feature = cell
        return f"Feature {feature + 1} of {_token(trace, letter, at)}, before any mixing."

    return meaning


def _token(trace: Trace, letter: str, at: int) -> str:
    label = told_label(trace, letter, at)
    return label if letter == "p" else f"the continuation's token {label}"


def _weight(role: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        m, k = cell
        return f"How much feature {m + 1} of a token counts in feature {k + 1} of its {role}."

    return meaning


def _row(role: str, letter: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        *_, at, feature = cell
        return f"Feature {feature + 1} of the {role} of {_token(trace, letter, at)}."

    return meaning


def _asks(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of what the last token looks for."


def _score(letter: str) -> Meaning:
    return lambda trace, cell: (
        f"The dot product of the last token's scaled query and the key of "
        f"{_token(trace, letter, cell[2])}."
    )


def _scaled(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of the query, divided by √d_k = √{trace['K_own'].shape[-1]}."


def _within(name: str, letter: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        share = typeset(cell_text(100 * float(trace[f"a_{name}"][cell])))
        return f"Of what is read of this piece, {share} % is {_token(trace, letter, cell[2])}."

    return meaning


def _set_score(trace: Trace, cell: Cell) -> str:
    return "How much the piece weighs: the logarithm of the sum of e to its scores."


def _set_value(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of what the query would read if this piece were all there is."


def _piece_score(trace: Trace, cell: Cell) -> str:
    return f"The score of the piece {told_label(trace, 'c', cell[2])}."


def _piece_value(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of the value of the piece {told_label(trace, 'c', cell[1])}."


def _share(trace: Trace, cell: Cell) -> str:
    share = typeset(cell_text(100 * float(trace["w_pieces"][cell])))
    return f"Of what is read, {share} % comes from the piece {told_label(trace, 'c', cell[2])}."


def _read(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of what the continuation's last token reads of the whole text."
