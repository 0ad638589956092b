"""Axes: what the letters of a program count.

Letters are local to a pattern; a program declares what its own letters stand for, once, and
labels, captions, tables and messages are made from that.
"""

from dataclasses import dataclass

POSITION, HEAD, FEATURE = "position", "head", "feature"
"""Places of a text, copies of the mechanism beside each other, and numbers of a vector."""


@dataclass(frozen=True)
class Axis:
    """What a letter counts.

    `name` says it in full ("query position"), `word` before a place of it ("query"), `size` in a
    product of sizes ("T"). Places of a position axis are tokens: those of the run, or of the list
    that `tokens` names; its first place is token `offset`, counted from 0. An axis `of` another
    has fewer places than that one, and each of them serves as many of the other's in turn.
    """

    name: str
    kind: str = FEATURE
    word: str = ""
    size: str = ""
    tokens: str = ""
    offset: int = 0
    of: str = ""
