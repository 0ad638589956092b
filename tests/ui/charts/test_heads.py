"""The charts on heads show the numbers that they are given."""

from core.chapters.heads import heads
from core.chapters.heads.heads import CONCAT, GROUPS
from ui.charts.framing import alt_of
from ui.charts.heads import cache_figure, needs_figure, parts_figure, sharing_figure


def test_figures_show_the_numbers_they_are_given() -> None:
    alike = sharing_figure(heads.served_by(heads.shared_keys(2)))
    assert len(alike.data) == 8 + 2
    assert [line.x[1] for line in alike.data[:8]] == [1.5] * 4 + [5.5] * 4
    assert "head 5 reads 2" in alt_of(alike)
    assert "96 with 4" in alt_of(cache_figure(GROUPS, [192, 96, 48, 24], 4))
    made = heads.joined_heads(heads.to_join(), CONCAT)
    assert "sat" in alt_of(parts_figure(made.parts[:, 2], made.output[2], "sat"))
    assert "head 2 of layer 1" in alt_of(needs_figure(heads.moves(1), 1))
