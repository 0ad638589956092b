"""The chart of the block: what is left of a row after many layers."""

import math
from collections.abc import Sequence

from core.program.numbers.rounding import typeset
from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import Chart, chart_number, kept, lines_over, log_axis, titled_axis
from ui.charts.names import lines_figure
from ui.page_texts import chart_texts

TEXTS = chart_texts("block")


@kept
def depth_figure(dropped: Sequence[float], kept_on: Sequence[float]) -> Chart:
    """The sizes of Jⁿ and of (I + J)ⁿ against n, from 0, on a logarithmic axis."""
    layers = list(range(len(dropped)))
    drawn = lines_over(
        layers,
        (TEXTS("chart_kept"), kept_on, WITH, "solid"),
        (TEXTS("chart_dropped"), dropped, WITHOUT, "dash"),
        says=lambda name: TEXTS("chart_point"),
        mode="lines+markers",
    )
    last = len(layers) - 1
    alt = TEXTS(
        "chart_alt", last=last, first=chart_number(kept_on[0]), kept=chart_number(kept_on[-1]),
        falls=dropped[-1] < dropped[0], dropped=chart_number(dropped[-1]),
    )  # fmt: skip
    least, most = (math.log10(end(*dropped, *kept_on)) for end in (min, max))
    decades = [n for n in range(math.floor(least), math.ceil(most) + 1) if n % 2 == 0]
    return lines_figure(
        drawn,
        alt,
        height=320,
        xaxis=titled_axis(TEXTS("chart_layers"), dtick=1),
        yaxis=log_axis(TEXTS("chart_size"), [10.0**n for n in decades], [*map(_power, decades)]),
    )


def _power(n: int) -> str:
    """A power of ten as an axis has it: written out from 0.0001 to 10,000."""
    return typeset(f"{10.0**n:,g}" if abs(n) <= 4 else f"10<sup>{n}</sup>")
