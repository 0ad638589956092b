"""Codes and keys of rooms. A code is short enough to type from a projector, too many to guess.

A key has 128 bits, of which only the SHA-256 is kept.
"""

import hashlib
import re
import secrets

LETTERS = "34679CDFGHJKMNPQRTVWXY"
"""No two of them look alike (0 O, 1 I L, 2 Z, 5 S, 8 B are left out), and no vowel makes a word."""
LENGTH = 6
_BETWEEN = re.compile(r"[\s-]")
_CODE = re.compile(f"[{LETTERS}]{{{LENGTH}}}")
LONGEST_TYPED = 20
"""Characters of what is read as a code, its spaces and hyphens included."""
_MARK = "~"


def new_code() -> str:
    """Return a random code: one of 22⁶, about 113 million."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def code_typed(text: str) -> str:
    """Return what a person typed as a code, in any case, without spaces and hyphens; "" if none."""
    code = _BETWEEN.sub("", text).upper() if len(text) <= LONGEST_TYPED else ""
    return code if _CODE.fullmatch(code) else ""


def name_in_links(code: str) -> str:
    """Return how links name the lesson of a room: no file of the lessons' folder can have the mark
    before its code.
    """
    return f"{_MARK}{code}"


def room_in_name(name: str) -> str:
    """Return the code of the room whose lesson has this name; "" of any other name."""
    return code_typed(name.removeprefix(_MARK)) if name.startswith(_MARK) else ""


def hashed(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def screen_key(key: str) -> str:
    """Return the key of a room's projector: 128 bits that follow from the room's key.

    They do not lead back to it: SHA-256 of the word "screen" and of the SHA-256 that is kept.
    """
    return screen_of(hashed(key))


def screen_of(key_hash: bytes) -> str:
    return hashlib.sha256(b"screen" + key_hash).hexdigest()[:32]
