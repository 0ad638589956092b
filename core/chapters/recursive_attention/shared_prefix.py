"""Several texts with the same beginning, whose keys and values are computed once.

The last token of each continuation asks. Its query reads the keys of the beginning, which are
shared, and the keys of its own tokens. The two pieces are merged like any pieces.
"""

from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tree_program import D_MODEL
from core.operations.merging import log_sum_exp
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.shapes import append_columns, append_rows, rows
from core.operations.softmax import softmax
from core.program.axes import HEAD, POSITION, Axis
from core.program.described import meaning, phase
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

PREFIX = TEXTS("beginning")
CONTINUATIONS = (TEXTS("first_end"), TEXTS("second_end"), TEXTS("third_end"))
"""All have the same number of tokens."""
PIECES = (TEXTS("shared_piece"), TEXTS("own_piece"))


@lru_cache(maxsize=1)
def shared_program() -> Program:
    """Attention of several continuations' last tokens, the prefix met by all of them at once."""
    own = len(tokenise(CONTINUATIONS[0]))
    return Program(
        (
            Input("X_prefix", "g p m", _of_token("embedding", "p")),
            Input("X_own", "x y m", _of_token("embedding", "y")),
            Input("W_Q", "m k", _weight("query", "k"), role="query"),
            Input("W_K", "m k", _weight("key", "k"), role="key"),
            Input("W_V", "m v", _weight("value", "v"), role="value"),
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
            Step("q_last", rows(f"x l+{own - 1} k -> x l k", 1), ("Q_own",),
                 meaning(TEXTS, "last_query", "x l k", feature="k"), "query"),
            Step("q_scaled", divide_by_root(), ("q_last", "K_own"), _scaled, "query"),
            *_piece(
                "prefix", "x l k, x//{group} p k -> x l p", "x l p, x//{group} p v -> x l v", "p"
            ),
            *_piece("own", "x l k, x y k -> x l y", "x l y, x y v -> x l v", "y"),
            Step("pieces", append_columns("x l c+0, x l c-1 -> x l c"), ("s_prefix", "s_own"),
                 meaning(TEXTS, "piece_score", "x l c", piece="c")),
            Step("values", append_rows("x c+0 v, x c-1 v -> x c v"), ("v_prefix", "v_own"),
                 meaning(TEXTS, "piece_value", "x c v", feature="v", piece="c"), "value"),
            Step("w_pieces", softmax(), ("pieces",), _from_piece, "weights"),
            Step("merged", matmul("x l c, x c v -> x l v"), ("w_pieces", "values"),
                 meaning(TEXTS, "read_whole", "x l v", feature="v")),
        ),
        (
            phase(TEXTS, "prefix", ("X_prefix",)),
            phase(TEXTS, "once", ("K_prefix", "V_prefix"), defines=True),
            phase(TEXTS, "own", ("X_own",)),
            phase(TEXTS, "own_rows", ("Q_own", "K_own", "V_own"), defines=True),
            phase(TEXTS, "asks", ("q_last", "q_scaled"), defines=True),
            phase(
                TEXTS, "meet_prefix", ("v_prefix",), phases=_piece_phases("prefix", "of_prefix"),
                shows=("a_prefix", "s_prefix", "v_prefix"),
            ),
            phase(
                TEXTS, "meet_own", ("v_own",), phases=_piece_phases("own", "of_own"),
                shows=("a_own", "s_own", "v_own"),
            ),
            phase(TEXTS, "two", ("pieces", "values"), defines=True),
            phase(TEXTS, "merge_two", ("w_pieces", "merged")),
        ),
        {"g": 1},
        {
            **AXES,
            "g": Axis(TEXTS("by_continuations"), HEAD, "continuation", of="x"),
            "x": Axis("continuation", HEAD, "continuation", str(len(CONTINUATIONS))),
            "p": Axis(TEXTS("beginning_position"), POSITION, "key", "P"),
            "y": Axis(TEXTS("own_token"), word=TEXTS("own_token"), size=str(own)),
            "l": Axis(TEXTS("the_last_token"), word=TEXTS("last_token"), size="1"),
            "o": Axis(TEXTS("one_number"), word="number", size="1"),
            "c": Axis("piece", POSITION, "piece", tokens="pieces"),
        },
    )  # fmt: skip


