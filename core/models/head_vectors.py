"""A captured head as the inputs of a program: its vectors, and tokens that are easy to read."""

from core.models.captures import Capture
from core.models.token_text import label_token
from core.program.inputs import Inputs


def vectors_of(capture: Capture) -> Inputs:
    """Return Q, K and V of a captured head as a program of one head takes them: (1, T, ·)."""
    vectors = {"Q": capture.Q, "K": capture.K, "V": capture.V}
    tokens = tuple(map(label_token, capture.run.tokens))
    return Inputs({name: rows[None] for name, rows in vectors.items()}, tokens)
