"""Attention whose queries come from one projection for all heads, and are split."""

from dataclasses import replace
from functools import cache

from core.attention.program import attention_program
from core.operations.products import matmul
from core.operations.shapes import lay_out, split_columns, split_heads
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace


@cache
def fused_attention(heads: int, d_k: int, memory: bool = True) -> Program:
    """Heads whose queries come from one projection that is split.

    It is split as it lies in memory, which is a step of its own, or else (`memory` False) by its
    columns; the numbers are the same.
    """
    program = attention_program(heads=heads, mask="custom")
    at_once = Step("Q_all", matmul("i m, m c -> i c"), ("X", "W_Q"), query_of_all, "query")
    laid_out = Step("Q_memory", lay_out(), ("Q_all",), in_memory, "query")
    from_memory = Step("Q", split_heads(heads, d_k), ("Q_memory",), query_of_head, "query")
    from_columns = Step("Q", split_columns(heads, d_k), ("Q_all",), query_of_head, "query")
    steps = (at_once, laid_out, from_memory) if memory else (at_once, from_columns)
    fused = Input("W_Q", "m c", fused_weight, role="query")
    kept = tuple(fused if i.name == "W_Q" else i for i in program.inputs)
    between = (Phase("In memory", ("Q_memory",), "Row after row, one long line."),)
    phases = (
        program.phases[0],
        Phase("Project to Q", ("Q_all",), "The queries of all heads in one product."),
        *(between if memory else ()),
        Phase("Split into heads", ("Q",), "Each head takes its features of every token."),
        Phase("Project to K, V", ("K", "V"), "A key and a value for each head.", defines=True),
        *program.phases[2:],
    )
    return replace(program.replaced("Q", *steps), inputs=kept, phases=phases)


def fused_weight(trace: Trace, cell: Cell) -> str:
    m, c = cell
    return f"How much feature {m + 1} of a token counts in feature {c + 1} of all its queries."


def query_of_all(trace: Trace, cell: Cell) -> str:
    return "A feature of the query, before it is known which head it belongs to."


def in_memory(trace: Trace, cell: Cell) -> str:
    return "Where the number lies in memory: the rows of the matrix one after another."


def query_of_head(trace: Trace, cell: Cell) -> str:
    return "The same number, now as a feature of one head's query for one token."
