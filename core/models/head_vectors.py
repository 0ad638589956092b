"""A captured head as the inputs of a program: its vectors, and tokens that are easy to read."""

from core.models.captures import Capture
from core.models.head_words import plain_token
from core.program.inputs import Inputs

NEW_LINE = "↵"


def vectors_of(capture: Capture) -> Inputs:
    """Return Q, K and V of a captured head as a program of one head takes them: (1, T, ·).

    Tokens are without the spaces around them, and a token of only new lines is ↵.
    """
    vectors = {"Q": capture.Q, "K": capture.K, "V": capture.V}
    tokens = tuple(plain_token(token).strip() or NEW_LINE for token in capture.run.tokens)
    return Inputs({name: rows[None] for name, rows in vectors.items()}, tokens)
