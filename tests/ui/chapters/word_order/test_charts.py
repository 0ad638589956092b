"""The charts of word order draw what the core computed: bits and waves, scores, arrows."""

import math

import numpy as np
import pytest

from core.chapters.word_order import encoding_parts, encodings, pairings
from core.program.labels import axis_labels
from tests.quotes import proves
from ui.chapters.word_order.charts import counting_figure, distance_figure, turning_figure
from ui.charts.colours import SIGNED, linear
from ui.charts.framing import alt_of


@proves("""
    each pair of features as an arrow, before and after turning | The arrow at position 0 stays.
    From position to position the turn grows by the same angle, and no length changes | features
    {first} and {second}<br>{turn} rad a position
""")
@pytest.mark.parametrize("array", ["Q", "K"])
def test_arrows_end_where_the_numbers_say_and_turn_by_position_times_frequency(array: str) -> None:
    trace = encodings.encoding_family("the cat sat").run(order_encoding="rope")
    labels = axis_labels(trace, array)[1]
    figure = turning_figure(
        pairings.rotation_paths(trace, array, 1), labels, ["1.00", "0.01"], "keys of head 2"
    )
    for pair in (0, 1):
        axis = "x2" if pair else "x"
        arrows = [arrow for arrow in figure.data if arrow.xaxis == axis]
        names = ("as it was", "how far it turns", "turned")
        was, turns, now = ([a for a in arrows if a.name == name] for name in names)
        assert [arrow.text[1] for arrow in now] == list(labels)
        for at, (before, arc, after) in enumerate(zip(was, turns, now, strict=True)):
            for arrow, name in ((before, array), (after, f"{array}_rot")):
                x, y = trace[name][1, at, 2 * pair : 2 * pair + 2]
                assert (arrow.x[0], arrow.y[0]) == (0, 0)
                assert (arrow.x[1], arrow.y[1]) == (x, y)
            assert after.marker.symbol == "arrow"
            turn = complex(after.x[1], after.y[1]) / complex(before.x[1], before.y[1])
            assert abs(turn) == pytest.approx(1)
            assert turn == pytest.approx(np.exp(1j * at * encoding_parts.frequencies(4)[pair]))
            # The arc leads from head to head, the right way round, at one distance from 0.
            assert (arc.x[0], arc.y[0]) == (before.x[1], before.y[1])
            assert (arc.x[-1], arc.y[-1]) == (after.x[1], after.y[1])
            points = np.array(arc.x) + 1j * np.array(arc.y)
            steps = np.angle(points[1:] / points[:-1])
            assert steps.sum() == pytest.approx(at * encoding_parts.frequencies(4)[pair])
            assert abs(points) == pytest.approx(abs(points[0]))
    assert figure.layout.xaxis2.title.text == "features 3 and 4<br>0.01 rad a position"


@proves("""
    At the top, each position in bits. Below, the sines of {waves} waves, orange below 0 and blue
    above | In binary the lowest bit changes at every position, each higher bit half as often. Waves
    do the same smoothly | fast ones tell neighbours apart, slow ones distant positions | Above, the
    bits of each position: the lowest bit changes at every position, each higher bit half as often.
    Below, the sines of {waves} waves: the first is the fastest, each next one is slower
""")
def test_each_column_is_a_place_in_binary_and_in_waves() -> None:
    figure = counting_figure()
    above, below = figure.data
    for place in range(64):
        assert "".join(str(row[place]) for row in above.z) == f"{place:06b}"[::-1]
        for wave in range(16):
            assert below.z[wave][place] == pytest.approx(math.sin(place / 10_000 ** (wave / 16)))
    assert list(above.y) == [f"bit for {n}" for n in (1, 2, 4, 8, 16, 32)]
    changes = [int(np.abs(np.diff(row)).sum()) for row in above.z]
    assert changes == [63 // 2**bit for bit in range(6)]
    neighbours, distant = (np.abs(below.z[:, at] - below.z[:, 0]) for at in (1, 48))
    assert neighbours[0] > 0.8 > 0.01 > neighbours[-1]
    assert distant[-8] > 0.4 > 100 * neighbours[-1]
    assert list(below.y) == [f"wave {n}" for n in range(1, 17)]
    # The fastest of both stands at the top; orange is below 0, blue above.
    assert {axis.autorange for axis in (figure.layout.yaxis, figure.layout.yaxis2)} == {"reversed"}
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    for strip in (above, below):
        assert (strip.zmin, strip.zmax) == (-1, 1)
        assert [colour for _, colour in strip.colorscale] == [colour for _, colour in SIGNED]
        orange, blue = (linear(colour) for _, colour in (strip.colorscale[0], strip.colorscale[-1]))
        assert orange[0] > orange[1] > orange[2]
        assert blue[2] > blue[1] > blue[0]


@pytest.mark.parametrize(
    ("kind", "told"), [("rope", "one at each"), ("sinusoidal", "several at one")]
)
def test_every_score_is_a_dot_at_its_distance(kind: str, told: str) -> None:
    scores = encodings.scores_by_distance(kind, "mat", 0)
    figure = distance_figure(scores, "mat")
    (dots,) = figure.data
    drawn = list(zip(dots.x, dots.y, strict=True))
    assert drawn == [(at, score) for at, several in scores.items() for score in several]
    assert f": {told} distance" in alt_of(figure)
    assert ("lines" in dots.mode) == (told == "one at each")
