"""Charts of the chapter on dot products: two arrows in space, and one query under every rule."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.chapters.dot_products.vector_pair import VectorPair
from core.program.numbers.rounding import cell_text, typeset
from core.program.reading import weight_percent
from ui.charts.colours import CELL_TEXT, KEY, QUERY, SHARES, TEXT_COLOUR
from ui.charts.framing import (
    LETTERS,
    NO_NAME,
    Chart,
    as_text,
    chart_number,
    framed,
    kept,
    titled_axis,
)
from ui.page_texts import chart_texts

TEXTS = chart_texts("dot_products")
QUIET = "#807c98"
MOST_NUMBERS = 16
"""Beyond this many keys the chart shows colours only."""


@kept
def space_figure(pair: VectorPair, arc: Float[np.ndarray, "n 3"], limit: float) -> Chart:
    """Return two arrows from the middle of a cube, −limit to limit, and the arc of their angle."""
    data = [_arrow("q", pair.q, QUERY, "bottom center"), _arrow("k", pair.k, KEY, "top center")]
    x, y, z = arc.T
    middle = len(arc) // 2
    texts = ["θ" if n == middle else "" for n in range(len(arc))]
    look = {"text": texts, "textfont": {"size": 17, "color": TEXT_COLOUR}, "hoverinfo": "skip"}
    bow = go.Scatter3d(x=x, y=y, z=z, mode="lines+text", line={"color": QUIET, "width": 5}, **look)
    data.append(bow.update(textposition="middle right"))
    axis = {"range": [-limit, limit], "backgroundcolor": "rgba(0,0,0,0)", "gridcolor": QUIET,
            "color": QUIET, "zerolinecolor": QUIET, "showspikes": False, "nticks": 5}  # fmt: skip
    scene = {
        f"{letter}axis": axis | titled_axis(TEXTS("feature", number=n))
        for n, letter in enumerate("xyz", start=1)
    }
    camera = {"eye": {"x": 0.6, "y": -1.95, "z": 0.75}, "center": {"x": 0, "y": 0, "z": -0.12}}
    return framed(
        data,
        space_words(pair),
        scene=scene | {"camera": camera, "aspectmode": "cube", "dragmode": "turntable"},
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        height=380,
        uirevision="space",
    )


def space_words(pair: VectorPair) -> str:
    """Return the same in words, for people who do not see it."""
    printed = {name: pair.printed[name] for name in ("q", "k", "degrees", "dot", "cosine")}
    return TEXTS("space_alt", **printed)


@kept
def rules_figure(
    weights: Mapping[str, Float[np.ndarray, "S"]], labels: Sequence[str], query: str
) -> Chart:
    """Return one row for each rule: the weights with which `query` reads each key, from 0 to 1."""
    rules = list(weights)[::-1]
    values = np.array([weights[rule] for rule in rules])
    few = len(labels) <= MOST_NUMBERS
    sentence = [
        [_read(query, label, float(weight)) for weight, label in zip(row, labels, strict=True)]
        for row in values
    ]
    heat = go.Heatmap(
        z=values, x=list(range(len(labels))), y=rules, zmin=0, zmax=1, showscale=False,
        colorscale=SHARES, xgap=2, ygap=2,
        text=[[chart_number(w) for w in row] for row in values] if few else None,
        texttemplate="%{text}" if few else None, textfont={"size": LETTERS, "color": CELL_TEXT},
        customdata=sentence,
        hovertemplate="%{y}: %{customdata}" + NO_NAME,
    )  # fmt: skip
    return framed(
        [heat],
        rules_words(weights, labels),
        height=50 + 34 * len(rules),
        margin={"l": 4, "r": 4, "t": 26, "b": 4},
        xaxis={
            "tickvals": list(range(len(labels))), "ticktext": [*map(as_text, labels)],
            "side": "top", "showgrid": False, "fixedrange": True,
        },
        yaxis={"showgrid": False, "fixedrange": True},
    )  # fmt: skip


def rules_words(weights: Mapping[str, Float[np.ndarray, "S"]], labels: Sequence[str]) -> str:
    """Return the largest weight of each row, for people who do not see the chart."""
    parts = []
    for rule, row in weights.items():
        most = int(np.argmax(row))
        weight, even = cell_text(float(row[most])), bool(np.ptp(row) < 1e-9)
        parts.append(TEXTS("most_of_rule", rule=rule, weight=weight, even=even, key=labels[most]))
    return "; ".join(parts) + "."


def _read(query: str, key: str, weight: float) -> str:
    percent = weight_percent(weight)
    return TEXTS("reads_from", query=as_text(query), percent=percent, key=as_text(key))


def _arrow(name: str, tip: Sequence[float], colour: str, where: str) -> go.Scatter3d:
    """Return a line from the origin that ends in a marker and its name."""
    x, y, z = tip
    sentence = f"{name} = {typeset('(' + ', '.join(f'{at:.1f}' for at in tip) + ')')}"
    return go.Scatter3d(
        x=[0, x], y=[0, y], z=[0, z], mode="lines+markers+text", text=["", name],
        line={"color": colour, "width": 9},
        marker={"color": colour, "size": [0, 7], "opacity": 1, "line": {"width": 0}},
        textfont={"color": colour, "size": 20}, textposition=where,
        hovertemplate=sentence + NO_NAME,
    )  # fmt: skip
