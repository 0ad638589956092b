"""The bars of a class's votes: what each says, in text and in words, and their common scale."""

from ui.charts.colours import NEUTRAL, WITH
from ui.charts.framing import alt_of
from ui.charts.votes import votes_figure

ANSWERS = (("forgot $\\sqrt{d_k}$ <b>", False), ("*cat*", True))


def test_each_answer_has_its_bars_and_only_the_right_one_is_marked() -> None:
    chart = votes_figure(ANSWERS, (("Vote 1", (3, 0)), ("Vote 2", (1, 7))))
    assert [tuple(bar.x) for bar in chart.data] == [(3, 0), (1, 7)]
    assert list(chart.layout.yaxis.ticktext) == ["forgot √d_k &lt;b&gt;", "cat ✓"]
    assert [note.text for note in chart.layout.annotations] == ["Vote 1", "Vote 2"]
    assert all(list(bar.marker.color) == [NEUTRAL, WITH] for bar in chart.data)
    assert chart.layout.xaxis.range == chart.layout.xaxis2.range
    assert chart.layout.xaxis.range[1] > 7
    assert chart.layout.xaxis.domain[1] < chart.layout.xaxis2.domain[0]
    said = alt_of(chart)
    assert said == "Vote 1: forgot √d_k <b>: 3, cat (right): 0. " + (
        "Vote 2: forgot √d_k <b>: 1, cat (right): 7."
    )


def test_a_vote_without_answers_is_a_chart() -> None:
    assert alt_of(votes_figure((), (("Vote 1", ()),))) == "Vote 1: ."