def _piece(name: str, scored: str, mixed: str, letter: str) -> tuple[Step, ...]:
    """The scores, weights, score and value of one piece."""
    scores, whole = f"scores_{name}", log_sum_exp(f"x l {letter} -> x l o")
    value = meaning(TEXTS, "own_value", "x l v", feature="v")
    return (
        Step(scores, matmul_transposed(scored), ("q_scaled", f"K_{name}"), _score(letter)),
        Step(f"a_{name}", softmax(), (scores,), _within(name, letter), "weights"),
        Step(f"s_{name}", whole, (scores,), meaning(TEXTS, "own_score")),
        Step(f"v_{name}", matmul(mixed), (f"a_{name}", f"V_{name}"), value, "value"),
    )


def _piece_phases(name: str, id: str) -> tuple[Phase, ...]:
    of: dict[str, object] = {"of": TEXTS(id)}
    return (
        phase(TEXTS, "scores_of", (f"scores_{name}",), of, defines=True),
        phase(TEXTS, "softmax_in", (f"a_{name}",), of),
        phase(TEXTS, "score_of", (f"s_{name}",), of, defines=True),
        phase(TEXTS, "value_of", (f"v_{name}",), of, defines=True),
    )


def shared_run() -> Trace:
    """Return the run of the continuations."""
    whole = [toy_inputs(f"{PREFIX} {more}", heads=1, d_model=D_MODEL) for more in CONTINUATIONS]
    start = len(tokenise(PREFIX))
    arrays = {
        "X_prefix": whole[0]["X"][None, :start],
        "X_own": np.stack([inputs["X"][start:] for inputs in whole]),
        **{name: whole[0][name][0] for name in ("W_Q", "W_K", "W_V")},
    }
    tokens = tuple(tokenise(PREFIX))
    return shared_program().run(Inputs(arrays, tokens, {"pieces": PIECES}))


def prefix_error(trace: Trace) -> float:
    """Return by how much the result differs at most from the last row of each whole text."""
    program = attention_program(heads=1)
    rows_read = [
        program.run(toy_inputs(f"{PREFIX} {more}", heads=1, d_model=D_MODEL))["context"][0, -1]
        for more in CONTINUATIONS
    ]
    return float(np.abs(trace["merged"][:, 0] - np.stack(rows_read)).max())


def keys_computed(beginning: int, own: int, texts: int) -> tuple[int, int]:
    """Return how many rows of K are computed: with the beginning shared, and without."""
    return beginning + texts * own, texts * (beginning + own)


def _row(role: str, letter: str) -> Meaning:
    return _of_token({"query": "query_row", "key": "key_row", "value": "value_row"}[role], letter)


def _of_token(id: str, letter: str) -> Meaning:
    """Return what a text says of a feature of a token."""
    return lambda trace, cell: TEXTS(
        id, feature=cell[-1] + 1, token=_token(trace, letter, cell[-2])
    )


def _token(trace: Trace, letter: str, at: int) -> str:
    label = told_label(trace, letter, at)
    return label if letter == "p" else TEXTS("continuation_token", token=label)


def _weight(role: str, letter: str) -> Meaning:
    id = {"query": "query_weights", "key": "key_weights", "value": "value_weights"}[role]
    return meaning(TEXTS, id, f"m {letter}", feature="m", made=letter)


def _score(letter: str) -> Meaning:
    return lambda trace, cell: TEXTS("last_score", token=_token(trace, letter, cell[2]))


def _scaled(trace: Trace, cell: Cell) -> str:
    return TEXTS("scaled_query", feature=cell[2] + 1, width=trace["K_own"].shape[-1])


def _within(name: str, letter: str) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        part = weight_percent(float(trace[f"a_{name}"][cell]))
        return TEXTS("within", percent=part, token=_token(trace, letter, cell[2]))

    return words


def _from_piece(trace: Trace, cell: Cell) -> str:
    part = weight_percent(float(trace["w_pieces"][cell]))
    return TEXTS("from_piece", percent=part, piece=told_label(trace, "c", cell[2]))
