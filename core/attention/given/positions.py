"""Which token each query and each key is: of one text, or of one text each."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from core.attention.given.given_tokens import position_tokens
from core.attention.given.query_key_sizes import phase_of_lengths
from core.attention.masks import Rule
from core.program.program import Program

KEYS = "keys"
"""What the list of the keys' tokens is called, if it is not that of the queries."""
Tokens = tuple[str, ...]


class Positions(NamedTuple):
    """A program for so many queries and keys, and their tokens as its inputs have them."""

    program: Program
    tokens: Tokens
    more_tokens: Mapping[str, Tokens]


def with_tokens(
    program: Program, rule: Rule, T: int, S: int, asked: Tokens | None, keys: Tokens | None
) -> Positions:
    """Return the program for T queries and S keys with these tokens; None: not given.

    Without tokens of their own the keys have those of the queries if they are as many, and the
    queries those of the keys that they are by the rule; otherwise they are t1, t2 and so on.
    """
    shift = rule.shift(T, S) if rule.kind.by_position else 0
    keys = keys or (asked if T == S and asked else position_tokens(S))
    own = keys[shift : shift + T]
    asked = asked or (own if rule.kind.by_position and len(own) == T else position_tokens(T))
    one_text = asked == own and (rule.kind.by_position or T == S)
    fitted = of_positions(program, rule, T, S, one_text)
    return Positions(fitted, keys, {}) if one_text else Positions(fitted, asked, {KEYS: keys})


def of_positions(program: Program, rule: Rule, T: int, S: int, one_text: bool) -> Program:
    """Return the program for T queries and S keys: of one list of tokens, or of one for each.

    The queries of a triangle in the lower right corner are the last tokens of the keys.
    """
    query, key = program.axis("i"), program.axis("j")
    if one_text:
        query = replace(query, offset=rule.shift(T, S) if rule.kind.by_position else 0)
    else:
        query, key = replace(query, offset=0), replace(key, tokens=KEYS)
    said = program.phases
    if T != S:
        said = tuple(phase_of_lengths(phase, rule, T, S) for phase in said)
    return replace(program, axes={**program.axes, "i": query, "j": key}, phases=said)
