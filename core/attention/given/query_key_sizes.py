"""Other sizes than a sentence has: T queries and S keys, an output of another width than X."""

from dataclasses import replace

from core.attention.masks import LOWER_RIGHT, Rule
from core.attention.phases import HIDDEN
from core.operations.products import affine, matmul
from core.program.axes import Axis
from core.program.program import Program
from core.program.steps import Phase
from core.texts import core_texts

TEXTS = core_texts("masks")


def of_lengths(program: Program, rule: Rule, T: int, S: int, rows: int) -> Program:
    """Return the attention program for T queries and S keys, if X has `rows` rows.

    The queries of a triangle in the lower right corner are the last tokens, and are labelled as
    these. Rows of X are tokens of the keys where they are not as many as the queries.
    """
    if T == S:
        return program
    inputs = [
        replace(given, axes="j m") if given.name == "X" and rows != T else given
        for given in program.inputs
    ]
    axes = {**program.axes, "i": replace(program.axis("i"), offset=rule.shift(T, S))}
    phases = tuple(phase_of_lengths(phase, rule, T, S) for phase in program.phases)
    return replace(program, inputs=tuple(inputs), axes=axes, phases=phases)


def of_output_width(program: Program) -> Program:
    """Return the attention program for a W_O that gives an output of another width than X."""
    axis = Axis("output feature", word="feature", size="d_out")
    step = program.step["output"]
    inputs = [
        replace(given, axes=given.axes.replace("m", "n")) if given.name in step.operands else given
        for given in program.inputs
    ]
    operation = step.operation
    assert isinstance(operation, matmul | affine)
    output = replace(step, operation=type(operation)(operation.template.replace("m", "n")))
    widened = replace(program, inputs=tuple(inputs), axes={**program.axes, "n": axis})
    return widened.replaced("output", output)


def corner_said(rule: Rule, T: int, S: int) -> str:
    """Return which tokens the queries are taken for, as a sentence."""
    if S <= T:
        return TEXTS("same_positions")
    corner = "last_queries" if rule.corner == LOWER_RIGHT else "first_queries"
    return TEXTS(corner, queries=T, keys=S)


def phase_of_lengths(phase: Phase, rule: Rule, T: int, S: int) -> Phase:
    """Return the masking phase with these lengths in words; any other phase as it is."""
    if "masked" not in phase.names or not rule.kind.by_position:
        return phase
    corner = corner_said(rule, T, S)
    words = TEXTS("lengths", queries=T, keys=S, corner=corner, sees=rule.summary, hidden=HIDDEN)
    return replace(phase, words=words)
