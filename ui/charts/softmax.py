"""Charts of weights: bars, curves over the temperature, and rows that are not divided."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.chapters.softmax.normalising import COLDEST, CURVE, HOTTEST, Growth
from core.chapters.softmax.shares import Made
from core.program.numbers.rounding import decimal_text
from ui.charts.colours import BLUE, NEUTRAL, PINK, TEXT_COLOUR, WEIGHTS, WITH, WITHOUT
from ui.charts.framing import (
    LETTERS,
    NO_NAME,
    Chart,
    chart_number,
    dashed_line,
    framed,
    kept,
    lines_over,
    log_axis,
    titled_axis,
    upright_line,
)
from ui.charts.names import lines_figure
from ui.page_texts import chart_texts

TEXTS = chart_texts("softmax")

LOGIT_BARS = ((NEUTRAL, ""), (PINK, "/"), (WITHOUT, "x"))
"""As it is, with something added, multiplied."""
LINES = ((BLUE, "solid"), (WITHOUT, "dash"), (WITH, "dot"), (PINK, "dashdot"))
"""Colour and dash of each key's line."""
TEMPERATURES = (0.1, 0.25, 0.5, 1, 2, 4, 10)
"""At the ticks of an axis."""


@kept
def made_figure(made: Made) -> Chart:
    """Return score → positive number → weight, a row for each key and a column for each number."""
    columns = [("entering", made.entering), ("positive", made.positive), ("weight", made.weights)]
    drawn = [(name, values) for name, values in columns if values is not None]
    step = 1 / len(drawn)
    plain = made.words == "score"
    titles = [TEXTS("entering_column", plain=plain, entering=made.words)]
    if made.positive is not None:
        titles += [TEXTS("positive_column", made=made.how, x="score" if plain else "x")]
    titles += [TEXTS("weight_column", total=chart_number(made.total))]
    keys = [TEXTS("key_line", key=n + 1) for n in range(len(made.weights))]
    bars, axes = [], {}
    for at, (name, values) in enumerate(drawn):
        number = str(at + 1) if at else ""
        finite = np.where(np.isfinite(values), values, 0.0)
        low, high = min(0.0, float(finite.min())), max(0.0, float(finite.max()))
        room = (high - low) or 1.0  # for the numbers at the ends of the bars
        bars.append(
            go.Bar(
                y=keys, x=finite, orientation="h", xaxis=f"x{number}", name=titles[at],
                text=[chart_number(value) for value in values], textposition="outside",
                textfont={"size": 17, "color": TEXT_COLOUR}, constraintext="none",
                cliponaxis=False, marker={"color": WEIGHTS if name == "weight" else NEUTRAL},
                width=0.55, hoverinfo="skip",
            )
        )  # fmt: skip
        axes[f"xaxis{number}"] = {
            "domain": [at * step, (at + 0.94) * step], "visible": False, "fixedrange": True,
            "range": [low - (room if low < 0 else 0.0), high + room],
        }  # fmt: skip
    said = [[chart_number(value) for value in values] for _, values in drawn]
    return framed(
        bars,
        TEXTS("made_alt", columns=[*zip(titles, map(", ".join, said), strict=True)]),
        height=250,
        margin={"l": 8, "r": 8, "t": 56, "b": 8},
        annotations=[
            {"text": title, "x": at * step, "y": 1.02, "xref": "paper", "yref": "paper",
             "xanchor": "left", "yanchor": "bottom", "align": "left", "showarrow": False,
             "font": {"size": 16, "color": TEXT_COLOUR}}
            for at, title in enumerate(titles)
        ],
        yaxis={"autorange": "reversed", "showgrid": False, "fixedrange": True},
        **axes,
    )  # fmt: skip


@kept
def weights_figure(
    keys: Sequence[str],
    rows: Sequence[tuple[str, Float[np.ndarray, "keys"]]],
    looks: Sequence[tuple[str, str]],
) -> Chart:
    """Return rows of weights over the same keys, as bars side by side.

    Each row's name is written above a bar, over keys whose bars are low, so there is room for it.
    """
    lowest = np.argsort(np.max([weights for _, weights in rows], axis=0))
    bars = [
        go.Bar(
            x=list(keys),
            y=weights,
            name=name,
            textposition="outside",
            textangle=-90,
            text=[name if n == lowest[at % len(keys)] else "" for n in range(len(keys))],
            textfont={"size": LETTERS, "color": TEXT_COLOUR},
            constraintext="none",
            cliponaxis=False,
            marker={"color": colour, "pattern": {"shape": pattern, "size": 5, "solidity": 0.35}},
            hovertemplate=TEXTS("weight_hover", name=name) + NO_NAME,
        )
        for at, ((name, weights), (colour, pattern)) in enumerate(zip(rows, looks, strict=True))
    ]
    named = [(name, _listed(weights)) for name, weights in rows]
    return framed(
        bars,
        TEXTS("weights_alt", keys=len(keys), rows=named),
        height=300,
        barmode="group",
        bargap=0.25,
        xaxis=titled_axis(TEXTS("key_axis"), type="category"),
        yaxis=titled_axis(TEXTS("weight_axis"), range=[0, 1.02]),
    )


@kept
def temperature_figure(weights: Float[np.ndarray, "points keys"], at: float) -> Chart:
    """Return each key's weight against the temperature, with a line at the chosen temperature."""
    lines = [
        dashed_line(
            CURVE, weight, colour, dash, name=TEXTS("key_line", key=n),
            hovertemplate=TEXTS("temperature_hover", key=n) + NO_NAME,
        )
        for n, (weight, (colour, dash)) in enumerate(zip(weights.T, LINES, strict=True), start=1)
    ]  # fmt: skip
    ends = [
        (f"{temperature:g}", _listed(weights[place]))
        for temperature, place in ((COLDEST, 0), (HOTTEST, -1))
    ]
    return lines_figure(
        lines,
        TEXTS("temperature_alt", keys=weights.shape[1], ends=ends, at=f"{at:g}"),
        height=320,
        xaxis=log_axis(TEXTS("temperature_axis"), TEMPERATURES),
        yaxis=titled_axis(TEXTS("weight_axis"), range=[0, 1.02]),
        shapes=[upright_line(at, NEUTRAL, 2)],
    )


@kept
def context_growth_figure(grown: Growth) -> Chart:
    """Return the length of a query's context row against the number of keys that it reads."""
    keys = np.arange(1, len(grown.plain) + 1)
    lines = lines_over(
        keys,
        (TEXTS("not_divided"), grown.plain, WITHOUT, "dash"),
        (TEXTS("divided"), grown.normalised, WITH, "solid"),
        says=lambda name: TEXTS("growth_hover", name=name),
    )
    plain, normalised = (decimal_text(float(one[-1])) for one in (grown.plain, grown.normalised))
    return lines_figure(
        lines,
        TEXTS("growth_alt", keys=len(keys), plain=plain, normalised=normalised),
        height=320,
        xaxis=titled_axis(TEXTS("keys_axis")),
        yaxis=titled_axis(TEXTS("length_axis"), rangemode="tozero"),
    )


def _listed(weights: Float[np.ndarray, "keys"]) -> str:
    return ", ".join(chart_number(weight) for weight in weights)
