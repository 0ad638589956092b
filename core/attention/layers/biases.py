"""Biases of the four projections, as most trained models have them: Q = X W_Q + b_Q."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from core.operations.products import affine, matmul
from core.program.described import meaning
from core.program.labels import listed_names
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase
from core.texts import core_texts

TEXTS = core_texts("biases")
_OF: Mapping[str, tuple[str, str, str]] = {
    "b_Q": ("Q", "query_bias", "query"),
    "b_K": ("K", "key_bias", "key"),
    "b_V": ("V", "value_bias", "value"),
    "b_O": ("output", "output_bias", "output"),
}
"""The step in which each is added, the text of the bias and that of the step's cells."""
BIASES = tuple(_OF)
"""The names of the biases: H × d_k, G × d_k, G × d_v, and d_model."""


def with_biases(program: Program, names: tuple[str, ...]) -> Program:
    """Return the attention program with these biases as inputs, each added in its projection."""
    for name in names:
        array, bias, result = _OF[name]
        step = program.step[array]
        assert isinstance(step.operation, matmul)
        factors, product = step.operation.template.split(" -> ")
        *heads, token, feature = program.letters[array]
        axes = " ".join((*heads, feature))
        given = Input(name, axes, meaning(TEXTS, bias, axes, feature=feature), role=step.role)
        letters = " ".join(program.letters[array])
        of_sum = meaning(TEXTS, result, letters, token=token, feature=feature)
        made = replace(
            step,
            operation=affine(f"{factors}, {axes} -> {product}"),
            operands=(*step.operands, name),
            meaning=_unless_given(array, of_sum, step.meaning),
        )
        program = replace(program.replaced(array, made), inputs=(*program.inputs, given))
    biased = [step_of_bias(name) for name in names]
    return replace(program, phases=tuple(biased_phase(phase, biased) for phase in program.phases))


def step_of_bias(name: str) -> str:
    """Return the step in which a bias is added: Q, K, V or output."""
    return _OF[name][0]


def biased_phase(phase: Phase, biased: Collection[str]) -> Phase:
    """Return a phase whose words say which of its arrays are `biased`: have a bias added."""
    steps = [name for name in biased if name in phase.names]
    if not steps:
        return phase
    return replace(phase, words=f"{phase.words} {TEXTS('added', names=listed_names(steps))}")


def _unless_given(array: str, made: Meaning, given: Meaning) -> Meaning:
    """Return what is said of an array that is made, and of one that is given."""
    return lambda trace, cell: (given if array in trace.pinned else made)(trace, cell)
