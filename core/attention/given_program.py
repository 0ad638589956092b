"""Attention of arrays that are given: programs that begin at Q, K, V, or at the weights.

They are the steps of `core.attention.program` from the scores on, and end at each head's context:
what PyTorch's `scaled_dot_product_attention` returns.
"""

from dataclasses import replace
from functools import lru_cache

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.lengths import phase_of_lengths
from core.attention.masks import Rule
from core.attention.phases import OPEN, WEIGH, phases
from core.attention.program import cached_program
from core.operations.masking import mask_fill, mask_fill_by_head
from core.operations.sums import add
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.operation import SHARES
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text, typeset
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("given")
KEYS = "keys"
"""What the list of the keys' tokens is called, if it is not that of the queries."""
OF_ALL, BY_HEAD = "i j", "h i j"
AXES_OF = {2: OF_ALL, 3: BY_HEAD}
"""The axes of a mask or a bias that all heads share, and of one that each head has for itself."""


_VALUE = Input("V", "g j v", meaning(TEXTS, "value", "g j v", token="j", feature="v"), role="value")


@lru_cache(maxsize=128, typed=True)  # a scale of 1 is not the scale True
def vectors_program(
    heads: int,
    groups: int,
    rule: Rule,
    scale: bool | float = True,
    mask: str = OF_ALL,
    bias: str = "",
) -> Program:
    """softmax(mask(QKᵀ · scale + bias)) V of given Q, K and V, of any number of queries and keys.

    `mask` has the axes of the mask if the rule is custom, `bias` those of what is added to the
    scores; "": nothing is.
    """
    whole = cached_program(heads, groups, rule, scale)
    kept = ("scores", "scaled", "mask", "masked", "weights", "context")
    steps = {name: whole.step[name] for name in kept if name in whole.step}
    inputs = [
        Input("Q", "h i k", meaning(TEXTS, "query", "h i k", token="i", feature="k"), role="query"),
        Input("K", "g j k", meaning(TEXTS, "key", "g j k", token="j", feature="k"), role="key"),
        _VALUE,
    ]
    if rule.name == "custom":
        inputs.append(Input("mask", mask, describe.mask(rule), boolean=True))
        fill = mask_fill_by_head() if mask == BY_HEAD else mask_fill()
        steps["masked"] = replace(steps["masked"], operation=fill)
    if bias:
        inputs.append(Input("bias", bias, _bias))
        biased = meaning(TEXTS, "biased", BY_HEAD, query="i", key="j")
        added = Step("biased", add(f"h i j, {bias} -> h i j"), ("scaled", "bias"), biased)
        masked = replace(steps["masked"], operands=("biased", "mask"))
        steps = {"scores": steps["scores"], "scaled": steps["scaled"], "biased": added} | steps
        steps["masked"] = masked
    return Program(
        tuple(inputs),
        tuple(steps.values()),
        tuple(_phases(rule, scale, bool(bias))),
        {"h": heads, "g": groups},
        _AXES,
    )


_AXES = {**AXES, "j": replace(AXES["j"], size="S")}


def _phases(rule: Rule, scale: bool | float, bias: bool) -> list[Phase]:
    _, _, score, scaling, masking, softmax, mix, _ = phases(rule, scale)
    if scale is False:
        scaling = phase(TEXTS, "unscaled", ("scaled",))
    if rule.name == "none":
        masking = OPEN
    vectors = phase(TEXTS, "vectors", ("Q", "K", "V"), defines=True)
    added = [phase(TEXTS, "added", ("bias", "biased"))] if bias else []
    return [vectors, score, scaling, *added, masking, softmax, mix]


@lru_cache(maxsize=128)
def weights_program(heads: int, groups: int = 0) -> Program:
    """weights V of given weights and values; the weights alone if there are no `groups` of V."""
    weights = Input("weights", "h i j", _weight, role="weights", palette=SHARES)
    context = cached_program(heads, groups or 1, Rule("none"), True).step["context"]
    read = phase(TEXTS, "weights", ("weights",))
    return Program(
        (weights, _VALUE) if groups else (weights,),
        (replace(context, meaning=_mixture),) if groups else (),
        (read, WEIGH) if groups else (read,),
        {"h": heads, **({"g": groups} if groups else {})},
        _AXES,
    )


def of_positions(program: Program, rule: Rule, T: int, S: int, one_text: bool) -> Program:
    """Return the program for T queries and S keys: of one list of tokens, or of one for each.

    The queries of a triangle in the lower right corner are the last tokens of the keys.
    """
    query, key = program.axis("i"), program.axis("j")
    if one_text:
        query = replace(query, offset=rule.shift(T, S) if rule.kind.by_position else 0)
    else:
        key = replace(key, tokens=KEYS)
    said = program.phases
    if T != S:
        said = tuple(phase_of_lengths(phase, rule, T, S) for phase in said)
    return replace(program, axes={**program.axes, "i": query, "j": key}, phases=said)


def _bias(trace: Trace, cell: Cell) -> str:
    *head, i, j = cell
    visible = describe.visible_to(trace, head[0] if head else 0, i)
    query, key = told_label(trace, "i", i), told_label(trace, "j", j)
    return TEXTS("bias", query=query, key=key, hidden=not visible[j])


def _weight(trace: Trace, cell: Cell) -> str:
    h, i, j = cell
    row = trace["weights"][h, i]
    return TEXTS(
        "weight",
        query=told_label(trace, "i", i),
        key=told_label(trace, "j", j),
        percent=typeset(cell_text(100 * float(row[j]))),
        total=cell_text(float(row.sum())),
    )


def _mixture(trace: Trace, cell: Cell) -> str:
    reads = trace["weights"][cell[:2]].any()
    return describe.context(trace, cell) if reads else _nothing(trace, cell)


_nothing = meaning(TEXTS, "nothing", "h i v", token="i", feature="v")
