"""The chart of the causality experiment."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.program.rounding import decimal_text
from ui.charts.colours import TEXT_COLOUR, WITH, WITHOUT
from ui.charts.framing import LETTERS, Chart, as_text, framed, kept
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
            hovertemplate=f"{TEXTS('change_hover', name=name)}<extra></extra>",
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
        xaxis={"title": {"text": TEXTS("change_axis")}, "range": [0, room]},
        yaxis={"autorange": "reversed", "type": "category", "automargin": True},
    )
