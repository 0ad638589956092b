"""The charts on cost show the numbers that they are given; their words: `test_claims.py`."""

import numpy as np
import pytest

from core.attention.configurations import CONFIGURATIONS
from core.chapters.cost import growth
from core.chapters.cost.growth import (
    ENDS,
    PARTS_LENGTHS,
    WORK,
    marked_lengths,
    model_named,
    quantity_counts,
    shares_over,
)
from core.chapters.cost.real_model import WeightsRead
from ui.chapters.cost.cost_growth import (
    areas_figure,
    crossing_figure,
    growth_figure,
    weights_read_figure,
)
from ui.chapters.cost.cost_of_models import billions, parameters_figure, shares_figure


def test_what_grows_as_the_square_is_twice_as_steep() -> None:
    marks = marked_lengths(6, 1024)
    figure = growth_figure(
        "multiplications",
        {q.name: q.degree for q in WORK},
        ENDS,
        [quantity_counts(q, ENDS) for q in WORK],
        marks,
        [quantity_counts(q, list(marks.values())) for q in WORK],
    )
    square, linear, *points = figure.data
    slopes = [np.diff(np.log(each.y))[0] / np.diff(np.log(each.x))[0] for each in (square, linear)]
    np.testing.assert_allclose(slopes, [2, 1])
    assert ["as T²" in square.name, "as T)" in linear.name] == [True, True]
    for each, quantity in zip(points, WORK, strict=True):
        assert list(each.x) == [6, 1024, 2048]
        assert list(each.y) == quantity_counts(quantity, (6, 1024, 2048))
        assert each.text[2] == f"× {each.y[2] // each.y[1]}"


def test_a_factor_is_by_how_much_a_count_grows_where_the_text_doubles() -> None:
    marks, grows = marked_lengths(6, 1024), {"once": 0, "each": 1, "pairs": 2}
    counts = [[7 * T**degree for T in marks.values()] for degree in grows.values()]
    figure = growth_figure("numbers", grows, ENDS, [[7, 9]] * 3, marks, counts)
    assert [points.text[2] for points in figure.data[3:]] == ["× 1", "× 2", "× 4"]


def test_factors_that_would_cover_each_other_are_left_to_the_words() -> None:
    marks = marked_lengths(6, 8)
    figure = growth_figure(
        "multiplications", {"a": 2, "b": 1}, ENDS, [[1, 9]] * 2, marks, [[3, 4, 16], [6, 8, 16]]
    )
    assert [points.text[2] for points in figure.data[2:]] == ["", ""]


@pytest.mark.parametrize(
    ("sentence", "tokens", "anchors"),
    [(6, 1024, ["center", "center"]), (6, 8, ["right", "left"]), (60, 8, ["left", "right"])],
)
def test_close_names_stand_on_own_sides(sentence: int, tokens: int, anchors: list[str]) -> None:
    marks = marked_lengths(sentence, tokens)
    figure = growth_figure("numbers", {"scores": 2}, ENDS, [[1, 9]], marks, [[1, 2, 3]])
    names = figure.layout.annotations[:2]
    assert [name.xanchor for name in names] == anchors
    assert [name.text for name in names] == [f"sentence: {sentence}", f"T: {tokens:,}"]


def test_bars_are_shares_of_all_parameters() -> None:
    figure = parameters_figure({m.name: m.parameters for m in CONFIGURATIONS}, "GPT-3")
    attention, _, embeddings = figure.data
    assert attention.text[1] == "<b>33.2</b>"
    assert embeddings.text[1] == ""  # no room
    assert list(attention.marker.line.width) == [0, 2, 0, 0]
    assert attention.y[1] == "<b>GPT-3</b><br>174.59 billion"
    begun = 0.0
    for bar, name in zip(figure.data, figure.layout.annotations, strict=True):
        assert (bar.name, begun < name.x < begun + bar.x[0]) == (name.text, True)
        begun += bar.x[0]
    assert [billions(n) for n in (124_318_464, 10**9)] == ["124.32 million", "1.00 billion"]


def test_shares_of_the_work_are_stacked_to_all_of_it() -> None:
    model = model_named("Llama 3 8B")
    half = float(model.block.half)
    figure = shares_figure(model.name, PARTS_LENGTHS, shares_over(model, PARTS_LENGTHS), half, 2048)
    np.testing.assert_allclose(np.sum([part.y for part in figure.data], axis=0), 100)
    assert [shape.x0 for shape in figure.layout.shapes] == [2048, 26624]
    assert [note.text for note in figure.layout.annotations[:2]] == ["T: 2,048", "half: 26,624"]
    stacked = dict.fromkeys(np.log10(PARTS_LENGTHS), 0.0)
    names = {note.text: note for note in figure.layout.annotations[2:]}
    for part in figure.data:  # the name of each stands in its own area
        name, own = names.pop(part.name), dict(zip(stacked, part.y, strict=True))
        assert stacked[name.x] < name.y < stacked[name.x] + own[name.x], part.name
        assert own[name.x] >= np.median(part.y), "it stands where there is room"
        assert name.bgcolor == part.fillcolor
        stacked = {at: below + own[at] for at, below in stacked.items()}
    assert not names


@pytest.mark.parametrize("T", [8, growth.even_at(), 1024])
def test_the_areas_are_to_each_other_as_the_works(T: int) -> None:
    figure = areas_figure(T, growth.strip_width())
    square, strip = (np.ptp(each.x) * np.ptp(each.y) for each in figure.data)
    scores, projections = (quantity.count(T) for quantity in WORK)
    assert square / strip == pytest.approx(scores / projections)
    assert figure.layout.yaxis.scaleanchor == "x"


def test_the_share_crosses_a_half_where_it_is_marked() -> None:
    lengths = (8, 16, 32)
    figure = crossing_figure(lengths, {"a": [0.2, 0.5, 0.8], "b": [0.1, 0.3, 0.5]}, (16, 32), 8)
    one, other, halves = figure.data
    assert [one.y[1], other.y[2]] == [50, 50] == list(halves.y)
    assert list(halves.x) == [16, 32]


def test_a_layer_has_a_bar_of_the_weights_that_it_needs_under_the_line_of_all() -> None:
    figure = weights_read_figure(WeightsRead(3, 2.0, (1.25, 1.5, 1.0, 1.125), 1.21875))
    bars, line = figure.data
    assert [*zip(bars.x, bars.y, strict=True)] == [(1, 1.25), (2, 1.5), (3, 1.0), (4, 1.125)]
    assert set(line.y) == {2.0}
    assert figure.layout.yaxis.range[1] > 2
    assert figure.layout.yaxis.range[0] == 0
    assert figure.layout.annotations[0].text.replace("<br>", " ") == "keys that a token sees: 2.0"
