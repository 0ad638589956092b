"""The chapter's sentence, run at once as on the walkthrough; and one query's attention by itself.

In the same program as the single query are the same numbers as a row of the matrix form.
"""

from dataclasses import replace
from functools import cache

from core.attention.axes import AXES
from core.attention.chosen_token import position_of, token_toggle
from core.attention.inputs import toy_inputs
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.shapes import rows
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

HEADS, D_MODEL = 2, 8
"""Those of an untouched walkthrough, so the same sentence has the same numbers there."""
WHOLE = attention_program(heads=HEADS)


def whole_pass(text: str, tokens: int | None = None) -> Trace:
    """Causal attention on a sentence, or on its first tokens. Raises `InputError`."""
    inputs = toy_inputs(" ".join(tokenise(text)[:tokens]), heads=HEADS, d_model=D_MODEL)
    return WHOLE.run(inputs)


TEXTS = core_texts("one_query")


def _entry_of(id: str, axes: str) -> Meaning:
    """Return what an entry means: a feature of a token, on an array with these axes."""
    _, token, feature = axes.split()
    return meaning(TEXTS, id, axes, token=token, feature=feature)


@cache
def one_row_program(position: int) -> Program:
    """y_t = softmax(q_t K_tᵀ / √d_k) V_t, t counted from 0, and the same row of the matrix form.

    K_t and V_t are the rows 0 to t of K and V: no mask is needed, because later keys do not exist
    yet (C: the single-query form). The matrix form has a causal mask.
    """
    t = position
    scored = matmul_transposed("h x k, h//{group} y k -> h x y")
    query, key = _entry_of("query_entry", "h x k"), _entry_of("key_entry", "g y k")
    value, read = _entry_of("value_entry", "g y v"), _entry_of("read", "h x v")
    single = (
        Step("q_t", rows(f"h x+{t} k -> h x k", 1), ("Q",), query, "query"),
        Step("K_t", rows("g y+0 k -> g y k", t + 1), ("K",), key, "key"),
        Step("V_t", rows("g y+0 v -> g y v", t + 1), ("V",), value, "value"),
        Step("s_t", scored, ("q_t", "K_t"), meaning(TEXTS, "score", "h x y", query="x", key="y")),
        Step("z_t", divide_by_root(), ("s_t", "K_t"), _scaled),
        Step("a_t", softmax(), ("z_t",), _weight, "weights"),
        Step("y_t", matmul("h x y, h//{group} y v -> h x v"), ("a_t", "V_t"), read),
    )
    matrix = ("scores", "scaled", "mask", "masked", "weights", "context")
    says = meaning(TEXTS, "difference", "h x v", feature="v")
    same = (
        Step("row_t", rows(f"h x+{t} v -> h x v", 1), ("context",), _entry_of("row", "h x v")),
        Step("difference", subtract("h x v, h x v -> h x v"), ("y_t", "row_t"), says),
    )
    return replace(
        WHOLE,
        inputs=tuple(i for i in WHOLE.inputs if i.name != "W_O"),
        steps=(*(WHOLE.step[n] for n in "QKV"), *single, *(WHOLE.step[n] for n in matrix), *same),
        phases=(EMBED, PROJECT, *_PHASES),
        axes={
            **AXES,
            "x": Axis(TEXTS("position"), POSITION, "query", "1", offset=t),
            "y": Axis(TEXTS("position_so_far"), POSITION, "key", "t"),
        },
    )


_PHASES = (
    phase(TEXTS, "query", ("q_t",), defines=True),
    phase(TEXTS, "so_far", ("K_t", "V_t"), defines=True),
    phase(TEXTS, "its_scores", ("s_t",)),
    replace(SCALE, names=("z_t",), words=TEXTS("scaled_words")),
    phase(TEXTS, "softmax", ("a_t",)),
    phase(TEXTS, "weigh", ("y_t",)),
    phase(TEXTS, "matrix_form", ("context",), phases=(SCORE, SCALE, CAUSAL_RULE, SOFTMAX, WEIGH)),
    phase(TEXTS, "same_row", ("row_t", "difference")),
)


ROW_TOKEN = "query_row"
"""The key of the toggle that says which token asks."""


def one_row_family(text: str) -> Family:
    """The single-query form for each token of a sentence. Raises `InputError`."""

    def build(options: Options) -> Built:
        whole = whole_pass(text)
        given = {name: whole[name] for name in ("X", "W_Q", "W_K", "W_V")}
        program = one_row_program(position_of(options, ROW_TOKEN, text))
        return Built(program, Inputs(given, whole.tokens))

    toggle = replace(token_toggle(ROW_TOKEN, text), word=TEXTS("asking"))
    return Family((toggle,), build, "query_row_", one_row_family)


def _scaled(trace: Trace, cell: Cell) -> str:
    return TEXTS("scaled_score", d_k=trace["K_t"].shape[-1])


def _weight(trace: Trace, cell: Cell) -> str:
    percent = weight_percent(trace["a_t"][cell])
    query, key = told_label(trace, "x", cell[1]), told_label(trace, "y", cell[2])
    return TEXTS("weight", query=query, percent=percent, key=key)
