"""Explanations as a page of its own carries them: all that the core says, in less room."""

import numpy as np

from core import attention_from, explain
from stage.hosts.standalone import Data, Packer, explained_arrays
from tests.sampling import DEEP
from tests.stage.document.test_number_tiles import head


def plain_lines(shared: Data, packed: Data, at: int) -> list[str]:
    """The plain lines of a cell, written out with loops."""
    found = []
    for line in packed["lines"][at]:
        if isinstance(line, int):
            found.append(shared["lines"][line][0])
            continue
        first, second, exact, result = line
        factors = zip(*(shared["lists"][n].split(" ") for n in (first, second)), strict=True)
        terms = [f"{a}*{b}" for a, b in factors]
        left = " + ".join(f"({term})" for term in terms) if len(terms) > 1 else terms[0]
        found.append(f"{left} {'=' if exact else '≈'} {result}")
    return found


def test_every_cell_is_explained_as_the_core_explains_it() -> None:
    trace, packer = head(20 if DEEP else 9, 18), Packer()
    for name, values in trace.items():
        packed = packer.array(trace, name)
        for at, cell in enumerate(np.ndindex(values.shape)):
            explained = explain(trace, name, cell)
            assert plain_lines(packer.shared(), packed, at) == explained.plain
            assert packed["said"][at] == explained.said
            assert packed["feeds"][at] == explained.feeds


def test_what_cells_share_is_written_once() -> None:
    trace, packer = head(9, 18), Packer()
    for name in trace:
        packer.array(trace, name)
    shared = packer.shared()
    lines = [plain for plain, _ in shared["lines"]]
    for once in (shared["lists"], lines):
        assert len(set(once)) == len(once)
    assert len(lines) < sum(len(explain(trace, "weights", (0, 8, j)).plain) for j in range(9)) * 9


def test_of_a_large_run_what_comes_from_the_scores_on_is_explained() -> None:
    whole, values = np.full((64, 64), 1 / 64), np.zeros((64, 64))
    given = attention_from(weights=whole, V=values, tokens=["a"] * 64)
    late = {"scores", "scaled", "mask", "masked", "weights", "context"}
    for trace, explained in (
        (head(20, 18), {*head(20, 18)}),
        (head(40, 64), late),
        (head(80, 8), set()),  # too much even of that
        (given, {"context"}),
    ):
        assert {*explained_arrays(trace)} == explained
