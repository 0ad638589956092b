"""The core of "Attention, step by step": programs of named steps that compute and explain.

Usable on its own, with numpy alone:

    from core import attention_program, toy_inputs, explain
    program = attention_program(heads=2, mask="causal")
    trace = program.run(toy_inputs("The cat sat on the mat", heads=2))
    explain(trace, "scores", (0, 2, 1)).plain

Or of arrays that somebody already has, such as PyTorch tensors:

    from core import attention_from
    trace = attention_from(Q, K, V, tokens=["The", "cat", "sat"])
"""

from core.attention.given.attention_from import attention_from
from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.errors import InputError
from core.program.explanations import Explanation, explain
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.trace import Trace

__version__ = "0.1.0"
"""The product's version: `pyproject.toml` reads it from here."""

__all__ = [
    "Explanation", "InputError", "Inputs", "Program", "Trace", "attention_from",
    "attention_program", "explain", "toy_inputs",
]  # fmt: skip
