"""The chart of scores, parameters and rank shows the numbers that it is given."""

import pytest

from core.chapters.queries_keys_values.parameters import RANK_LENGTHS, WIDTHS, Budget, score_ranks
from ui.chapters.queries_keys_values.charts import budget_figure


@pytest.mark.parametrize("d_k", WIDTHS)
def test_lines_are_the_counts_and_marks_the_chosen_ones(d_k: int) -> None:
    chosen, ranks = Budget(128, 512, d_k), score_ranks(512, d_k)
    figure = budget_figure(chosen, ranks)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    scores, parameters, bound, dots, here, meet, *names = figure.data
    assert list(scores.y) == [n**2 for n in scores.x]
    assert set(parameters.y) == {2 * 512 * d_k}
    assert list(bound.y) == [min(n, d_k) for n in bound.x]
    assert (tuple(dots.x), tuple(dots.y)) == (RANK_LENGTHS, ranks)
    assert (here.x[0], here.y[0]) == (128, 128**2)
    assert meet.x[0] ** 2 == meet.y[0] == chosen.parameters
    assert [name.text[0] for name in names] == [
        "n² scores",
        "parameters of <i>W<sub>Q</sub></i> and <i>W<sub>K</sub></i>",
        "rank of <i>QK</i><sup>T</sup>",
        f"n = {round(chosen.equal_at)}",
    ]
    assert len({line.line.dash for line in (scores, parameters, bound)}) == 3
