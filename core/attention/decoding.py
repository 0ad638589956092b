"""Attention one step of writing at a time: new tokens meet keys and values that were kept.

The steps are those of `core.attention.program`. K_kept and V_kept are the rows of earlier tokens
(a cache), p counts them; the rows of the new tokens are appended to them.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from core.attention import words as words
from core.attention.axes import AXES
from core.attention.masks import Rule
from core.attention.phases import JOIN, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.operations.masking import visible
from core.operations.products import matmul
from core.operations.shapes import append_rows
from core.program.axes import POSITION, Axis
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

NEW = Phase(
    "New tokens", ("X",), "Only the rows that are new.",
    words="Only the tokens that are new come in. Those before them have been here already: their "
    "rows of X are not needed again, for what later tokens read of them has been kept.",
)  # fmt: skip
PROJECT_NEW = replace(
    PROJECT, names=("Q", "K_new", "V_new"), title="Project the new",
    summary="A query, a key and a value for each new token.",
    words="The new rows are multiplied by W_Q, W_K and W_V, as in every step. A query is used now "
    "and never again; the new keys and values will be read by every later token, so they are kept.",
)  # fmt: skip
APPEND_KEY = Phase(
    "Append to the keys", ("K",), "Kept rows, then the new ones.", defines=True,
    words="The keys that were kept come first, the new ones after them: K has a row for every "
    "token so far, and the query will meet them all. It grows by one row for each token, in every "
    "key/value head of every layer.",
)  # fmt: skip
APPEND_VALUE = Phase(
    "Append to the values", ("V",), "Kept rows, then the new ones.", defines=True,
    words="The same for the values. Keys and values of all tokens so far are the cache: all that "
    "the next token needs of the text before it.",
)  # fmt: skip
SEES_ALL = Phase(
    "Mask", ("mask", "masked"), "The last query sees every key.",
    words="No token may read from later ones. The last query is the newest token, so it sees every "
    "key: with one new token nothing is hidden. Where several are new, each of them sees none of "
    "those after it.",
)  # fmt: skip


@dataclass(frozen=True)
class UpperLeft(Rule):
    """Causal as if the first query stood at the first key, wherever it stands."""

    def counted(self, T: int, S: int) -> str:
        return ""  # each reason says it

    def reason(self, i: int, j: int) -> str:
        sees = f"the first {i + 1} keys" if i else "the first key alone"
        return f"the triangle begins at the first key, so number {i + 1} of the queries sees {sees}"


@lru_cache(maxsize=128)
def decoding_program(heads: int, kept: int, upper_left: bool = False) -> Program:
    """Causal attention of new tokens, of which `kept` (1 or more) came before.

    Query i stands at position `kept` + i, and what comes after it is hidden: the mask's triangle
    ends in the lower right corner. With `upper_left` it begins at the first key, as `is_causal` of
    PyTorch's `scaled_dot_product_attention` has it.
    """
    rule = UpperLeft("causal") if upper_left else Rule("causal", offset=kept)
    base = attention_program(heads=heads)
    made = (
        base.replaced("K", *_cached("K", "k", "key", kept))
        .replaced("V", *_cached("V", "v", "value", kept))
        .replaced("mask", Step("mask", visible(rule), ("scaled",), words.mask(rule)))
        .replaced("masked", replace(base.step["masked"], meaning=words.masked(rule)))
    )
    return replace(
        made,
        inputs=(
            *base.inputs,
            Input("K_kept", "g p k", _kept("K"), role="key"),
            Input("V_kept", "g p v", _kept("V"), role="value"),
        ),
        phases=(
            NEW, PROJECT_NEW, APPEND_KEY, APPEND_VALUE, SCORE, SCALE, _masking(upper_left),
            SOFTMAX, WEIGH, JOIN,
        ),
        axes={
            **AXES,
            "i": replace(AXES["i"], offset=kept),
            "p": Axis("kept position", POSITION, "key", "T"),
        },
    )  # fmt: skip


def _cached(name: str, letter: str, role: str, kept: int) -> tuple[Step, Step]:
    """The rows of new tokens, and all rows so far."""
    new = f"{name}_new"
    project = matmul(f"i m, g m {letter} -> g i {letter}")
    append = append_rows(f"g j+0 {letter}, g j-{{first}} {letter} -> g j {letter}")
    return (
        Step(new, project, ("X", f"W_{name}"), _new(name), role),
        Step(name, append, (f"{name}_kept", new), _appended(name, kept), role),
    )


def last_rows(whole: Trace, new: int) -> Inputs:
    """What a decoder is given for the last tokens of a run: their rows of X, K and V of the rest.

    What was kept was computed in that run, noise and all.
    """
    kept = len(whole.tokens) - new
    arrays = {name: whole[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
    arrays |= {"X": whole["X"][kept:]}
    arrays |= {f"{name}_kept": whole[name][:, :kept] for name in ("K", "V")}
    noise = {f"{name}_kept": whole.noise[name] for name in ("K", "V")}
    return Inputs(arrays, whole.tokens, noise=noise)


def _masking(upper_left: bool) -> Phase:
    if upper_left:
        return Phase(
            "Mask", ("mask", "masked"), "The triangle begins at the first key.",
            words="Here the first query is taken to stand at the first key, though it comes after "
            "all that were kept: it sees that key alone, and each next query one more. The shapes "
            "fit and nothing fails, but keys that each query should read are hidden from it.",
        )  # fmt: skip
    return SEES_ALL


_DOES = {"K": "can be found by", "V": "hands over"}
"""What a token does with its key, and with its value."""


def _kept(name: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, p, feature = cell
        token = told_label(trace, "p", p)
        return (
            f"Feature {feature + 1} of what {token} {_DOES[name]}. It was computed when {token} "
            "was new, and kept."
        )

    return meaning


def _new(name: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, i, feature = cell
        token = told_label(trace, "i", i)
        return (
            f"Feature {feature + 1} of what {token} {_DOES[name]}: its row of X times a column of "
            f"W_{name}."
        )

    return meaning


def _appended(name: str, kept: int) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, j, feature = cell
        token = told_label(trace, "j", j)
        come = "just computed" if j >= kept else "kept from before"
        return f"Feature {feature + 1} of what {token} {_DOES[name]}: {come}."

    return meaning
