"""The chart of the causality experiment."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.program.rounding import decimal_text
from ui.charts.framing import WITH, WITHOUT, as_text, framed, kept, legend_above

ROW_HEIGHT = 36
"""Pixels for a position's two bars."""


@kept
def rows_figure(
    labels: Sequence[str],
    causal: Float[np.ndarray, "T"],
    free: Float[np.ndarray, "T"],
    position: int,
) -> go.Figure:
    """For each position the largest change of its output, with the mask and without."""
    places = [f"{n + 1} {as_text(label)}" for n, label in enumerate(labels)]
    bars = [
        go.Bar(
            y=places, x=values, name=name, text=[decimal_text(float(v)) for v in values],
            marker={"color": colour, "pattern": {"shape": pattern}}, textposition="outside",
            orientation="h", cliponaxis=False,
            hovertemplate=f"{name}: the output of %{{y}} moves by up to %{{x:.2f}}<extra></extra>",
        )
        for name, values, colour, pattern in (
            ("causal mask", causal, WITH, ""), ("no mask", free, WITHOUT, "/"),
        )
    ]  # fmt: skip
    still = int((causal == 0).sum())
    highest = float(max(causal.max(), free.max(), 0.1))
    return framed(
        bars,
        f"Largest change of each position's output when the token at position {position + 1} "
        f"changes. With the causal mask {still} of {len(places)} rows do not move at all; without "
        f"a mask {int((free == 0).sum())} do not.",
        height=90 + ROW_HEIGHT * len(places),
        barmode="group",
        legend=legend_above(),
        xaxis={"title": {"text": "largest change"}, "range": [0, 1.12 * highest]},
        yaxis={"autorange": "reversed", "type": "category", "automargin": True},
    )
