"""What the chapters' charts share: the frame around a figure, its axes, and colours.

A function that makes a chart is pure and returns a figure that carries its spoken description,
`alt_of(figure)`. Colours hold on light and dark paper alike (3:1 against both), and are never the
only sign: lines differ in their dash, bars in their pattern, and each is named where it stands.
Text keeps the colour of Streamlit's theme.
"""

import html
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import pandas  # type: ignore[import-untyped]  # noqa: F401 - see below
import plotly.graph_objects as go
import streamlit as st

# pandas is imported here, because Plotly looks for it and finds it half loaded where two visitors
# come to a fresh server at once.

WITHOUT, WITH = "#c77700", "#0f8f83"
"""Without what a chapter is about and with it, on every chart."""
NEUTRAL = "#808495"
VIOLET = "#8b6bd6"
BLUE = "#4a8fd8"
INK = "#16151f"
"""On filled cells, whatever the theme."""
PLAIN = {"displayModeBar": False, "scrollZoom": False}
"""What `st.plotly_chart` takes as `config`: a picture to point at, without a toolbar."""


kept = st.cache_resource(show_spinner=False, max_entries=32)
"""Decorates a function that makes a chart: the same figure for the same arguments, for everybody.

To make one takes Plotly longer than all that is computed for it.
"""


class Chart(go.Figure):  # type: ignore[misc]
    """A figure that is finished when it is first drawn, and written out once.

    Plotly copies a figure anew whenever it is drawn, which takes a quarter of a page's run.
    """

    def to_dict(self) -> dict[str, Any]:
        return dict(self._written)

    @cached_property
    def _written(self) -> dict[str, Any]:
        written: dict[str, Any] = super().to_dict()
        return written


def framed(traces: list[Any], alt: str, **layout: Any) -> go.Figure:
    """A figure on its page's paper, with its description."""
    settings = {
        "meta": {"alt": alt},
        "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
        "dragmode": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }
    return Chart(traces, settings | layout)


def as_text(label: str) -> str:
    """A token in a figure: Plotly reads what stands there as HTML, and would make a link of it."""
    return html.escape(label, quote=False)


def alt_of(figure: go.Figure) -> str:
    """What the figure shows, in words."""
    alt: str = figure.layout.meta["alt"]
    return alt


def log_axis(title: str, places: Sequence[int]) -> dict[str, Any]:
    """A logarithmic axis with a tick at each of these places and nowhere else."""
    return {
        "type": "log", "title": {"text": title}, "tickmode": "array", "tickvals": list(places),
        "ticktext": [f"{n:,}" for n in places], "minor": {"showgrid": False},
    }  # fmt: skip


def line(x: Any, y: Any, colour: str, dash: str, **more: Any) -> go.Scatter:
    """A line whose dash tells it from others, as its colour does."""
    look = {"color": colour, "dash": dash, "width": 2}
    return go.Scatter(x=x, y=y, **({"mode": "lines", "line": look} | more))


def legend_above() -> dict[str, Any]:
    """Above the chart; a click on it hides nothing."""
    return {
        "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "title": {"text": ""},
        "itemclick": False, "itemdoubleclick": False,
    }  # fmt: skip
