"""The charts on heads show the numbers that they are given."""

import pytest

from core.chapters.heads.heads import (
    CONCAT,
    GROUPS,
    drawn,
    joined,
    moves,
    served_by,
    shared,
    to_join,
)
from ui.charts.framing import alt_of
from ui.charts.heads import cache_figure, heads_figure, needs_figure, parts_figure, sharing_figure


def test_figures_show_the_numbers_they_are_given() -> None:
    alike = sharing_figure(served_by(shared(2)))
    assert len(alike.data) == 8 + 2
    assert [line.x[1] for line in alike.data[:8]] == [1.5] * 4 + [5.5] * 4
    assert "head 5 reads 2" in alt_of(alike)
    assert "96 with 4" in alt_of(cache_figure(GROUPS, [192, 96, 48, 24], 4))
    made = joined(to_join(), CONCAT)
    assert "sat" in alt_of(parts_figure(made.parts[:, 2], made.output[2], "sat"))
    assert "head 2 of layer 1" in alt_of(needs_figure(moves(1), 1))


def test_a_long_sentence_has_no_labels_and_every_hidden_cell_a_stroke() -> None:
    text = " ".join("abcdefghijklmnopqrst")
    figure = heads_figure(drawn(text, 8), 7)
    matrices, strokes = figure.data[::2], figure.data[1::2]
    assert len(matrices) == len(strokes) == 8
    assert all(len(s.x) == 190 and (s.x > s.y).all() for s in strokes)
    assert not figure.layout.yaxis.showticklabels


def test_the_matrices_of_sixteen_heads_are_of_one_size() -> None:
    layout = heads_figure(drawn("the cat sat", 16), 0).layout
    sides = [layout[f"yaxis{n or ''}"].domain for n in ("", *range(2, 17))]
    heights = [high - low for low, high in sides]
    assert max(heights) - min(heights) < 1e-9
    assert min(heights) > 0.15
    assert sides[-1][0] == pytest.approx(0, abs=1e-12)
