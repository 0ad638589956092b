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


_OF: Mapping[str, Bias] = MappingProxyType(
    {
        "b_Q": Bias(
            "Q",
            "h k",
            "query",
            meaning(TEXTS, "query_bias", "h k", feature="k"),
            meaning(TEXTS, "query", "h i k", token="i", feature="k"),
        ),
        "b_K": Bias(
            "K",
            "g k",
            "key",
            meaning(TEXTS, "key_bias", "g k", feature="k"),
            meaning(TEXTS, "key", "g j k", token="j", feature="k"),
        ),
        "b_V": Bias(
            "V",
            "g v",
            "value",
            meaning(TEXTS, "value_bias", "g v", feature="v"),
            meaning(TEXTS, "value", "g j v", token="j", feature="v"),
        ),
        "b_O": Bias(
            "output",
            "m",
            "",
            meaning(TEXTS, "output_bias", "m", feature="m"),
            meaning(TEXTS, "output", "i m", token="i", feature="m"),
        ),
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
    return replace(program, phases=tuple(_phase(phase, names) for phase in program.phases))


def _phase(phase: Phase, names: tuple[str, ...]) -> Phase:
    """Return a phase whose words say which of its arrays have a bias added."""
    return biased_phase(phase, [_OF[name].step for name in names])


def biased_phase(phase: Phase, biased: Collection[str]) -> Phase:
    """Return a phase whose words say which of its arrays are `biased`: have a bias added."""
    steps = [name for name in biased if name in phase.names]
    if not steps:
        return phase
    return replace(phase, words=f"{phase.words} {TEXTS('added', names=listed_names(steps))}")


def _said(bias: Bias, given: Meaning) -> Meaning:
    """Return what is said of what a projection makes; `given` says it if the result is given."""
    return lambda trace, cell: (given if bias.step in trace.pinned else bias.made)(trace, cell)
