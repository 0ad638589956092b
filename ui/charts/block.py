"""The chart of the block: what is left of a row after many layers."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.program.rounding import cell_text
from ui.charts.framing import WITH, WITHOUT, framed, kept, legend_above, line


@kept
def depth_figure(dropped: Sequence[float], kept_on: Sequence[float]) -> go.Figure:
    """The sizes of Jⁿ and of (I + J)ⁿ against n, from 0, on a logarithmic axis."""
    layers = list(range(len(dropped)))
    drawn = [
        line(layers, kept_on, WITH, "solid", mode="lines+markers", name="(I + J)ⁿ: kept",
             hovertemplate="%{x} layers: %{y:.4g}<extra></extra>"),
        line(layers, dropped, WITHOUT, "dash", mode="lines+markers", name="Jⁿ: dropped",
             hovertemplate="%{x} layers: %{y:.4g}<extra></extra>"),
    ]  # fmt: skip
    last = len(layers) - 1
    alt = (
        f"Two lines over 0 to {last} layers. With what came in kept, the size grows from "
        f"{cell_text(kept_on[0])} to {cell_text(kept_on[-1])}; dropped, it falls to "
        f"{cell_text(dropped[-1])}."
    )
    return framed(
        drawn, alt, height=320, legend=legend_above(),
        xaxis={"title": {"text": "layers"}, "dtick": 1},
        yaxis={"title": {"text": "size (Frobenius norm)"}, "type": "log",
               "tickmode": "array", "tickvals": [1e-10, 1e-8, 1e-6, 1e-4, 0.01, 1],
               "ticktext": ["1e−10", "1e−8", "1e−6", "0.0001", "0.01", "1"],
               "minor": {"showgrid": False}},
    )  # fmt: skip
