"""The charts on heads show the numbers that they are given."""

import numpy as np

from core.chapters.heads import heads
from core.chapters.heads.heads import CONCAT, GROUPS, Moves
from ui.chapters.heads.charts import cache_figure, needs_figure, parts_figure, sharing_figure
from ui.charts.framing import alt_of


def test_figures_show_the_numbers_they_are_given() -> None:
    alike = sharing_figure(heads.served_by(heads.shared_keys(2)))
    assert len(alike.data) == 8 + 2
    assert [line.x[1] for line in alike.data[:8]] == [1.5] * 4 + [5.5] * 4
    assert "head 5 reads 2" in alt_of(alike)
    assert "96 with 4" in alt_of(cache_figure(GROUPS, [192, 96, 48, 24], 4))
    made = heads.joined_heads(heads.to_join(), CONCAT)
    assert "sat" in alt_of(parts_figure(made.parts[:, 2], made.output[2], "sat"))
    assert "head 2 of layer 1" in alt_of(needs_figure(heads.moves(1), 1))


def test_what_stands_at_a_head_is_about_that_head() -> None:
    sharing = sharing_figure([0, 0, 1, 1, 1])
    readers, read = sharing.data[-2:]
    ticks = dict(zip(sharing.layout.yaxis.tickvals, sharing.layout.yaxis.ticktext, strict=True))
    assert ticks[readers.y[0]].startswith("queries")
    assert ticks[read.y[0]].startswith("K and V")
    assert readers.customdata[2] == "Head 3 reads key/value head 2"
    assert [text[-7:] for text in read.customdata] == ["2 heads", "3 heads"]
    parts = np.array([[1.0, 0.0, -5.0], [2.0, 3.0, 4.0]])
    figure = parts_figure(parts, parts.sum(axis=0), "sat")
    assert figure.layout.barmode == "relative", "one head's part stands on the other's"
    *bars, sums = figure.data
    assert [list(bar.text).index(f"head {h}") for h, bar in enumerate(bars, 1)] == [2, 2]
    assert list(sums.text) == ["", "", "sum"]
    before, after = needs_figure(Moves((0.0, 0.5), (0.25, 0.75)), 1).data[-2:]
    assert (before.x[0], *before.text) == (1, "1: 0.00", "<b>2: 0.50</b>")
    assert (after.x[0], *after.text) == (3, "1: 0.25", "2: 0.75")
