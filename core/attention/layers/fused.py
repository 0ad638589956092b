"""Attention whose queries come from one projection for all heads, and are split."""

from dataclasses import replace
from functools import cache

from core.attention.phases import TEXTS
from core.attention.program import attention_program
from core.operations.products import matmul
from core.operations.shapes import lay_out, split_columns, split_heads
from core.program.described import meaning
from core.program.program import Program
from core.program.steps import Phase, Step

fused_weight = meaning(TEXTS, "fused_weight", "m c", row="m", column="c")
query_of_all = meaning(TEXTS, "query_of_all")
in_memory = meaning(TEXTS, "in_memory")
query_of_head = meaning(TEXTS, "query_of_head")


@cache
def fused_attention(heads: int, d_k: int, memory: bool = True) -> Program:
    """Return attention whose queries come from one projection for all heads, which is then split.

    It is split as it lies in memory, which is a step of its own, or else (`memory` False) by its
    columns; the numbers are the same.
    """
    program = attention_program(heads=heads, mask="custom")
    at_once = Step("Q_all", matmul("i m, m c -> i c"), ("X", "W_Q"), query_of_all, "query")
    laid_out = Step("Q_memory", lay_out(), ("Q_all",), in_memory, "query")
    from_memory = Step("Q", split_heads(heads, d_k), ("Q_memory",), query_of_head, "query")
    from_columns = Step("Q", split_columns(heads, d_k), ("Q_all",), query_of_head, "query")
    steps = (at_once, laid_out, from_memory) if memory else (at_once, from_columns)
    fused = program.with_input("W_Q", axes="m c", meaning=fused_weight).replaced("Q", *steps)
    phases = (
        program.phases[0],
        Phase(TEXTS("fused_title"), ("Q_all",), TEXTS("fused_summary")),
        *((memory_phase("Q_memory"),) if memory else ()),
        Phase(TEXTS("split_title"), ("Q",), TEXTS("split_summary")),
        Phase(TEXTS("others_title"), ("K", "V"), TEXTS("others_summary"), defines=True),
        *program.phases[2:],
    )
    return replace(fused, phases=phases)


def memory_phase(array: str) -> Phase:
    """Return the phase that lays a matrix out as it lies in memory."""
    return Phase(TEXTS("memory_title"), (array,), TEXTS("memory_summary"))
