"""Text from left to right and from right to left in one line, by Unicode's bidirectional algorithm.

A character that turns the direction (U+202E) would turn around all that stands after it, and a
number after a Hebrew word stands on the wrong side of it.
"""

from unicodedata import bidirectional

ISOLATE, END = "\u2068", "\u2069"
"""First strong isolate, pop directional isolate (Unicode Standard Annex 9, section 2.4)."""
_OPENING = frozenset("\u2066\u2067\u2068")
DIRECTING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e") | _OPENING | {END}
"""What has no other meaning than to say in which direction a text goes."""
_FROM_THE_RIGHT = ("R", "AL", "AN")


def isolated(text: str) -> str:
    """Return a text so that it can stand in a line with others, and none turns another around.

    One that can turn nothing is returned as it is.
    """
    if not any(c in DIRECTING or bidirectional(c) in _FROM_THE_RIGHT for c in text):
        return text
    kept, depth = [], 0
    for character in text:
        depth += character in _OPENING
        if character == END:
            if not depth:  # it would end ours
                continue
            depth -= 1
        kept.append(character)
    return f"{ISOLATE}{''.join(kept)}{END * (depth + 1)}"
