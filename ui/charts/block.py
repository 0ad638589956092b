"""The chart of the block: what is left of a row after many layers."""

import math
from collections.abc import Sequence

from core.program.rounding import cell_text, typeset
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
    told = "falls" if dropped[-1] < dropped[0] else "grows"
    alt = (
        f"Two lines over 0 to {last} layers. With what came in kept, the size grows from "
        f"{cell_text(kept_on[0])} to {cell_text(kept_on[-1])}; dropped, it {told} to "
        f"{cell_text(dropped[-1])}."
    )
    decades = _decades(min(*dropped, *kept_on), max(*dropped, *kept_on))
    return framed(
        drawn, alt, **named_at_ends(
            drawn, height=320,
            xaxis={"title": {"text": "layers"}, "dtick": 1},
            yaxis={"title": {"text": "size (Frobenius norm)"}, "type": "log",
                   "tickmode": "array", "tickvals": [10.0**n for n in decades],
                   "ticktext": [_power(n) for n in decades], "minor": {"showgrid": False}},
        ),
    )  # fmt: skip


def _decades(least: float, most: float) -> list[int]:
    """The even powers of ten from one size to another."""
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    return [n for n in range(low, high + 1) if n % 2 == 0]


def _power(n: int) -> str:
    """A power of ten as an axis has it: written out from 0.0001 to 10,000."""
    return typeset(f"{10.0**n:,g}" if abs(n) <= 4 else f"1e{n}")
