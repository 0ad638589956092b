"""The machines of ring attention, drawn as the ring that they are."""

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import plotly.graph_objects as go

from ui.charts.colours import BLUE, NEUTRAL, TEXT_COLOUR
from ui.charts.framing import Chart, framed, kept
from ui.page_texts import chart_texts

TEXTS = chart_texts("recursive_attention")
GAP = 0.24
"""Distance from a machine to its arrows' ends, as a fraction of the way to the next machine."""


def ring_figure(ticks: Sequence[Sequence[str]]) -> Chart:
    """Return machines in a circle, the block of keys that each has first, and where it goes next.

    `ticks` has for each machine its block at each tick.
    """
    return _ring(ticks, TEXTS("ring_alt", machines=len(ticks)))


@kept
def _ring(ticks: Sequence[Sequence[str]], alt: str) -> Chart:
    count = len(ticks)
    places = [(sin(2 * pi * n / count), cos(2 * pi * n / count)) for n in range(count)]
    if count == 1:
        places = [(0.0, 0.0)]
    sentence = [TEXTS("machine", number=n, keys=blocks[0]) for n, blocks in enumerate(ticks, 1)]
    drawn = go.Scatter(
        x=[x for x, _ in places], y=[y for _, y in places], mode="markers+text", text=sentence,
        marker={"size": 74, "symbol": "circle", "color": "rgba(0,0,0,0)",
                "line": {"color": BLUE, "width": 2}},
        textfont={"color": TEXT_COLOUR, "size": 12}, cliponaxis=False, hoverinfo="skip",
    )  # fmt: skip
    arrows = [_arrow(places[n], places[(n + 1) % count]) for n in range(count) if count > 1]
    axis = {"visible": False, "range": [-1.5, 1.5]}
    return framed(
        [drawn], alt, height=330, annotations=arrows, xaxis=axis, yaxis=axis | {"scaleanchor": "x"}
    )


def _arrow(one: tuple[float, float], other: tuple[float, float]) -> dict[str, Any]:
    def between(part: float) -> tuple[float, float]:
        (a, b), (c, d) = one, other
        return a + part * (c - a), b + part * (d - b)

    (ax, ay), (x, y) = between(GAP), between(1 - GAP)
    return {
        "x": x, "y": y, "ax": ax, "ay": ay, "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
        "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": NEUTRAL,
    }  # fmt: skip
