"""The chapter's sentence, run at once as on the walkthrough."""

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.program.trace import Trace

HEADS, D_MODEL = 2, 8
"""Those of an untouched walkthrough, so the same sentence has the same numbers there."""
WHOLE = attention_program(heads=HEADS)


def whole_pass(text: str, tokens: int | None = None) -> Trace:
    """Causal attention on a sentence, or on its first tokens. Raises `InputError`."""
    inputs = toy_inputs(" ".join(tokenise(text)[:tokens]), heads=HEADS, d_model=D_MODEL)
    return WHOLE.run(inputs)
