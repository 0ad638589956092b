"""Attention of arrays that are given: programs that begin at Q, K, V, or at the weights.

They are the steps of `core.attention.program` from the scores on, and end at each head's context:
what PyTorch's `scaled_dot_product_attention` returns.
"""

from dataclasses import replace
from functools import lru_cache

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.masks import Rule
from core.attention.phases import OPEN, WEIGH, phases
from core.attention.program import cached_program
from core.operations.masking import mask_fill_by_head
from core.operations.sums import add
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.numbers.rounding import cell_text
from core.program.operation import SHARES
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("given")
OF_ALL, BY_HEAD = "i j", "h i j"
AXES_OF = {2: OF_ALL, 3: BY_HEAD}
"""The axes of a mask or a bias that all heads share, and of one that each head has for itself."""


def with_pair_inputs(program: Program, mask: str, bias: str) -> Program:
    """Return an attention program whose mask, if it is an input, has these axes.

    With axes of a bias, an input, that is added to the scores.
    """
    if mask == BY_HEAD:
        masked = replace(program.step["masked"], operation=mask_fill_by_head())
        program = program.with_input("mask", axes=BY_HEAD).replaced("masked", masked)
    return _with_score_bias(program, bias) if bias else program


def _with_score_bias(program: Program, axes: str) -> Program:
    """An attention program that adds a bias, an input with these axes, to its scores.

    The sum is a step of its own, `biased`, between the scaling and the mask: ALiBi (Press et al.
    2022), T5 (Raffel et al. 2020), and an `attn_mask` of finite numbers.
    """
    biased = meaning(TEXTS, "biased", BY_HEAD, query="i", key="j")
    added = Step("biased", add(f"h i j, {axes} -> h i j"), ("scaled", "bias"), biased)
    stop = phase(TEXTS, "added", ("bias", "biased"))
    scaled, masked = program.step["scaled"], program.step["masked"]
    masked = replace(masked, operands=("biased", *masked.operands[1:]))
    changed = program.replaced("scaled", scaled, added).replaced("masked", masked)
    given = Input("bias", axes, _bias)
    return replace(changed, inputs=(*program.inputs, given)).with_phases("scaled", after=[stop])


def _bias(trace: Trace, cell: Cell) -> str:
    *head, i, j = cell
    visible = describe.visible_to(trace, head[0] if head else 0, i)
    query, key = told_label(trace, "i", i), told_label(trace, "j", j)
    return TEXTS("bias", query=query, key=key, hidden=not visible[j])


_LESS_THAN_1 = 0.995
"""A row whose sum is below is printed with a sum of .99 or less."""
_VALUE = Input("V", "g j v", meaning(TEXTS, "value", "g j v", token="j", feature="v"), role="value")


@lru_cache(maxsize=128, typed=True)  # a scale of 1 is not the scale True
def vectors_program(
    heads: int,
    groups: int,
    rule: Rule,
    scale: bool | float = True,
    mask: str = OF_ALL,
    bias: str = "",
    output: bool = False,
) -> Program:
    """softmax(mask(QKᵀ · scale + bias)) V of given Q, K and V, of any number of queries and keys.

    `mask` has the axes of the mask if the rule is custom, `bias` those of what is added to the
    scores; "": nothing is. With `output` a given W_O follows.
    """
    whole = cached_program(heads, groups, rule, scale)
    kept = ("scores", "scaled", "mask", "masked", "weights", "context")
    inputs = [
        Input("Q", "h i k", meaning(TEXTS, "query", "h i k", token="i", feature="k"), role="query"),
        Input("K", "g j k", meaning(TEXTS, "key", "g j k", token="j", feature="k"), role="key"),
        _VALUE,
    ]
    if rule.name == "custom":
        inputs.append(Input("mask", OF_ALL, describe.mask(rule), boolean=True))
    program = Program(
        tuple(inputs),
        tuple(whole.step[name] for name in kept if name in whole.step),
        tuple(_phases(rule, scale)),
        {"h": heads, "g": groups},
        _AXES,
    )
    program = with_pair_inputs(program, mask, bias)
    return _with_output(program, whole) if output else program


_AXES = {**AXES, "j": replace(AXES["j"], size="S")}


def _phases(rule: Rule, scale: bool | float) -> list[Phase]:
    _, _, score, scaling, masking, softmax, mix, _ = phases(rule, scale)
    if scale is False:
        scaling = phase(TEXTS, "unscaled", ("scaled",))
    if rule.name == "none":
        masking = OPEN
    vectors = phase(TEXTS, "vectors", ("Q", "K", "V"), defines=True)
    return [vectors, score, scaling, masking, softmax, mix]


def _with_output(program: Program, whole: Program) -> Program:
    """Return a program of given arrays with the last two steps of the whole one, and its W_O."""
    return replace(
        program,
        inputs=(*program.inputs, next(one for one in whole.inputs if one.name == "W_O")),
        steps=(*program.steps, whole.step["concat"], whole.step["output"]),
        phases=(*program.phases, whole.phases[-1]),
    )


@lru_cache(maxsize=128)
def weights_program(heads: int, groups: int = 0, output: bool = False) -> Program:
    """weights V of given weights and values; the weights alone if there are no `groups` of V.

    With `output` a given W_O follows.
    """
    weights = Input("weights", "h i j", _weight, role="weights", palette=SHARES)
    whole = cached_program(heads, groups or 1, Rule("none"), True)
    read = phase(TEXTS, "weights", ("weights",))
    program = Program(
        (weights, _VALUE) if groups else (weights,),
        (replace(whole.step["context"], meaning=_mixture),) if groups else (),
        (read, WEIGH) if groups else (read,),
        {"h": heads, **({"g": groups} if groups else {})},
        _AXES,
    )
    return _with_output(program, whole) if output else program


def _weight(trace: Trace, cell: Cell) -> str:
    h, i, j = cell
    row = trace["weights"][h, i]
    named = {"query": told_label(trace, "i", i), "key": told_label(trace, "j", j)}
    less, total = bool(0 < row.sum() < _LESS_THAN_1), cell_text(float(row.sum()))
    return TEXTS("weight", **named, percent=weight_percent(row[j]), total=total, less=less)


def _mixture(trace: Trace, cell: Cell) -> str:
    reads = trace["weights"][cell[:2]].any()
    return describe.context(trace, cell) if reads else _nothing(trace, cell)


_nothing = meaning(TEXTS, "nothing", "h i v", token="i", feature="v")
