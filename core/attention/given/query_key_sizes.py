"""Other sizes than a sentence has: T queries and S keys with their tokens, an output of another
width than X.
"""

from dataclasses import replace
from typing import Any

from core.attention.given.given_arrays import position_tokens, read_tokens
from core.attention.masks import LOWER_RIGHT, Rule
from core.attention.phases import HIDDEN
from core.operations.products import affine, matmul
from core.program.axes import Axis
from core.program.program import Program
from core.texts import core_texts

TEXTS = core_texts("masks")
KEYS = "keys"
"""What the list of the keys' tokens is called, if it is not that of the queries."""
Tokens = tuple[str, ...]


def of_lengths(program: Program, rule: Rule, T: int, S: int, rows: int) -> Program:
    """Return the attention program for T queries and S keys, if X has `rows` rows.

    The queries of a triangle in the lower right corner are the last tokens, and are labelled as
    these. Rows of X are tokens of the keys where they are not as many as the queries.
    """
    if T == S:
        return program
    if rows != T:
        program = program.with_input("X", axes="j m")
    axes = {**program.axes, "i": replace(program.axis("i"), offset=rule.shift(T, S))}
    return replace(_told(program, rule, T, S), axes=axes)


def of_output_width(program: Program) -> Program:
    """Return the attention program for a W_O that gives an output of another width than X."""
    axis = Axis("output feature", word="feature", size="d_out")
    step = program.step["output"]
    operation = step.operation
    assert isinstance(operation, matmul | affine)
    output = replace(step, operation=type(operation)(operation.template.replace("m", "n")))
    for given in program.inputs:
        if given.name in step.operands:
            program = program.with_input(given.name, axes=given.axes.replace("m", "n"))
    return replace(program, axes={**program.axes, "n": axis}).replaced("output", output)


def corner_said(rule: Rule, T: int, S: int) -> str:
    """Return which tokens the queries are taken for, as a sentence."""
    if S <= T:
        return TEXTS("same_positions")
    corner = "last_queries" if rule.corner == LOWER_RIGHT else "first_queries"
    return TEXTS(corner, queries=T, keys=S)


def _told(program: Program, rule: Rule, T: int, S: int) -> Program:
    """A program whose masking phase says these lengths in words, unless they are equal."""
    if T == S or not rule.kind.by_position:
        return program
    corner = corner_said(rule, T, S)
    words = TEXTS("lengths", queries=T, keys=S, corner=corner, sees=rule.summary, hidden=HIDDEN)
    phases = (replace(one, words=words) if "masked" in one.names else one for one in program.phases)
    return replace(program, phases=tuple(phases))


def with_tokens(
    program: Program, rule: Rule, T: int, S: int, tokens: Any, key_tokens: Any
) -> tuple[Program, Tokens, dict[str, Tokens]]:
    """Return the program for T queries and S keys with these tokens; None: not given.

    With it are the tokens and the more tokens of its inputs. Without tokens of their own the keys
    have those of the queries if they are as many, and the queries those of the keys that they are
    by the rule; otherwise they are t1, t2 and so on. Raises `InputError` for what is no such list.
    """
    asked = None if tokens is None else read_tokens("tokens", tokens, T)
    keys = None if key_tokens is None else read_tokens("key_tokens", key_tokens, S)
    shift = rule.shift(T, S) if rule.kind.by_position else 0
    keys = keys or (asked if T == S and asked else position_tokens(S))
    own = keys[shift : shift + T]
    asked = asked or (own if rule.kind.by_position and len(own) == T else position_tokens(T))
    one_text = asked == own and (rule.kind.by_position or T == S)
    query = replace(program.axis("i"), offset=shift if one_text else 0)
    key = program.axis("j") if one_text else replace(program.axis("j"), tokens=KEYS)
    axes = {**program.axes, "i": query, "j": key}
    fitted = replace(_told(program, rule, T, S), axes=axes)
    return (fitted, keys, {}) if one_text else (fitted, asked, {KEYS: keys})
