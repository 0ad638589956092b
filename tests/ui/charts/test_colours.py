"""Colours of bars and lines are those of what they show: with, without, the chosen, each part."""

import re
from colorsys import rgb_to_hsv
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from core.attention.configurations import CONFIGURATIONS
from core.chapters.dot_products.vector_pair import VectorPair, arc
from core.chapters.heads.heads import GROUPS
from stage.hosts.component import style_sheet
from tests.sampling import ROOT
from ui.chapters.cost import cost_of_models
from ui.chapters.dot_products import charts as dot_products
from ui.chapters.heads import charts as heads
from ui.chapters.why_mask import charts as why_mask
from ui.charts.colours import BLUE, NEUTRAL, WITH, WITHOUT, in_dark
from ui.page.prose import typeset_symbols

HUES = {"red": 0, "orange": 35, "green": 145, "teal": 174, "blue": 212}
"""What colours are called, by their degrees."""


def called(colour: str) -> str:
    """What a colour is called: the nearest of these hues."""
    hue, *_ = rgb_to_hsv(*(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)))
    return min(HUES, key=lambda name: abs((360 * hue - HUES[name] + 180) % 360 - 180))


def colours_of(figure: go.Figure) -> dict[str, Any]:
    """Of each series the colour of its bars, points or line."""
    found = {}
    for series in figure.data:
        told = series.to_plotly_json()
        found[series.name] = told.get("marker", {}).get("color", told.get("line", {}).get("color"))
    return found


@pytest.mark.parametrize(("role", "letter"), [("query", "Q"), ("key", "K"), ("value", "V")])
def test_a_role_has_one_colour_in_words_on_the_stage_and_in_charts(role: str, letter: str) -> None:
    """Each is found by its label: a symbol in a sentence, a class of the stage, a name on a chart.

    All are so called in both themes.
    """
    (word,) = re.findall(r"^:(\w+)\[", typeset_symbols(f"W_{letter}"))
    sheet = style_sheet()
    (name,) = re.findall(rf"(?<![\w.])\.{role} {{ color: var\(--(\w+)\); }}", sheet)
    shown = re.findall(rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)", sheet)[0]
    assert [called(colour) for colour in shown] == [word] * 2
    pair = VectorPair((1.0, 2.0, 2.0), (0.0, 3.0, 4.0))
    figure = dot_products.space_figure(pair, arc(pair.q, pair.k), 5)
    for written in (figure.to_dict(), in_dark(figure.to_dict())):
        for arrow in written["data"]:
            if letter.lower() in arrow["text"]:
                parts = (arrow["line"], arrow["marker"], arrow["textfont"])
                assert {called(part["color"]) for part in parts} == {word}


@pytest.mark.parametrize(("end", "colour"), [("from", "orange"), ("to", "teal")])
def test_where_a_number_comes_from_and_goes_to_are_told_apart(end: str, colour: str) -> None:
    """In both themes, and on each part of the stage that draws them."""
    (shown,) = {*re.findall(rf"--{end}: light-dark\((#\w{{6}}), (#\w{{6}})\)", style_sheet())}
    assert [called(one) for one in shown] == [colour] * 2


def test_a_role_has_one_colour_in_every_style_sheet() -> None:
    colour = re.compile(r"--(query|key|value|weights|quiet): *(light-dark\([^)]*\))")
    sheets = {
        file: {*colour.findall(file.read_text("utf-8"))} for file in ROOT.glob("[su]*/**/*.css")
    }
    of_the_stage = sheets[ROOT / "stage/browser/theme.css"]
    assert len(of_the_stage) == 5
    assert sum(map(bool, sheets.values())) > 8
    assert not {file: other for file, told in sheets.items() if (other := told - of_the_stage)}


def test_bars_of_the_mask_are_the_colour_of_what_they_stand_for() -> None:
    causal, free = np.array([0.0, 1.0]), np.array([2.0, 3.0])
    figure = why_mask.rows_figure(["a", "b"], causal, free, 0)
    assert colours_of(figure) == {"causal mask": WITH, "no mask": WITHOUT}
    drawn = {bar.name: (list(bar.x), bar.marker.pattern.shape) for bar in figure.data}
    assert drawn == {"causal mask": ([0, 1], ""), "no mask": ([2, 3], "/")}


def test_bars_of_parameters_are_the_colour_of_their_part() -> None:
    counted = {m.name: m.parameters for m in CONFIGURATIONS}
    figure = cost_of_models.parameters_figure(counted, "GPT-3")
    assert colours_of(figure) == {"attention": WITH, "feed-forward": BLUE, "embeddings": NEUTRAL}
    parts = {"attention": "attention", "feed-forward": "feeding", "embeddings": "embedding"}
    for bar in figure.data:
        expected = [100 * getattr(p, parts[bar.name]) / p.all for p in counted.values()]
        np.testing.assert_allclose(bar.x, expected)


def test_parts_of_the_work_are_the_colour_of_their_part() -> None:
    """Feed-forward as in the chart of parameters; each part has what is drawn under its name."""
    shares = [[0.1, 0.2], [0.3, 0.4], [0.6, 0.4]]
    figure = cost_of_models.shares_figure("GPT-3", [1, 2], shares, 1.5, 1)
    areas = {area.name: area for area in figure.data if area.stackgroup}
    expected = {"projections": WITH, "feed-forward": BLUE, "scores and weighted sum": WITHOUT}
    assert {name: area.fillcolor for name, area in areas.items()} == expected
    for area, part in zip(areas.values(), shares, strict=True):
        np.testing.assert_allclose(area.y, [100 * share for share in part])


@pytest.mark.parametrize("chosen", GROUPS)
def test_only_the_chosen_bar_stands_out(chosen: int) -> None:
    (bars,) = heads.cache_figure(GROUPS, [8 * g for g in GROUPS], chosen).data
    assert list(bars.marker.color) == [heads.CHOSEN if g == chosen else NEUTRAL for g in GROUPS]
    assert list(bars.marker.pattern.shape) == ["" if g == chosen else "/" for g in GROUPS]


def test_each_head_has_a_colour_of_its_own_in_their_order() -> None:
    parts = np.arange(12.0).reshape(3, 4)
    bars = [bar for bar in heads.parts_figure(parts, parts.sum(0), "sat").data if bar.type == "bar"]
    for h, bar in enumerate(bars):
        assert bar.name == f"head {h + 1}"
        assert (bar.marker.color, bar.marker.pattern.shape) == heads.LOOKS[h]
        np.testing.assert_array_equal(bar.y, parts[h])
    assert len({look[0] for look in heads.LOOKS[:3]}) == 3
