"""Attention one step of writing at a time: new tokens meet keys and values that were kept.

The steps are those of `core.attention.program`. K_kept and V_kept are the rows of earlier tokens
(a cache), p counts them; the rows of the new tokens are appended to them.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from core.attention.axes import AXES
from core.attention.layers.layer import ROLES, appended_rows, kept_rows, token_feature
from core.attention.masks import TEXTS as MASKS
from core.attention.masks import Rule
from core.attention.phases import JOIN, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import cached_program
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.described import phase
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("layers")
NEW = phase(TEXTS, "new", ("X",))
PROJECT_NEW = phase(TEXTS, "project", ("Q", "K_new", "V_new"), defines=True)
APPEND_KEY = phase(TEXTS, "append_key", ("K",), defines=True)
APPEND_VALUE = phase(TEXTS, "append_value", ("V",), defines=True)
SEES_ALL = phase(TEXTS, "sees_all", ("mask", "masked"))
_UPPER_LEFT = phase(TEXTS, "upper_left", ("mask", "masked"))


@dataclass(frozen=True)
class UpperLeft(Rule):
    """Causal as if the first query stood at the first key, wherever it stands."""

    def query_positions(self, T: int, S: int) -> str:
        return ""  # each reason says it

    def reason(self, i: int, j: int) -> str:
        return MASKS("from_first_key", query=i + 1)


@lru_cache(maxsize=128)
def decoding_program(heads: int, kept: int, upper_left: bool = False) -> Program:
    """Causal attention of new tokens, of which `kept` (1 or more) came before.

    Query i stands at position `kept` + i, and what comes after it is hidden: the mask's triangle
    ends in the lower right corner. With `upper_left` it begins at the first key, as `is_causal` of
    PyTorch's `scaled_dot_product_attention` has it.
    """
    rule = UpperLeft("causal") if upper_left else Rule("causal", offset=kept)
    base = cached_program(heads, heads, rule)
    for name in "KV":
        base = base.replaced(name, _of_new_tokens(name), appended_rows(str, name, "g", "j", kept))
    return replace(
        base,
        inputs=(*base.inputs, *kept_rows(str, "g")),
        phases=(
            NEW, PROJECT_NEW, APPEND_KEY, APPEND_VALUE, SCORE, SCALE,
            _UPPER_LEFT if upper_left else SEES_ALL, SOFTMAX, WEIGH, JOIN,
        ),
        axes={
            **AXES,
            "i": replace(AXES["i"], offset=kept),
            "p": Axis(TEXTS("kept_axis"), POSITION, TEXTS("key_word"), "T"),
        },
    )  # fmt: skip


def _of_new_tokens(name: str) -> Step:
    """Keys or values of the new tokens alone."""
    letter, role = ROLES[name]
    project = matmul(f"i m, g m {letter} -> g i {letter}")
    said = token_feature({"K": "new_key", "V": "new_value"}[name], f"g i {letter}")
    return Step(f"{name}_new", project, ("X", f"W_{name}"), said, role)


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
