"""Charts of how attention's cost grows with the number of tokens.

What grows with the square of the text has one colour on all of them, projections another.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from core.chapters.cost.growth import percent_text
from core.chapters.cost.real_model import HELD_PERCENT, WeightsRead
from core.program.numbers.rounding import decimal_text
from ui.charts.colours import INK, NEUTRAL, TEXT_COLOUR, WEIGHTS, WITH, WITHOUT
from ui.charts.framing import (
    LETTERS,
    NO_NAME,
    Chart,
    dashed_line,
    framed,
    kept,
    log_axis,
    note,
    titled_axis,
    upright_line,
)
from ui.charts.names import lines_figure
from ui.page_texts import chart_texts

CLOSE = 20
"""Two lines whose numbers differ by less than this factor have no room for a name each."""
TEXTS = chart_texts("cost")
QUADRATIC, LINEAR, FIXED = (WITHOUT, "dash"), (WITH, "solid"), (NEUTRAL, "dot")
LOOKS = {2: QUADRATIC, 1: LINEAR, 0: FIXED}
"""Colour and dash of what grows as T to that power."""
GROWS = {2: TEXTS("as_the_square"), 1: TEXTS("as_the_text"), 0: TEXTS("not_at_all")}
TICKS = (1, 10, 100, 1_000, 10_000, 100_000)


def name_above(tokens: float, text: str, anchor: str = "center") -> dict[str, Any]:
    """Return a name above the chart, as an annotation of Plotly's."""
    return note(text, xanchor=anchor, x=math.log10(tokens), yref="paper", y=1, yanchor="bottom")


