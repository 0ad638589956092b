"""The tokens of given arrays: as they are, or numbered."""

from typing import Any

from core.errors import input_error
from core.texts import core_texts

TEXTS = core_texts("given")


def read_tokens(name: str, tokens: Any, rows: int) -> tuple[str, ...]:
    """Return a list of tokens, one for each of so many rows. Raises `InputError`."""
    if isinstance(tokens, str | bytes):
        raise input_error(TEXTS, "one_string", name=name)
    try:
        given = list(tokens)
    except Exception:  # whatever another library raises for what is no list
        raise input_error(TEXTS, "no_tokens", name=name, type=type(tokens).__name__) from None
    if other := [token for token in given if not isinstance(token, str)]:
        raise input_error(TEXTS, "no_tokens", name=name, type=type(other[0]).__name__)
    if len(given) != rows:
        raise input_error(TEXTS, "token_count", name=name, given=len(given), wanted=rows)
    return tuple(map(str, given))


def position_tokens(rows: int) -> tuple[str, ...]:
    """Return names for rows without tokens: t1, t2 and so on."""
    return tuple(f"t{n + 1}" for n in range(rows))
