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
    """For each position the largest change of its output, with the mask and without.

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
    room = float(max(1.12 * longer.max(), 1.75 * longer[named], 0.1))
    return framed(
        bars,
        f"Largest change of each position's output when the token at position {position + 1} "
        f"changes. With the causal mask {still} of {len(places)} rows do not move at all; without "
        f"a mask {int((free == 0).sum())} do not.",
        height=90 + ROW_HEIGHT * len(places),
        barmode="group",
        xaxis={"title": {"text": "largest change"}, "range": [0, room]},
        yaxis={"autorange": "reversed", "type": "category", "automargin": True},
    )