def names_above(places: Sequence[float], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return two names above their lines; if the lines are close, each name on its own side."""
    if max(places) >= CLOSE * min(places):
        return [name_above(x, name) for x, name in zip(places, names, strict=True)]
    sides = ("right", "left") if places[0] <= places[1] else ("left", "right")
    return [name_above(*named) for named in zip(places, names, sides, strict=True)]


@kept
def growth_figure(
    unit: str,
    grows: Mapping[str, int],
    ends: tuple[int, int],
    at_ends: Sequence[Sequence[int]],
    marks: Mapping[str, int],
    at_marks: Sequence[Sequence[int]],
) -> Chart:
    """Straight lines on two logarithmic axes, one for each quantity, whose degree `grows` gives.

    They are drawn from their counts at the two `ends`, and marked at three numbers of tokens, of
    which the last is twice the second.
    """
    drawn: list[Any] = []
    doubled = sorted(counts[-1] for counts in at_marks)
    roomy, places = all(b >= CLOSE * a for a, b in pairwise(doubled)), list(marks.values())
    shape = {"size": 9, "opacity": 1, "symbol": ["circle", "diamond", "diamond-open"]}
    beside = {"textposition": "top center", "textfont": {"size": 14}, "cliponaxis": False}
    for (name, degree), counts in zip(grows.items(), at_ends, strict=True):
        colour, dash = LOOKS[degree]
        label = TEXTS("growth_line", name=name, grows=GROWS[degree])
        drawn.append(dashed_line(ends, counts, colour, dash, hoverinfo="skip", name=label))
    for (name, degree), counts in zip(grows.items(), at_marks, strict=True):
        colour, doubles = LOOKS[degree][0], ["", "", f"× {2**degree}" if roomy else ""]
        marker = {"color": colour, "line": {"width": 2, "color": colour}} | shape
        hover = TEXTS("growth_hover", name=name, unit=unit) + NO_NAME
        points = go.Scatter(x=places, y=counts, mode="markers+text", text=doubles, marker=marker)
        drawn.append(points.update(hovertemplate=hover, **beside))
    lines = [
        (name, GROWS[degree], _with_commas(counts))
        for (name, degree), counts in zip(grows.items(), at_marks, strict=True)
    ]
    first = places[:2]
    names = [TEXTS("mark", name=name, tokens=f"{T:,}") for name, T in list(marks.items())[:2]]
    powers = {"type": "log", "exponentformat": "power", "dtick": 2}
    return lines_figure(
        drawn,
        TEXTS("growth_alt", unit=unit, marks=_with_commas(places), lines=lines),
        named=drawn[: len(grows)],
        height=340,
        xaxis=log_axis(TEXTS("tokens_axis"), TICKS),
        yaxis=powers | titled_axis(unit),
        shapes=[upright_line(T, NEUTRAL, 1.5, dash="dot") for T in first],
        annotations=names_above(first, names),
    )


@kept
def areas_figure(tokens: int, width: int) -> Chart:
    """A square of T × T and a strip of T × `width`, drawn to scale: their areas are two works."""
    gap = 0.12 * max(tokens, width)
    parts = (
        (TEXTS("pairs"), QUADRATIC[0], 0.0, tokens, "T × T"),
        (TEXTS("projections"), LINEAR[0], tokens + gap, width, "T × 2d"),
    )
    drawn = []
    for name, colour, left, wide, _ in parts:
        x, y = [left, left + wide, left + wide, left, left], [0, 0, tokens, tokens, 0]
        looks = {"line": {"color": colour, "width": 1.5}, "fill": "toself", "fillcolor": colour}
        drawn.append(go.Scatter(x=x, y=y, mode="lines", name=name, hoverinfo="skip", **looks))
    square, strip = (
        f"<b>{name}</b><br>{size} = {tokens:,} × {wide:,}" for name, _, _, wide, size in parts
    )
    end = tokens + gap + width
    below = {"x": 0, "y": 0, "yanchor": "top", "yshift": -4}
    beside = {"x": end, "xshift": 6, "y": tokens / 2}
    return framed(
        drawn,
        TEXTS("areas_alt", tokens=f"{tokens:,}", width=f"{width:,}"),
        height=320,
        margin={"l": 8, "r": 150, "t": 8, "b": 52},
        xaxis={"visible": False, "range": [0, end], "constrain": "domain"},
        yaxis={"visible": False, "range": [0, tokens], "scaleanchor": "x", "constrain": "domain"},
        annotations=[
            note(text, xanchor="left", align="left", **place)
            for text, place in ((square, below), (strip, beside))
        ],
    )


@kept
def crossing_figure(
    lengths: Sequence[int], shares: Mapping[str, Sequence[float]], halves: Sequence[float], now: int
) -> Chart:
    """Scores and weighted sum in % of the work, against T: marked at one half and at T."""
    looks = ((QUADRATIC[0], "solid"), (NEUTRAL, "dash"))
    drawn = []
    for (name, part), look in zip(shares.items(), looks, strict=True):
        percents, hover = [100 * share for share in part], TEXTS("part_hover", name=name) + NO_NAME
        drawn.append(dashed_line(list(lengths), percents, *look, name=name, hovertemplate=hover))
    edge = {"line": {"width": 2, "color": INK}, "size": 10, "opacity": 1}
    marker = {"color": [colour for colour, _ in looks]} | edge
    letters = {"size": LETTERS, "color": TEXT_COLOUR}
    text = [TEXTS("half", tokens=f"{half:,.0f}") for half in halves]
    where = {"textposition": ["top left", "bottom right"], "textfont": letters}
    halfway = go.Scatter(x=list(halves), y=[50] * len(halves), text=text, marker=marker, **where)
    halfway.update(mode="markers+text", cliponaxis=False, hoverinfo="skip")
    at = list(lengths).index(now)
    lines = [
        (name, percent_text(part[at]), f"{half:,.0f}")
        for (name, part), half in zip(shares.items(), halves, strict=True)
    ]
    return lines_figure(
        [*drawn, halfway],
        TEXTS("crossing_alt", tokens=f"{now:,}", lines=lines),
        named=drawn,
        height=320,
        xaxis=log_axis(TEXTS("tokens_axis"), TICKS),
        yaxis=titled_axis(TEXTS("work_axis"), range=[0, 100]),
        shapes=[upright_line(now, TEXT_COLOUR, 1.5, dash="dot")],
        annotations=[name_above(now, TEXTS("mark", name="T", tokens=f"{now:,}"))],
    )


def _with_commas(counts: Sequence[int]) -> str:
    return ", ".join(f"{n:,}" for n in counts)


@kept
def weights_read_figure(read: WeightsRead) -> Chart:
    """Bars of the weights that hold `HELD_PERCENT` % of a row, under a line at all that it has."""
    layers = list(range(1, len(read.by_layer) + 1))
    texts = [decimal_text(needed, 1) for needed in read.by_layer]
    seen = decimal_text(read.seen, 1)
    hover, look = TEXTS("real_hover", seen=seen) + NO_NAME, {"color": WEIGHTS}
    values = list(read.by_layer)
    bars = go.Bar(x=layers, y=values, marker=look, customdata=texts, hovertemplate=hover)
    ends, name = [layers[0] - 0.5, layers[-1] + 0.5], TEXTS("real_seen", seen=seen)
    computed = dashed_line(ends, [read.seen] * 2, NEUTRAL, "dash", name=name, hoverinfo="skip")
    return lines_figure(
        [bars, computed],
        TEXTS("real_alt", tokens=read.tokens, percent=HELD_PERCENT, seen=seen, needed=texts),
        named=[computed],
        height=300,
        bargap=0.25,
        xaxis=titled_axis(TEXTS("real_x"), range=ends, dtick=5, tick0=0),
        yaxis=titled_axis(TEXTS("real_y", percent=HELD_PERCENT), range=[0, 1.08 * read.seen]),
    )
