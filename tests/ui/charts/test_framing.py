"""What charts share, and what every chart of every page does."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from core.path import PATH
from stage.hosts.component import style_sheet
from tests.sampling import ROOT
from tests.ui import support
from tests.ui.charts.test_colours import called, colours_of
from tests.ui.support import opened_whole, values
from ui.charts.colours import PAPERS, contrast, in_dark
from ui.charts.framing import Chart, framed


def bars(heights: list[float]) -> Chart:
    return framed([go.Bar(x=["a", "b"], y=np.array(heights))], "two bars", title={"text": "Bars"})


def test_a_chart_is_written_once_as_plotly_takes_it_for_the_same() -> None:
    """Streamlit gives a figure to Plotly twice; a template, notes, packed numbers are new to it."""
    chart = bars([1.0, 2.5])
    once = chart.to_dict()
    once["data"] = []  # whoever draws it may change what they were given
    written = chart.to_dict()
    assert written["data"] == [{"type": "bar", "x": ["a", "b"], "y": [1.0, 2.5]}]
    assert not {"template", "meta"} & set(written["layout"])
    assert written["layout"]["title"] == {"text": "Bars"}
    same, other = (bars([1.0, height]).to_dict()["layout"] for height in (2.5, 2.6))
    assert written["layout"] == same
    assert written["layout"]["datarevision"] != other["datarevision"]


SMALLEST = 13
TEXT, MARK = 4.5, 3.0
WITHS = ("with ", "causal mask", "(I + J)", "q·k / √d", "attention: ")
WITHOUTS = ("without ", "no mask", "Jⁿ", "q·k:", "q·k,")
PAGES = sorted(PATH)
Written = dict[str, Any]
COLOUR = re.compile(r"#[0-9a-f]{6}")


@pytest.fixture(params=PAGES, scope="module")
def charts(request: pytest.FixtureRequest) -> list[Written]:
    return support.charts(opened_whole(request.param))


def themes(charts: list[Written]) -> Iterator[tuple[Written, str]]:
    """Each chart in the colours of each theme, with the paper it stands on."""
    for chart in charts:
        yield chart, PAPERS[0]
        yield in_dark(chart), PAPERS[1]


def parts(written: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Whatever a figure says, each with its name."""
    yield name, written
    if isinstance(written, dict):
        for key, value in written.items():
            yield from parts(value, key)
    elif isinstance(written, list):
        for value in written:
            yield from parts(value, name)


def colours(value: Any) -> set[str]:
    return {c for _, found in parts(value) if isinstance(found, str) for c in COLOUR.findall(found)}


def marked(chart: Written) -> Iterator[str]:
    """The colours of lines, bars and points; those of cells are a scale's."""
    for series in chart["data"]:
        for kind in ("marker", "line"):
            yield from colours(series.get(kind, {}).get("color", ""))
        yield from colours(series.get("fillcolor", ""))
    for shape in chart["layout"].get("shapes", ()):
        yield from colours(shape["line"]["color"])


def test_there_are_charts_and_each_is_described() -> None:
    drawn = [chart for page in PAGES for chart in opened_whole(page).get("plotly_chart")]
    said = [chart.proto.alt for chart in drawn]
    assert len(said) > 20
    assert all(len(words) > 60 for words in said), "what it says: `test_claims.py`"


def test_all_text_is_large_enough_and_no_power_of_ten_has_an_e(charts: list[Written]) -> None:
    powers = re.compile(r"[0-9]e[-−][0-9]")
    for chart in charts:
        assert chart["layout"]["font"]["size"] >= SMALLEST
        for name, value in parts(chart):
            assert not (isinstance(value, str) and powers.search(value)), (name, value)
            if name in ("font", "textfont", "tickfont"):
                assert value.get("size", SMALLEST) >= SMALLEST, value
        for name, axis in chart["layout"].items():
            if name.startswith(("xaxis", "yaxis")) and axis.get("visible", True):
                assert axis["tickfont"]["size"] >= SMALLEST, name


