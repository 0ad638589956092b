"""What the chapters' charts share: the frame around a figure, its axes, its lines; how it is drawn.

A function that makes a chart is pure and returns a figure that carries its spoken description,
`alt_of(figure)`. It says directly on a line, a bar or a point what that is (ui/charts/names.py).
"""

import hashlib
import html
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas  # type: ignore[import-untyped]  # noqa: F401 - see below
import plotly.graph_objects as go
import streamlit as st

from ui.charts.colours import GRID, NEUTRAL, PAPERS, TEXT_COLOUR, in_dark
from ui.page.presenting import presenting
from ui.page.prose import typeset_decimal

# pandas is imported here, because Plotly looks for it and finds it half loaded where two visitors
# come to a fresh server at once.

_PLAIN = {"displayModeBar": False, "scrollZoom": False}
"""A picture to point at, without a toolbar."""
ENLARGED = 1.45
"""A projected chart is so many times as large."""
_LENGTHS = {
    "font": ("size",), "marker": ("size",), "line": ("width",), "margin": ("l", "r", "t", "b"),
    "layout": ("height",), "annotations": ("xshift", "yshift", "ax", "ay"),
}  # fmt: skip
"""What of a figure is a length in pixels, by the part that it is in."""
LETTERS = 14
"""The size of all text of a chart that is not said to be larger, in pixels."""
FACE = "Source Sans, sans-serif"
NO_NAME = "<extra></extra>"
"""At the end of what a chart says where it is pointed at: without the name of the series."""


kept = st.cache_resource(show_spinner=False, max_entries=32)
"""Decorates a function that makes a chart: the same figure for the same arguments, for everybody.

To make one takes Plotly longer than all that is computed for it.
"""


class Chart(go.Figure):  # type: ignore[misc]
    """A figure that is finished when it is first drawn, and written out once for each theme.

    Plotly copies a figure anew whenever it is drawn, which takes a quarter of a page's run. And
    Streamlit's page gives each figure to Plotly twice: the second time nothing is drawn, as long as
    it finds the same revision of the data, and neither a template nor notes, which it would take
    for new ones.
    """

    def to_dict(self) -> dict[str, Any]:
        return dict(self._written)

    @cached_property
    def dark(self) -> "Chart":
        """The same in the colours of the dark theme."""
        return Chart(in_dark(self._written))

    @cached_property
    def large(self) -> "Chart":
        """The same for a projector: its text is read from the last row."""
        return Chart(_enlarged(self._written))

    @cached_property
    def _written(self) -> dict[str, Any]:
        layout = _listed(self.layout.to_plotly_json())
        data = [_listed(trace.to_plotly_json()) for trace in self.data]
        revision = hashlib.sha256(repr(data).encode()).hexdigest()
        left = {name: layout[name] for name in layout if name not in ("template", "meta")}
        return {"data": data, "layout": left | {"datarevision": revision}}


def _listed(part: Any) -> Any:
    """Return a part of a figure with lists for its arrays: packed ones are always new to Plotly."""
    if isinstance(part, dict):
        return {name: _listed(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_listed(one) for one in part]
    return part.tolist() if isinstance(part, np.ndarray) else part


def _enlarged(part: Any, inside: str = "") -> Any:
    """Return a part of a figure with larger letters, marks and lines, and more room for them."""
    if isinstance(part, Mapping):
        return {name: _grown(name, value, inside) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_enlarged(one, inside) for one in part]
    return part


def _grown(name: str, value: Any, inside: str) -> Any:
    grows = _LENGTHS.get("font" if inside.endswith("font") else inside, ())
    if name in grows and isinstance(value, int | float):
        return ENLARGED * value
    return _enlarged(value, name)


def framed(traces: list[Any], alt: str, **layout: Any) -> Chart:
    """A figure on its page's paper, with its description."""
    letters = {"size": LETTERS, "color": TEXT_COLOUR, "family": FACE}
    settings = {
        "meta": {"alt": alt},
        "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
        "dragmode": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": letters,
        "showlegend": False,
        "hoverlabel": {"bgcolor": PAPERS[0], "bordercolor": NEUTRAL, "font": letters},
    }
    axes = {
        name: _ruled(name, axis, letters)
        for name, axis in ({"xaxis": {}, "yaxis": {}} | layout).items()
        if name.startswith(("xaxis", "yaxis"))
    }
    return Chart(traces, settings | layout | axes)


def _ruled(name: str, axis: dict[str, Any], letters: dict[str, Any]) -> dict[str, Any]:
    """An axis with text as large as all other. Only one upwards has lines, pale ones."""
    across = {"showgrid": False, "zeroline": False} if name.startswith("x") else {}
    lines = {"gridcolor": GRID, "zerolinecolor": GRID, "tickcolor": GRID, "automargin": True}
    title = {"standoff": 20 if across else 24, "font": letters} | axis.get("title", {})
    return lines | across | {"tickfont": letters} | axis | {"title": title}


def as_text(label: str) -> str:
    """A token in a figure: Plotly reads what stands there as HTML, and would make a link of it."""
    return html.escape(label, quote=False)


def chart_number(value: float) -> str:
    """A number as a chart writes it: what two decimals would hide is ≈ 0."""
    small = 0 < abs(value) < 0.005
    return "≈ 0" if small else typeset_decimal(value)


def alt_of(figure: go.Figure) -> str:
    """What the figure shows, in words."""
    alt: str = figure.layout.meta["alt"]
    return alt


def titled_axis(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title}} | more


def log_axis(title: str, places: Sequence[float], texts: Sequence[str] = ()) -> dict[str, Any]:
    """A logarithmic axis with a tick at each of these places and nowhere else."""
    texts = texts or [f"{n:,}" for n in places]
    ticks = {"tickmode": "array", "tickvals": list(places), "ticktext": list(texts)}
    return titled_axis(title, type="log", **ticks)


def note(text: str, **place: Any) -> dict[str, Any]:
    """A text on a chart without an arrow, as an annotation of Plotly's."""
    return {"text": text, "showarrow": False} | place


def upright_line(x: float, colour: str, width: float, **look: str) -> dict[str, Any]:
    """A line over the whole height, as a shape of Plotly's."""
    place = {"x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "line": {"color": colour, "width": width} | look} | place


def dashed_line(x: Any, y: Any, colour: str, dash: str, **more: Any) -> go.Scatter:
    """A line whose dash tells it from others, as its colour does."""
    look = {"color": colour, "dash": dash, "width": 2}
    return go.Scatter(x=x, y=y, **({"mode": "lines", "line": look} | more))


def lines_over(
    x: Any, *series: tuple[str, Any, str, str], says: Callable[[str], str], **more: Any
) -> list[go.Scatter]:
    """Lines over the same places: of each its name, its values, its colour and its dash.

    `says` is given a name, and returns what is said where the line is pointed at.
    """
    return [
        dashed_line(x, y, colour, dash, name=name, hovertemplate=says(name) + NO_NAME, **more)
        for name, y, colour, dash in series
    ]


def draw_chart(chart: Chart, key: str) -> None:
    """Draw it, with its description for whoever does not see it."""
    shown = chart.dark if st.context.theme.type == "dark" else chart
    shown = shown.large if presenting() else shown
    st.plotly_chart(shown, key=key, config=_PLAIN, theme=None, alt=alt_of(chart))
