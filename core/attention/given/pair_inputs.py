"""What is given for each pair of a query and a key: a mask by heads, a bias added to the scores."""

from dataclasses import replace

from core.attention import cell_descriptions as describe
from core.operations.masking import mask_fill_by_head
from core.operations.sums import add
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("given")
OF_ALL, BY_HEAD = "i j", "h i j"
AXES_OF = {2: OF_ALL, 3: BY_HEAD}
"""The axes of a mask or a bias that all heads share, and of one that each head has for itself."""


def with_mask_by_head(program: Program) -> Program:
    """Return an attention program whose mask, an input, has an axis of heads."""
    inputs = [
        replace(given, axes=BY_HEAD) if given.name == "mask" else given for given in program.inputs
    ]
    masked = replace(program.step["masked"], operation=mask_fill_by_head())
    return replace(program, inputs=tuple(inputs)).replaced("masked", masked)


def with_score_bias(program: Program, axes: str) -> Program:
    """Return an attention program that adds a bias, an input with these axes, to its scores.

    The sum is a step of its own, `biased`, between the scaling and the mask: ALiBi (Press et al.
    2022), T5 (Raffel et al. 2020), and an `attn_mask` of finite numbers.
    """
    biased = meaning(TEXTS, "biased", BY_HEAD, query="i", key="j")
    added = Step("biased", add(f"h i j, {axes} -> h i j"), ("scaled", "bias"), biased)
    steps: list[Step] = []
    for step in program.steps:
        if step.name == "masked":
            step = replace(step, operands=("biased", *step.operands[1:]))
        steps.append(step)
        if step.name == "scaled":
            steps.append(added)
    phases: list[Phase] = []
    for one in program.phases:
        phases.append(one)
        if "scaled" in one.names:
            phases.append(phase(TEXTS, "added", ("bias", "biased")))
    given = Input("bias", axes, _bias)
    return replace(
        program, inputs=(*program.inputs, given), steps=tuple(steps), phases=tuple(phases)
    )


def _bias(trace: Trace, cell: Cell) -> str:
    *head, i, j = cell
    visible = describe.visible_to(trace, head[0] if head else 0, i)
    query, key = told_label(trace, "i", i), told_label(trace, "j", j)
    return TEXTS("bias", query=query, key=key, hidden=not visible[j])
