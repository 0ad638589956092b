"""Biases of the four projections, as most trained models have them: Q = X W_Q + b_Q."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.operations.products import affine, matmul
from core.program.described import meaning
from core.program.labels import listed_names
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase
from core.texts import core_texts

TEXTS = core_texts("biases")


@dataclass(frozen=True)
class Bias:
    """What a bias is added to, the letters of its axes, and what is said of both."""

    step: str
    axes: str
    role: str
    meaning: Meaning
    made: Meaning


def _bias(step: str, role: str, ids: tuple[str, str], axes: str, rows: str) -> Bias:
    """The bias of a projection, and the texts of both.

    `rows` are the letters of the result's axes before the feature.
    """
    feature, token = axes[-1], rows[-1]
    return Bias(
        step,
        axes,
        role,
        meaning(TEXTS, ids[0], axes, feature=feature),
        meaning(TEXTS, ids[1], f"{rows} {feature}", token=token, feature=feature),
    )


_OF: Mapping[str, Bias] = MappingProxyType(
    {
        "b_Q": _bias("Q", "query", ("query_bias", "query"), "h k", "h i"),
        "b_K": _bias("K", "key", ("key_bias", "key"), "g k", "g j"),
        "b_V": _bias("V", "value", ("value_bias", "value"), "g v", "g j"),
        "b_O": _bias("output", "", ("output_bias", "output"), "m", "i"),
    }
)
BIASES = tuple(_OF)
"""The names of the biases: H × d_k, G × d_k, G × d_v, and d_model."""


def with_biases(program: Program, names: tuple[str, ...]) -> Program:
    """Return the attention program with these biases as inputs, each added in its projection."""
    for name in names:
        bias = _OF[name]
        step = program.step[bias.step]
        assert isinstance(step.operation, matmul)
        operands, result = step.operation.template.split(" -> ")
        added = affine(f"{operands}, {bias.axes} -> {result}")
        given = Input(name, bias.axes, bias.meaning, role=bias.role)
        made = replace(
            step,
            operation=added,
            operands=(*step.operands, name),
            meaning=_said(bias, step.meaning),
        )
        program = replace(program.replaced(bias.step, made), inputs=(*program.inputs, given))
    biased = [_OF[name].step for name in names]
    return replace(program, phases=tuple(biased_phase(phase, biased) for phase in program.phases))


def biased_phase(phase: Phase, biased: Collection[str]) -> Phase:
    """Return a phase whose words say which of its arrays are `biased`: have a bias added."""
    steps = [name for name in biased if name in phase.names]
    if not steps:
        return phase
    return replace(phase, words=f"{phase.words} {TEXTS('added', names=listed_names(steps))}")


def _said(bias: Bias, given: Meaning) -> Meaning:
    """Return what is said of what a projection makes; `given` says it if the result is given."""
    return lambda trace, cell: (given if bias.step in trace.pinned else bias.made)(trace, cell)
