"""What a score counts adds up to the score, and the cell that a page opens with is one of it."""

import numpy as np
import pytest

from core.models.captures import captured_heads, load_capture, score_of
from core.models.head_search import counted_cells, telling_cell


@pytest.mark.parametrize("name", captured_heads())
def test_the_counted_cells_give_the_score(name: str) -> None:
    capture = load_capture(name)
    cells = counted_cells(capture.run, capture.head)
    rows = [i for i in range(len(cells)) if cells[i].any()]
    if capture.head.score == "evenness":
        assert not rows
        return
    total = sum(capture.weights[i, j] for i in rows for j in np.flatnonzero(cells[i]))
    assert total / len(rows) == pytest.approx(score_of(capture))


@pytest.mark.parametrize("name", captured_heads())
def test_a_page_opens_with_a_large_weight_that_counts(name: str) -> None:
    capture = load_capture(name)
    head, i, j = telling_cell(capture)
    cells = counted_cells(capture.run, capture.head)
    T = len(cells)
    assert head == 0
    assert i >= T // 2
    counted = [capture.weights[a, b] for a in range(T // 2, T) for b in range(T) if cells[a, b]]
    if counted:
        assert cells[i, j]
        assert capture.weights[i, j] == max(counted)
    else:
        assert (i, capture.weights[i, j]) == (T - 1, capture.weights[-1].max())
