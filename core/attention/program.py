"""Causal self-attention as the list of steps that it is.

Throughout, h is a head, g a key/value head, i a query position, j a key position, m a model
feature, k a key feature, v a value feature, c a feature of the joined heads. "Scores" are before
softmax, "weights" after; in a mask True means visible.
"""

from collections.abc import Collection
from functools import lru_cache

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.inputs import check_heads
from core.attention.layers.biases import BIASES, with_biases
from core.attention.masks import CORNERS, KINDS, UPPER_LEFT, Rule, check_mask_sizes, rule_of
from core.attention.phases import phases
from core.errors import input_error
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root, multiply_by
from core.operations.shapes import join_heads
from core.operations.softmax import softmax
from core.program.operation import Operation
from core.program.program import Program
from core.program.steps import Input, Step
from core.texts import core_texts

TEXTS = core_texts("setups")


def attention_program(
    heads: int = 2,
    kv_heads: int | None = None,
    mask: str = "causal",
    scale: bool | float = True,
    corner: str = UPPER_LEFT,
    biases: bool | Collection[str] = False,
    **sizes: int,
) -> Program:
    """Multi-head self-attention (Vaswani et al. 2017, eq. 1 and section 3.2.2; T).

    `kv_heads` < `heads` shares keys and values between groups of heads (grouped-query attention,
    Ainslie et al. 2023; one: multi-query, Shazeer 2019). `mask` is causal, none, window (the last
    `window` keys), prefix (the first `prefix` keys too), custom (an input of its own), or another
    of the `KINDS` of masks; `sizes` are those of masks by their keys, as in window=3. `scale` True
    divides by √d_k, False leaves the scores, a number multiplies them. `corner` says which tokens
    the queries are where they are fewer than the keys: upper-left the first, lower-right the last.
    `biases` names those that are inputs too, of `BIASES`; True means all of them: then
    Q = X W_Q + b_Q, as in PyTorch's `MultiheadAttention`. Raises `InputError`.
    """
    groups = heads if kv_heads is None else kv_heads
    check_heads(heads, groups)
    _check(mask, scale, corner)
    check_mask_sizes(sizes)
    if isinstance(biases, bool):
        biases = BIASES if biases else ()
    for name in biases:
        if name not in BIASES:
            raise input_error(TEXTS, "no_bias", given=repr(name), biases=", ".join(BIASES))
    added = tuple(name for name in BIASES if name in biases)
    return cached_program(heads, groups, rule_of(mask, sizes, corner), scale, added)


@lru_cache(maxsize=128, typed=True)  # a scale of 1 is not the scale True
def cached_program(
    heads: int, groups: int, rule: Rule, scale: bool | float = True, biases: tuple[str, ...] = ()
) -> Program:
    """The one program of these settings: what it says of itself is worked out once."""
    inputs = [
        Input("X", "i m", describe.X),
        Input("W_Q", "h m k", describe.weight("query"), role="query"),
        Input("W_K", "g m k", describe.weight("key"), role="key"),
        Input("W_V", "g m v", describe.weight("value"), role="value"),
        Input("W_O", "c m", describe.output_weight),
    ]
    products = matmul_transposed("h i k, h//{group} j k -> h i j")
    mixture = matmul("h i j, h//{group} j v -> h i v")
    steps = [
        Step("Q", matmul("i m, h m k -> h i k"), ("X", "W_Q"), describe.query, "query", "h i k"),
        Step("K", matmul("i m, g m k -> g i k"), ("X", "W_K"), describe.key, "key", "g j k"),
        Step("V", matmul("i m, g m v -> g i v"), ("X", "W_V"), describe.value, "value", "g j v"),
        Step("scores", products, ("Q", "K"), describe.score),
        Step("scaled", *_scaling(scale), describe.scaled(scale)),
        Step("mask", visible(rule), ("scaled",), describe.mask(rule)),
        Step("masked", mask_fill(), ("scaled", "mask"), describe.masked(rule)),
        Step("weights", softmax(), ("masked",), describe.attention_weight, "weights"),
        Step("context", mixture, ("weights", "V"), describe.context),
        Step("concat", join_heads(), ("context",), describe.joined),
        Step("output", matmul("i c, c m -> i m"), ("concat", "W_O"), describe.output),
    ]
    if rule.kind.given:
        inputs.append(Input("mask", "i j", describe.mask(rule), boolean=True))
        steps = [step for step in steps if step.name != "mask"]
    program = Program(
        tuple(inputs), tuple(steps), phases(rule, scale, heads), {"h": heads, "g": groups}, AXES
    )
    return with_biases(program, biases) if biases else program


def _scaling(scale: bool | float) -> tuple[Operation, tuple[str, ...]]:
    if scale is True:
        return divide_by_root(), ("scores", "K")
    return multiply_by(float(scale) if scale else 1.0), ("scores",)


def _check(mask: str, scale: bool | float, corner: str) -> None:
    if mask not in KINDS:
        raise input_error(TEXTS, "no_mask", given=repr(mask), masks=", ".join(KINDS))
    if scale is not False and not (0 < float(scale) < float("inf")):
        raise input_error(TEXTS, "no_factor", given=str(scale))
    if corner not in CORNERS:
        upper_left, lower_right = CORNERS
        raise input_error(
            TEXTS, "no_corner", given=repr(corner), upper_left=upper_left, lower_right=lower_right
        )
