"""The charts of the causality experiment, and of a real model's weight on the first token."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.program.numbers.rounding import decimal_text
from ui.charts.colours import TEXT_COLOUR, WEIGHTS, WITH, WITHOUT
from ui.charts.framing import LETTERS, NO_NAME, Chart, as_text, framed, kept, titled_axis
from ui.page_texts import chart_texts

TEXTS = chart_texts("why_mask")
ROW_HEIGHT = 36
"""Pixels for a position's two bars."""


@kept
def rows_figure(
    labels: Sequence[str],
    causal: Float[np.ndarray, "T"],
    free: Float[np.ndarray, "T"],
    position: int,
) -> Chart:
    """Return bars of the largest change of each position's output, with the mask and without.

    The names stand beside the shortest two bars, where there is most room for them.
    """
    places = [f"{n + 1} {as_text(label)}" for n, label in enumerate(labels)]
    longer = np.maximum(causal, free)
    named = int(np.argmin(np.where(np.minimum(causal, free) > 0, longer, longer.max() + longer)))
    bars = [
        go.Bar(
            y=places, x=values, name=name,
            text=[
                f"{decimal_text(float(v))}{f'  {name}' if n == named else ''}"
                for n, v in enumerate(values)
            ],
            textfont={"size": LETTERS, "color": TEXT_COLOUR}, constraintext="none",
            marker={"color": colour, "pattern": {"shape": pattern}}, textposition="outside",
            orientation="h", cliponaxis=False,
            hovertemplate=TEXTS("change_hover", name=name) + NO_NAME,
        )
        for name, values, colour, pattern in (
            (TEXTS("causal_mask"), causal, WITH, ""), (TEXTS("no_mask"), free, WITHOUT, "/"),
        )
    ]  # fmt: skip
    still = {"causal": int((causal == 0).sum()), "free": int((free == 0).sum())}
    room = float(max(1.12 * longer.max(), 1.75 * longer[named], 0.1))
    return framed(
        bars,
        TEXTS("change_alt", place=position + 1, rows=len(places), **still),
        height=90 + ROW_HEIGHT * len(places),
        barmode="group",
        xaxis=titled_axis(TEXTS("change_axis"), range=[0, room]),
        yaxis={"autorange": "reversed", "type": "category", "showgrid": False},
    )


@kept
def sink_figure(by_layer: Float[np.ndarray, "L"], equal: float, layer: int) -> Chart:
    """Return bars of the weight on the first token, one for each layer, counted from 1.

    A dashed line is at what `equal` weights would give, and a note at the bar of one `layer`,
    counted from 0.
    """
    layers = list(range(1, len(by_layer) + 1))
    low, high = int(by_layer.argmin()), int(by_layer.argmax())
    weights = [decimal_text(float(weight)) for weight in by_layer]
    bars = go.Bar(
        x=layers, y=by_layer, marker={"color": WEIGHTS},
        hovertemplate=TEXTS("layer_hover") + NO_NAME,
    )  # fmt: skip
    line = {
        "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": equal, "y1": equal,
        "line": {"color": TEXT_COLOUR, "dash": "dash", "width": 2},
    }  # fmt: skip
    here = {
        "text": TEXTS("shown_head"), "x": layer + 1, "y": float(by_layer[layer]), "ax": 0,
        "ay": -46, "arrowcolor": TEXT_COLOUR,
    }  # fmt: skip
    places = {
        "lowest": low + 1, "low": weights[low], "highest": high + 1, "high": weights[high],
        "layer": layer + 1, "own": weights[layer],
    }  # fmt: skip
    return framed(
        [bars],
        TEXTS("layers_alt", layers=len(layers), equal=decimal_text(equal), **places),
        height=280,
        xaxis=titled_axis(TEXTS("layer_axis"), dtick=5, tick0=0, range=[0.4, len(layers) + 0.6]),
        yaxis=titled_axis(TEXTS("first_token_axis"), range=[0, 1]),
        shapes=[line],
        annotations=[here],
    )
