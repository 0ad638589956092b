"""A chart of a real model: how many weights of a row hold most of it, layer by layer."""

import plotly.graph_objects as go

from core.chapters.cost.real_model import HELD_PERCENT, WeightsRead
from core.program.numbers.rounding import decimal_text
from ui.charts.colours import NEUTRAL, WEIGHTS
from ui.charts.framing import NO_NAME, Chart, dashed_line, kept, titled_axis
from ui.charts.names import lines_figure
from ui.page_texts import chart_texts

TEXTS = chart_texts("cost")


@kept
def weights_read_figure(read: WeightsRead) -> Chart:
    """Bars of the weights that hold `HELD_PERCENT` % of a row, under a line at all that it has."""
    layers = list(range(1, len(read.by_layer) + 1))
    texts = [decimal_text(needed, 1) for needed in read.by_layer]
    seen = decimal_text(read.seen, 1)
    bars = go.Bar(
        x=layers,
        y=list(read.by_layer),
        marker={"color": WEIGHTS},
        customdata=texts,
        hovertemplate=TEXTS("real_hover", seen=seen) + NO_NAME,
    )
    ends = [layers[0] - 0.5, layers[-1] + 0.5]
    computed = dashed_line(
        ends, [read.seen] * 2, NEUTRAL, "dash", name=TEXTS("real_seen", seen=seen), hoverinfo="skip"
    )
    return lines_figure(
        [bars, computed],
        TEXTS("real_alt", tokens=read.tokens, percent=HELD_PERCENT, seen=seen, needed=texts),
        named=[computed],
        height=300,
        bargap=0.25,
        xaxis=titled_axis(TEXTS("real_x"), range=ends, dtick=5, tick0=0),
        yaxis=titled_axis(TEXTS("real_y", percent=HELD_PERCENT), range=[0, 1.08 * read.seen]),
    )
