"""Attention whose queries come from one projection for all heads, laid out in memory and split."""

from dataclasses import replace
from functools import cache

from core.attention.program import attention_program
from core.operations.products import matmul
from core.operations.shapes import lay_out, split_heads
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace


@cache
def fused_attention(heads: int, d_k: int) -> Program:
    """Heads whose queries come from one projection, laid out in memory and split."""
    program = attention_program(heads=heads, mask="custom")
    steps = (
        Step("Q_all", matmul("i m, m c -> i c"), ("X", "W_QQ"), _queries, "query"),
        Step("Q_memory", lay_out(), ("Q_all",), _memory, "query"),
        Step("Q", split_heads(heads, d_k), ("Q_memory",), _split, "query"),
    )
    fused = Input("W_QQ", "m c", _fused_weight, role="query")
    kept = tuple(fused if i.name == "W_Q" else i for i in program.inputs)
    phases = (
        program.phases[0],
        Phase("Project the queries at once", ("Q_all",), "All heads in one product."),
        Phase("In memory", ("Q_memory",), "Row after row, one long line."),
        Phase("Split into heads", ("Q",), "Each head takes its features of every token."),
        Phase("Project to K, V", ("K", "V"), "As for the queries.", defines=True),
        *program.phases[2:],
    )
    return replace(program.replaced("Q", *steps), inputs=kept, phases=phases)


def _fused_weight(trace: Trace, cell: Cell) -> str:
    m, c = cell
    return f"How much feature {m + 1} of a token counts in feature {c + 1} of all its queries."


def _queries(trace: Trace, cell: Cell) -> str:
    return "A feature of the query, before it is known which head it belongs to."


def _memory(trace: Trace, cell: Cell) -> str:
    return "Where the number lies in memory: the rows of the matrix one after another."


def _split(trace: Trace, cell: Cell) -> str:
    return "The same number, now as a feature of one head's query for one token."
