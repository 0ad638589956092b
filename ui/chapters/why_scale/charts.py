"""Charts of the chapter on √d_k: how scores spread, and what that does to softmax."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.chapters.why_scale.variance import Histogram, Means
from core.program.numbers.rounding import decimal_text, typeset
from ui.charts.colours import CELL_TEXT, NEUTRAL, SIGNED, WITH, WITHOUT
from ui.charts.framing import NO_NAME, Chart, dashed_line, framed, kept, log_axis, titled_axis
from ui.charts.names import lines_figure, named_at_ends
from ui.page_texts import chart_texts

TEXTS = chart_texts("why_scale")
_HALVES = ([0.54, 1.0], [0.0, 0.46])
SCALING_BARS = ((WITHOUT, "/"), (WITH, ""))
"""Colour and pattern of each row of weights: undivided, divided."""


@kept
def spread_figure(plain: Histogram, scaled: Histogram, d: int) -> Chart:
    """Return histograms of the same draws, q·k above q·k / √d, on one axis for every d."""
    deviations = [decimal_text(drawn.deviation) for drawn in (plain, scaled)]
    rows = [
        _histogram(drawn, name, deviation, colour, number)
        for drawn, name, deviation, colour, number in zip(
            (plain, scaled), ("q·k", "q·k / √d"), deviations, (WITHOUT, WITH), ("", "2"),
            strict=True,
        )
    ]  # fmt: skip
    return framed(
        rows,
        TEXTS("spread_alt", d=d, plain=deviations[0], scaled=deviations[1]),
        height=360,
        bargap=0,
        annotations=[_named(row, domain) for row, domain in zip(rows, _HALVES, strict=True)],
        xaxis=titled_axis(TEXTS("score_axis"), range=[-40, 40], anchor="y2"),
        yaxis={"domain": _HALVES[0], "showticklabels": False, "rangemode": "tozero"},
        yaxis2={"domain": _HALVES[1], "showticklabels": False, "rangemode": "tozero"},
    )


@kept
def variance_figure(
    dimensions: Sequence[int], plain: Float[np.ndarray, "D"], scaled: Float[np.ndarray, "D"], d: int
) -> Chart:
    """The variances of q·k and q·k / √d against d, with the lines Var = d and Var = 1."""
    sizes = list(dimensions)
    says = TEXTS("variance_hover") + NO_NAME
    ones = [1] * len(sizes)
    traces = [
        dashed_line(sizes, sizes, NEUTRAL, "dot", name=TEXTS("variance_d"), hoverinfo="skip"),
        dashed_line(sizes, ones, NEUTRAL, "dash", name=TEXTS("variance_1"), hoverinfo="skip"),
        _dots(sizes, plain, "q·k", WITHOUT, "diamond", d, says),
        _dots(sizes, scaled, "q·k / √d", WITH, "circle", d, says),
    ]
    ends = [decimal_text(float(v[-1])) for v in (plain, scaled)]
    upwards = log_axis(TEXTS("variance_axis"), sizes)
    layout = named_at_ends(traces[:2], height=360, xaxis=log_axis("d", sizes), yaxis=upwards)
    alt = TEXTS("variance_alt", d=sizes[-1], plain=ends[0], scaled=ends[1])
    return framed(traces, alt, **layout)


@kept
def grid_figure(grid: Float[np.ndarray, "d d"]) -> Chart:
    """The terms E[q_i k_i q_j k_j] of a variance as a heatmap with their sample means."""
    count = len(grid)
    down, across = ([f"{letter} = {n + 1}" for n in range(count)] for letter in "ij")
    texts = [[typeset(decimal_text(float(x), noise=0.005)) for x in row] for row in grid]
    heat = go.Heatmap(
        z=grid, x=across, y=down, text=texts, texttemplate="%{text}", colorscale=SIGNED,
        zmin=-1.2, zmax=1.2, showscale=False, xgap=2, ygap=2,
        textfont={"size": 15, "color": CELL_TEXT},
        hovertemplate=TEXTS("grid_hover") + NO_NAME,
    )  # fmt: skip
    diagonal = np.eye(count, dtype=bool)
    low, high = (decimal_text(float(x)) for x in (grid[diagonal].min(), grid[diagonal].max()))
    away = decimal_text(float(np.abs(grid[~diagonal]).max()))
    return framed(
        [heat],
        TEXTS("grid_alt", count=count, low=low, high=high, away=away),
        height=300,
        xaxis={"type": "category", "showgrid": False},
        yaxis={"type": "category", "showgrid": False, "autorange": "reversed"},
    )


@kept
def saturation_figure(dimensions: Sequence[int], plain: Means, scaled: Means) -> Chart:
    """Mean entropy above, mean Jacobian norm below, against d: without √d and with it."""
    sizes = list(dimensions)
    traces = []
    for name, means, colour, dash in (
        (TEXTS("without"), plain, WITHOUT, "dot"),
        (TEXTS("with"), scaled, WITH, "solid"),
    ):
        for axis, measure, values in (
            ("y", TEXTS("mean_evenness"), means.evenness),
            ("y2", TEXTS("mean_norm"), means.jacobian_norm),
        ):
            says = TEXTS("saturation_hover", name=name, measure=measure) + NO_NAME
            traces.append(
                dashed_line(
                    sizes, values, colour, dash, name=name, yaxis=axis, mode="lines+markers",
                    hovertemplate=says,
                )
            )  # fmt: skip
    ends = {
        "entropy_without": plain.evenness, "entropy_with": scaled.evenness,
        "norm_without": plain.jacobian_norm, "norm_with": scaled.jacobian_norm,
    }  # fmt: skip
    last = {name: decimal_text(float(values[-1])) for name, values in ends.items()}
    halves = [
        titled_axis(TEXTS("evenness_axis"), domain=[0.56, 1.0], range=[0, 1.02]),
        titled_axis(TEXTS("norm_axis"), domain=[0.0, 0.44], range=[0, 0.52]),
    ]
    return lines_figure(
        traces,
        TEXTS("saturation_alt", d=sizes[-1], **last),
        height=400,
        xaxis=log_axis("d", sizes) | {"anchor": "y2"},
        yaxis=halves[0],
        yaxis2=halves[1],
    )


def _histogram(drawn: Histogram, name: str, deviation: str, colour: str, number: str) -> go.Bar:
    """Bars on the y axis of that number."""
    return go.Bar(
        x=drawn.middles, y=drawn.shares, width=drawn.width, yaxis=f"y{number}",
        name=TEXTS("spread_name", name=name, deviation=deviation),
        marker={"color": colour, "line": {"width": 0}},
        hovertemplate=TEXTS("spread_hover", name=name) + NO_NAME,
    )  # fmt: skip


def _named(row: go.Bar, domain: Sequence[float]) -> dict[str, Any]:
    """What a histogram shows, in its own upper left corner."""
    return {
        "text": row.name.replace(": ", ":<br>"), "showarrow": False, "align": "left",
        "xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": domain[1],
        "yanchor": "top",
    }  # fmt: skip


def _dots(
    x: Sequence[int], y: Any, name: str, colour: str, symbol: str, chosen: int, says: str
) -> go.Scatter:
    """Points, the one at `chosen` larger."""
    sizes = [15 if at == chosen else 8 for at in x]
    return go.Scatter(
        x=x, y=y, name=name, mode="markers", hovertemplate=says,
        marker={"color": colour, "symbol": symbol, "size": sizes, "opacity": 1},
    )  # fmt: skip
