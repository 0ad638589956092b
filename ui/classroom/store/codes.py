"""Codes of rooms: short enough to type from a projector, too many to guess."""

import re
import secrets

LETTERS = "34679CDFGHJKMNPQRTVWXY"
"""No two of them look alike (0 O, 1 I L, 2 Z, 5 S, 8 B are left out), and no vowel makes a word."""
LENGTH = 6
_BETWEEN = re.compile(r"[\s-]")
_CODE = re.compile(f"[{LETTERS}]{{{LENGTH}}}")
LONGEST_TYPED = 20
"""Characters of what is read as a code, its spaces and hyphens included."""


def new_code() -> str:
    """Return a random code: one of 22⁶, about 113 million."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def code_typed(text: str) -> str:
    """Return what a person typed as a code, in any case, without spaces and hyphens; "" if none."""
    code = _BETWEEN.sub("", text).upper() if len(text) <= LONGEST_TYPED else ""
    return code if _CODE.fullmatch(code) else ""
