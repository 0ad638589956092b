"""One head of a real model as a program, from what its layer reads to its part of the output.

It is the attention program with one head. What is said of the first and the last arrays differs,
because here a layer is inside of a model and a head is one of several.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from core.attention.layers.queries_and_keys import with_head_norms, with_rotation
from core.attention.phases import OPEN
from core.attention.program import attention_program
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Phase
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("model_head")

NO_ROPE, NEIGHBOURS, HALVES = "none", "neighbours", "halves"

_X = meaning(TEXTS, "read", "i m", token="i", feature="m")
_OUTPUT = meaning(TEXTS, "part", "i m", token="i", feature="m")
_OF_PHASE = {
    "X": phase(TEXTS, "reading", ("X",)),
    "output": phase(TEXTS, "joining", ("concat", "output")),
}
"""The phases that are about something else than in a layer by itself, by their last array."""


@lru_cache(maxsize=64)
def head_program(
    is_causal: bool = True,
    is_scaled: bool = True,
    biases: Collection[str] = (),
    rope: str = NO_ROPE,
    norm_epsilon: float | None = None,
) -> Program:
    """X, W_Q, W_K, W_V and W_O of one head → its weights, its context, its part of the output.

    `biases` are those of b_Q, b_K, b_V that the model has, `rope` which features are pairs.
    `norm_epsilon` is that of the norms of queries and keys, None without such norms. The bias of
    the output belongs to no head, and is left out.
    """
    mask = "causal" if is_causal else "none"
    program = attention_program(heads=1, mask=mask, scale=is_scaled, biases=biases)
    if norm_epsilon is not None:
        program = with_head_norms(program, norm_epsilon)
    if rope != NO_ROPE:
        program = with_rotation(program, halves=rope == HALVES)
    said = {"X": _X, "W_O": _output_weight}
    return replace(
        program,
        inputs=tuple(
            replace(one, meaning=said.get(one.name, one.meaning)) for one in program.inputs
        ),
        steps=tuple(
            replace(step, meaning=_OUTPUT) if step.name == "output" else step
            for step in program.steps
        ),
        phases=tuple(_phase(one, is_causal, is_scaled) for one in program.phases),
    )


def _phase(one: Phase, is_causal: bool, is_scaled: bool) -> Phase:
    return _OF_PHASE.get(one.names[-1], told_phase(one, is_causal, is_scaled))


def told_phase(one: Phase, is_causal: bool, is_scaled: bool) -> Phase:
    """Return a phase of attention as it is told of a real model without a mask, or a scale."""
    last = one.names[-1]
    if last == "masked" and not is_causal:
        return OPEN
    if last == "scaled" and not is_scaled:
        return phase(TEXTS, "unscaled", ("scaled",))
    return one


def _output_weight(trace: Trace, cell: Cell) -> str:
    c, m = cell
    return TEXTS("output_weight", row=c + 1, column=told_label(trace, "m", m))
