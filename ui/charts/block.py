"""The chart of the block: what is left of a row after many layers."""

from collections.abc import Sequence

from core.program.rounding import cell_text
from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import Chart, framed, kept, line
from ui.charts.names import named_at_ends


@kept
def depth_figure(dropped: Sequence[float], kept_on: Sequence[float]) -> Chart:
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
        drawn, alt, **named_at_ends(
            drawn, height=320,
            xaxis={"title": {"text": "layers"}, "dtick": 1},
            yaxis={"title": {"text": "size (Frobenius norm)"}, "type": "log",
                   "tickmode": "array", "tickvals": [1e-10, 1e-8, 1e-6, 1e-4, 0.01, 1],
                   "ticktext": ["1e−10", "1e−8", "1e−6", "0.0001", "0.01", "1"],
                   "minor": {"showgrid": False}},
        ),
    )  # fmt: skip
