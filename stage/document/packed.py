"""Explanations of very many cells in little room, for a page that has no server to ask.

What they share is written once. A line that adds up products of printed numbers says which two
lists of numbers it goes through, and the browser writes it out (unpacked.js); every other line is
there as it is. Cells are in the order of their array, the last index running fastest.
"""

from typing import Any

import numpy as np

from core.program.explanations import arithmetic, described, line_pieces
from core.program.formulas import Formula
from core.program.numbers.arithmetic import ArithmeticLine, Expression, PrintedNumber, Product, Sum
from core.program.reading import made_between, weights_between_tokens
from core.program.trace import Trace

Data = dict[str, Any]
PackedLine = int | list[Any]
"""A written line's number; or the numbers of two lists, whether it is exact, and its result."""

MOST_NUMBERS = 10_000
"""Of a run with more, only what comes from the scores on is explained,"""
MOST_EXPLAINED = 25_000
"""and nothing of one that has more of that."""


class Packer:
    """Packs the explanations of runs of one page, which share lines and lists of numbers."""

    def __init__(self) -> None:
        self._lists: dict[str, int] = {}
        self._lines: dict[str, tuple[int, list[Formula]]] = {}

    def shared(self) -> Data:
        """What packed explanations refer to by number."""
        lines = [[plain, rows] for plain, (_, rows) in self._lines.items()]
        return {"lists": list(self._lists), "lines": lines}

    def array(self, trace: Trace, array: str) -> Data:
        """The explanations of an array's cells: what each means, what it feeds, and its lines."""
        cells = list(np.ndindex(trace[array].shape))
        said, feeds = zip(*(described(trace, array, cell) for cell in cells), strict=True)
        lines = [list(map(self._packed, arithmetic(trace, array, cell))) for cell in cells]
        return {"said": said, "feeds": feeds, "lines": lines}

    def _packed(self, made: ArithmeticLine) -> PackedLine:
        lists = _factors(made.left)
        if lists:
            numbers = [self._lists.setdefault(texts, len(self._lists)) for texts in lists]
            return [*numbers, int(made.exact), made.right.text]
        plain = made.plain()
        if plain not in self._lines:
            self._lines[plain] = len(self._lines), line_pieces(made)
        return self._lines[plain][0]


def _factors(left: Expression) -> list[str]:
    """The two lists of factors of a sum of products of two printed numbers; else nothing."""
    if not isinstance(left, Sum):
        return []
    pairs = [
        [n.text for n in term.factors if isinstance(n, PrintedNumber)]
        for term in left.terms
        if isinstance(term, Product)
    ]
    if len(pairs) < len(left.terms) or any(len(pair) != 2 for pair in pairs):
        return []
    return [" ".join(column) for column in zip(*pairs, strict=True)]


def explained_arrays(trace: Trace) -> list[str]:
    """The arrays that a page of its own explains: all of a small run.

    Of a large one those from the scores on, and none of one that is still too large.
    """
    if sum(values.size for values in trace.values()) <= MOST_NUMBERS:
        return list(trace)
    late: set[str] = set()
    for weights in weights_between_tokens(trace):
        late.update(made_between(trace, weights))
    for name, bound in trace.steps.items():
        if late & set(bound.reads):
            late.add(name)
    made = [name for name in trace.steps if name in late]
    return made if sum(trace[name].size for name in made) <= MOST_EXPLAINED else []
