"""What the cells of arrays mean, where several programs say it alike."""

from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.steps import Meaning
from core.program.trace import Trace


def feature(letter: str, of: str) -> Meaning:
    """Of a row of each head: `of` says what it is, with {} for its token."""
    return lambda trace, cell: (
        f"Feature {cell[2] + 1} of {of.format(told_label(trace, letter, cell[1]))}."
    )


def row(letter: str, of: str) -> Meaning:
    """Of a row without heads: `of` says what it is, with {} for its token."""
    return lambda trace, cell: (
        f"Feature {cell[1] + 1} of {of.format(told_label(trace, letter, cell[0]))}."
    )


def pair(query: str, key: str, said: str) -> Meaning:
    """Of a query and a key of each head, in the places of {} and {}."""

    def meaning(trace: Trace, cell: Cell) -> str:
        return said.format(told_label(trace, query, cell[1]), told_label(trace, key, cell[2]))

    return meaning


def weight(role: str, more: str = "") -> Meaning:
    return lambda trace, cell: (
        f"How much feature {cell[1] + 1} of a token counts in feature {cell[2] + 1} of its {role}"
        f"{more}. The same for every token and every place."
    )