def test_text_stands_out_from_what_it_stands_on(charts: list[Written]) -> None:
    for chart, paper in themes(charts):
        layout = chart["layout"]
        assert contrast(layout["font"]["color"], paper) >= TEXT
        for note in layout.get("annotations", ()):
            ground = note.get("bgcolor", paper)
            assert contrast(note.get("font", layout["font"])["color"], ground) >= TEXT, note
        for series in chart["data"]:
            if not series.get("text") and not series.get("texttemplate"):
                continue
            own = series.get("textfont", {}).get("color", layout["font"]["color"])
            if series["type"] == "heatmap":
                grounds = colours(series["colorscale"]) if series.get("texttemplate") else set()
            elif series["type"] == "bar":
                assert "color" in series["textfont"], "Streamlit's own is too pale"
                inside = series.get("textposition") == "inside"
                grounds = colours(series["marker"]["color"]) if inside else {paper}
            else:
                grounds = {paper} if "text" in series.get("mode", "") else set()
            for ground in grounds:
                assert contrast(own, ground) >= TEXT, (series.get("name"), own, ground)


def test_marks_stand_out_from_the_paper(charts: list[Written]) -> None:
    for chart, paper in themes(charts):
        for colour in marked(chart):
            assert contrast(colour, paper) >= MARK, colour


def test_what_is_named_is_named_where_it_is(charts: list[Written]) -> None:
    """Nothing has a legend; each series of several says its name in its own chart."""
    for chart in charts:
        assert not chart["layout"]["showlegend"]
        names = {series.get("name") for series in chart["data"]} - {None}
        notes = [note["text"] for note in chart["layout"].get("annotations", ())]
        texts = [str(series.get("text", "")) for series in chart["data"]]
        said = " ".join([*notes, *texts]).replace("<br>", " ")
        if len(names) > 1:
            for name in names:
                words = re.split(r"[:,(]| near ", name)[0]
                assert words.strip().split(" / ")[0] in said, name


def test_an_arrow_points_at_what_is_drawn(charts: list[Written]) -> None:
    """At the end of a bar, a point or a line, where it is in the numbers of the axes."""
    for chart in charts:
        for note in chart["layout"].get("annotations", ()):
            if note.get("showarrow", True):
                drawn = [
                    zip(*map(values, (one["x"], one["y"])), strict=True) for one in chart["data"]
                ]
                assert (note["x"], note["y"]) in chain(*drawn), note["text"]


def test_with_and_without_have_one_colour_each(charts: list[Written]) -> None:
    for chart in charts:
        for name, colour in colours_of(go.Figure(chart)).items():
            if name and name.startswith(WITHOUTS):
                assert called(colour) == "orange", name
            elif name and name.startswith(WITHS):
                assert called(colour) == "teal", name


def test_cells_have_the_colours_of_the_stage(charts: list[Written]) -> None:
    sheet = style_sheet()
    for chart in charts:
        for series in chart["data"]:
            if series["type"] == "heatmap":
                stops = [colour for _, colour in series["colorscale"]]
                assert len(stops) in (21, 41)
                assert all(f"light-dark({end}, " in sheet for end in {stops[0], stops[-1]})
                empty = stops[0 if len(stops) == 21 else 20]
                assert f"--empty: light-dark({empty}, {in_dark(empty, True)})" in sheet


def test_colours_of_numbers_of_both_signs_are_centred_on_zero(charts: list[Written]) -> None:
    for chart in charts:
        for series in chart["data"]:
            if series["type"] == "heatmap" and min(np.ravel(values(series["z"]))) < 0:
                assert series["zmin"] == -series["zmax"] < 0


def test_what_is_counted_is_counted_from_the_top(charts: list[Written]) -> None:
    """The names of bars and of rows of cells that begin or end with a number."""
    for chart in charts:
        for series in chart["data"]:
            names = [str(name) for name in series.get("y", ())]
            counts = [int(found[0]) for name in names if (found := re.search(r"^\d+|\d+$", name))]
            lies = series["type"] == "heatmap" or series.get("orientation") == "h"
            if lies and len(counts) == len(names) > 1:
                assert counts == sorted(counts)
                axis = chart["layout"][series.get("yaxis", "y").replace("y", "yaxis")]
                assert axis["autorange"] == "reversed", names


def test_projected_all_text_of_a_chart_is_read_from_the_last_row(charts: list[Written]) -> None:
    for chart in charts:
        large = Chart(chart).large.to_dict()
        fonts = [font for name, font in parts(large) if name.endswith("font")]
        sizes = [font["size"] for font in fonts if "size" in font]
        assert sizes
        assert all(size >= 18 for size in sizes), sizes
        assert large["layout"]["height"] > 1.4 * chart["layout"]["height"]


def test_the_edges_of_tables_are_as_the_page() -> None:
    """A table that scrolls hides its edge under the page's colour."""
    sheet = (ROOT / "ui/page/browser/house.css").read_text()
    assert re.findall(r"--paper: light-dark\((#\w+), (#\w+)\)", sheet) == [("#fff", PAPERS[1])]
