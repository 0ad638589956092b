"""Names in a figure: they stand where lines end and cover none, and tokens are text there."""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chapters.softmax.normalising import growth
from core.chapters.why_scale.variance import DIMENSIONS, saturation
from core.errors import InputError
from core.path import PATH
from tests.sampling import DEEP
from tests.ui.support import offered, opened
from ui.chapters.one_query import charts as one_query
from ui.chapters.other_kinds import hopfield as other_kinds
from ui.chapters.why_scale import charts as why_scale
from ui.charts import softmax
from ui.charts.framing import dashed_line, framed
from ui.charts.names import named_at_ends, spaced_labels
from ui.links.links import Key
from ui.links.path import keys_of

PLACES = st.lists(st.floats(0, 200), min_size=1, max_size=4)


@given(places=PLACES)
def test_names_are_in_order_inside_and_do_not_overlap(places: list[float]) -> None:
    heights = [18.0 * (1 + n % 2) for n in range(len(places))]
    stand = spaced_labels(places, heights, 220)
    order = sorted(range(len(places)), key=lambda n: places[n])
    edges = [edge for n in order for edge in (stand[n] - heights[n] / 2, stand[n] + heights[n] / 2)]
    assert edges[0] >= -1e-9
    assert edges[-1] <= 220 + 1e-9
    assert (np.diff(edges) >= -1e-9).all()


def test_what_has_room_stands_at_its_place_and_what_has_none_around_it() -> None:
    assert spaced_labels([30, 100], [18, 18], 220) == [30, 100]
    assert spaced_labels([100, 100], [18, 18], 220) == pytest.approx([91, 109])
    assert spaced_labels([0], [18], 220) == [9]


def test_a_line_is_named_at_its_end_on_an_axis_of_any_kind() -> None:
    lines = [
        dashed_line([1, 2], [1, 100], "#c77700", "dash", name="a name of several words"),
        dashed_line([1, 2], [1, 1], "#0f8f83", "solid", name="short"),
        dashed_line([1, 2], [3, 3], "#0f8f83", "solid"),
    ]
    layout = named_at_ends(lines, height=300, xaxis={}, yaxis={"type": "log"})
    figure = framed(lines, "two lines", **layout)
    first, second = figure.layout.annotations
    assert (first.text, first.y) == ("a name of<br>several words", 2)
    assert (second.text, second.y) == ("short", 0)
    assert figure.layout.yaxis.range[0] < 0
    assert figure.layout.yaxis.range[1] > 2
    assert figure.layout.margin.r > 13 * 6


def test_nothing_is_named_where_nothing_is_drawn_yet() -> None:
    empty = [dashed_line([], [], "#c77700", "dash", name="naive")]
    assert named_at_ends(empty, height=300, xaxis={}, yaxis={})["annotations"] == []


def test_each_line_has_the_name_of_what_it_shows() -> None:
    """Of two lines whose names change places each number would still be right."""
    grown, rows = growth(), saturation(0)
    for figure, named in (
        (one_query.work_figure([1, 2], [3, 4], 1), {"without a cache": 4, "with a cache": 2}),
        (
            one_query.influence_figure([1, 0.5], [1, 0.1], "0.5", "0.1"),
            {"recurrent net, factor 0.5": 0.5, "attention, weight 0.1": 0.1},
        ),
        (one_query.sizes_figure([1, 2], [3, 4], 5), {"map of fixed size": 4, "attention": 5}),
        (
            other_kinds.capacity_figure([1, 2], [1, 0.5], [1, 0.75]),
            {"softmax: the modern update": 75, "signs: a Hopfield network": 50},
        ),
        (
            why_scale.saturation_figure(DIMENSIONS, rows.unscaled, rows.scaled),
            {
                "without √d": rows.unscaled.jacobian_norm[-1],
                "with √d": rows.scaled.jacobian_norm[-1],
            },
        ),
        (
            softmax.context_growth_figure(grown),
            {"not divided": grown.plain[-1], "divided by the sum": grown.normalised[-1]},
        ),
    ):
        assert {line.name: line.y[-1] for line in figure.data} == pytest.approx(named)


def test_what_falls_by_one_factor_is_drawn_as_a_straight_line() -> None:
    layout = one_query.influence_figure([1, 0.5], [1, 0.1], "0.5", "0.1").layout
    assert layout.yaxis.type == "log"


SENTENCE = "< > & cat"
OURS = {
    "b", "/b", "br", "extra", "/extra", "i", "/i", "span", "/span", "sub", "/sub", "sup", "/sup",
}  # fmt: skip
"""The tags of our own."""


def takes(name: str, key: Key) -> bool:
    """Whether a key of a link takes any sentence."""
    try:
        return bool(key.reader(name, SENTENCE) == SENTENCE)
    except InputError:
        return False


def texts(part: Any) -> Iterator[str]:
    """Every text of a figure but its description, which no HTML is made of."""
    if isinstance(part, str):
        yield part
    for name, below in part.items() if isinstance(part, dict) else ():
        yield from texts(below) if name not in ("meta", "template") else ()
    for below in part if isinstance(part, list) else ():
        yield from texts(below)


@pytest.mark.parametrize("page", PATH)
def test_no_tag_or_sign_is_made_of_tokens(page: str) -> None:
    keys = keys_of(page)
    link = {name: SENTENCE for name, key in keys.items() if takes(name, key)}
    choices = [{name: v} for name, key in keys.items() for v in offered(name, key.reader)]
    for choice in [{}, *(choices if DEEP else ())]:
        for chart in opened(page, **choice | link).get("plotly_chart"):
            for text in texts(json.loads(chart.proto.spec)):
                plain = re.sub(r"(?<=<span) style='color:#\w{6}'(?=>)", "", text)
                assert set(re.findall(r"<([^<>]*)>", plain)) <= OURS, text
                assert not re.search("&(?!(lt|gt|amp);)", text), text


def test_there_are_figures_with_tokens_in_them() -> None:
    page = opened("why_mask", mask_text=SENTENCE)
    found = [[*texts(json.loads(chart.proto.spec))] for chart in page.get("plotly_chart")]
    assert any("&lt;" in text for chart in found for text in chart)
