"""The chart of the causality experiment."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.program.rounding import decimal_text
from ui.charts.colours import TEXT, WITH, WITHOUT
from ui.charts.framing import LETTERS, Chart, as_text, framed, kept

ROW_HEIGHT = 36
"""Pixels for a position's two bars."""


@kept
def rows_figure(
    labels: Sequence[str],
    causal: Float[np.ndarray, "T"],
    free: Float[np.ndarray, "T"],
    position: int,
) -> Chart:
    """For each position the largest change of its output, with the mask and without."""
    places = [f"{n + 1} {as_text(label)}" for n, label in enumerate(labels)]
    widest = int(np.argmax(np.minimum(causal, free)))
    bars = [
        go.Bar(
            y=places, x=values, name=name,
            text=[
                f"{decimal_text(float(v))}{f'  {name}' if n == widest else ''}"
                for n, v in enumerate(values)
            ],
            textfont={"size": LETTERS, "color": TEXT}, constraintext="none",
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
        xaxis={"title": {"text": "largest change"}, "range": [0, 1.4 * highest]},
        yaxis={"autorange": "reversed", "type": "category", "automargin": True},
    )
