"""The chart of word order shows each pair of features as it was, and turned."""

import numpy as np
import pytest

from core.chapters.word_order.encodings import encoding_family, frequencies, pairs_of
from core.program.labels import axis_labels
from ui.charts.framing import alt_of
from ui.charts.word_order import turning_figure


def test_arrows_end_where_the_numbers_say_and_turn_by_position_times_frequency() -> None:
    trace = encoding_family("the cat sat").run(order_encoding="rope")
    labels = axis_labels(trace, "Q")[1]
    figure = turning_figure(
        pairs_of(trace, "Q"), pairs_of(trace, "Q_rot"), labels, ["1.00", "0.01"]
    )
    for pair in (0, 1):
        axis = "x2" if pair else "x"
        arrows = [arrow for arrow in figure.data if arrow.xaxis == axis]
        was, now = ([a for a in arrows if a.name == name] for name in ("as it was", "turned"))
        assert [arrow.text[1] for arrow in now] == list(labels)
        for at, (before, after) in enumerate(zip(was, now, strict=True)):
            for arrow, array in ((before, "Q"), (after, "Q_rot")):
                x, y = trace[array][0, at, 2 * pair : 2 * pair + 2]
                assert (arrow.x[0], arrow.y[0]) == (0, 0)
                assert (arrow.x[1], arrow.y[1]) == (x, y)
            turn = complex(after.x[1], after.y[1]) / complex(before.x[1], before.y[1])
            assert abs(turn) == pytest.approx(1)
            expected = np.exp(1j * at * frequencies(4)[pair])
            assert turn == pytest.approx(expected)
    assert "by 1.00 and 0.01 radians for each place" in alt_of(figure)
    assert figure.layout.xaxis2.title.text == "features 3 and 4: 0.01 radians a place"
