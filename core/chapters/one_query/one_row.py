"""One query's attention, and the same numbers as a row of the matrix form, in one program."""

from dataclasses import replace
from functools import cache

from core.attention.axes import AXES
from core.attention.chosen_token import position_of, token_toggle
from core.attention.phases import CAUSAL, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.chapters.one_query.sentence import WHOLE, whole_pass
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import divide_by_root
from core.operations.shapes import rows
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.families import Built, Family, Options
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text, typeset
from core.program.steps import Meaning, Phase, Step
from core.program.trace import Trace


@cache
def one_row_program(position: int) -> Program:
    """y_t = softmax(q_t K_tᵀ / √d_k) V_t, t counted from 0, and the same row of the matrix form.

    K_t and V_t are the rows 0 to t of K and V: no mask is needed, for later keys are not there
    (C: the single-query form). All of it has a causal mask.
    """
    t = position
    scored = matmul_transposed("h x k, h//{group} y k -> h x y")
    single = (
        Step("q_t", rows(f"h x+{t} k -> h x k", 1), ("Q",), _query, "query"),
        Step("K_t", rows("g y+0 k -> g y k", t + 1), ("K",), _so_far("K"), "key"),
        Step("V_t", rows("g y+0 v -> g y v", t + 1), ("V",), _so_far("V"), "value"),
        Step("s_t", scored, ("q_t", "K_t"), _score),
        Step("z_t", divide_by_root(), ("s_t", "K_t"), _scaled),
        Step("a_t", softmax(), ("z_t",), _weight, "weights"),
        Step("y_t", matmul("h x y, h//{group} y v -> h x v"), ("a_t", "V_t"), _read),
    )
    matrix = ("scores", "scaled", "mask", "masked", "weights", "context")
    same = (
        Step("row_t", rows(f"h x+{t} v -> h x v", 1), ("context",), _row),
        Step("difference", subtract("h x v, h x v -> h x v"), ("y_t", "row_t"), _difference),
    )
    return replace(
        WHOLE,
        inputs=tuple(i for i in WHOLE.inputs if i.name != "W_O"),
        steps=(*(WHOLE.step[n] for n in "QKV"), *single, *(WHOLE.step[n] for n in matrix), *same),
        phases=(EMBED, PROJECT, *_PHASES),
        axes={
            **AXES,
            "x": Axis("the position of the query", POSITION, "query", "1", offset=t),
            "y": Axis("position so far", POSITION, "key", "t"),
        },
        makes="the difference",
    )


_PHASES = (
    Phase(
        "One query", ("q_t",), "One row of Q: one token asks.", defines=True,
        words="One token t asks. Its query q_t is its row of Q; no other row of Q is needed.",
    ),
    Phase(
        "The rows so far", ("K_t", "V_t"), "Keys and values up to its own.", defines=True,
        words="The token may read itself and what came before, so K_t and V_t are the rows of K "
        "and V up to its own. What comes later is not there.",
    ),
    Phase(
        "Its scores", ("s_t",), "One row: the query meets each key so far.",
        words="The query's dot product with each key so far: one row of numbers, one for each "
        "token that may be read.",
    ),
    replace(
        SCALE, names=("z_t",),
        words="Divided by √d_k, as in the matrix form.",
    ),
    Phase(
        "Softmax", ("a_t",), "The row becomes shares of 1.",
        words="Softmax over this one row. Nothing had to be masked: there is no later key.",
    ),
    Phase(
        "Weigh the values", ("y_t",), "What this token reads.",
        words="The rows of V so far, each times its weight, added up: what this token reads. No "
        "other query was needed for it.",
    ),
    Phase(
        "All queries at once", ("context",), "The matrix form: a row for each query.",
        phases=(SCORE, SCALE, CAUSAL, SOFTMAX, WEIGH),
        words="The same for every token at once, with a mask that hides the later keys. Open it to "
        "see its steps.",
    ),
    Phase(
        "Its row of all", ("row_t", "difference"), "The same numbers as y_t.",
        words="The row of context that belongs to this token holds the same numbers as y_t: their "
        "difference is 0, up to float noise. The matrix form is many queries, asked side by side.",
    ),
)  # fmt: skip


TOKEN = "query_row"
"""The key of the toggle that says which token asks."""


def one_row_family(text: str) -> Family:
    """The single-query form for each token of a sentence. Raises `InputError`."""

    def build(options: Options) -> Built:
        whole = whole_pass(text)
        given = {name: whole[name] for name in ("X", "W_Q", "W_K", "W_V")}
        program = one_row_program(position_of(options, TOKEN, text))
        return Built(program, Inputs(given, whole.tokens))

    return Family((token_toggle(TOKEN, text),), build)


def _token(trace: Trace) -> str:
    return told_label(trace, "x", 0)


def _query(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of what {_token(trace)} looks for: its row of Q."


def _so_far(name: str) -> Meaning:
    what = {"K": "can be found by", "V": "hands over"}[name]

    def meaning(trace: Trace, cell: Cell) -> str:
        _, s, feature = cell
        token = told_label(trace, "y", s)
        return f"Feature {feature + 1} of what {token} {what}: its row of {name}."

    return meaning


def _score(trace: Trace, cell: Cell) -> str:
    key = told_label(trace, "y", cell[2])
    return f"The dot product of the query of {_token(trace)} and the key of {key}."


def _scaled(trace: Trace, cell: Cell) -> str:
    return f"The score divided by √d_k = √{trace['K_t'].shape[-1]}."


def _weight(trace: Trace, cell: Cell) -> str:
    share = typeset(cell_text(100 * float(trace["a_t"][cell])))
    key = told_label(trace, "y", cell[2])
    return f"Of what {_token(trace)} reads, {share} % comes from {key}."


def _read(trace: Trace, cell: Cell) -> str:
    return (
        f"Feature {cell[2] + 1} of what {_token(trace)} reads: each value so far times its weight, "
        "added up."
    )


def _difference(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of y_t, minus the same entry of the row of the matrix form."


def _row(trace: Trace, cell: Cell) -> str:
    return (
        f"Feature {cell[2] + 1} of the row of {_token(trace)} in the matrix form, which has a row "
        "for every token."
    )
