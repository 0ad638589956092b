"""Fewer or more queries than keys: T rows of Q meet S rows of K and V that somebody gives."""

from dataclasses import replace

from core.attention.masks import LOWER_RIGHT, Rule
from core.attention.phases import HIDDEN
from core.program.program import Program
from core.program.steps import Phase


def of_lengths(program: Program, rule: Rule, T: int, S: int, rows: int) -> Program:
    """The attention program for T queries and S keys, where X has so many rows.

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
    phases = tuple(_said(phase, rule, T, S) for phase in program.phases)
    return replace(program, inputs=tuple(inputs), axes=axes, phases=phases)


def corner_said(rule: Rule, T: int, S: int) -> str:
    """Which tokens the queries are taken for, in a sentence."""
    ones = "query is" if T == 1 else "queries are"
    which = "" if T == 1 else f" {T}"
    if S <= T:
        return "Query 1 and key 1 stand at the same position, and so on."
    if rule.corner == LOWER_RIGHT:
        return (
            f"The mask's triangle ends in the lower right corner: the {ones} the last{which} of "
            f"{S} tokens, as when earlier keys and values come from a cache."
        )
    return (
        f"The mask's triangle begins in the upper left corner: the {ones} taken as the "
        f"first{which} of {S} tokens."
    )


def _said(phase: Phase, rule: Rule, T: int, S: int) -> Phase:
    """The masking phase with these lengths in words; any other as it is."""
    if "masked" not in phase.names or not rule.by_position:
        return phase
    queries, keys = (f"1 {one}" if n == 1 else f"{n} {many}" for n, one, many in (
        (T, "query meets", "queries meet"), (S, "key", "keys")
    ))  # fmt: skip
    return replace(
        phase, words=f"{queries} {keys}. {corner_said(rule, T, S)} {rule.sees}. {HIDDEN}"
    )
