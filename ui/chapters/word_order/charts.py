"""The charts of word order: positions as bits and waves, scores by distance, arrows that turn."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from core.chapters.word_order.encoding_parts import bits, waves
from core.chapters.word_order.encodings import Scores, spread
from core.chapters.word_order.pairings import ArrowPath
from core.program.labels import listed_names
from ui.charts.colours import BLUE, NEUTRAL, SIGNED, WITHOUT
from ui.charts.framing import Chart, as_text, framed, kept, titled_axis
from ui.charts.names import key_above
from ui.page.prose import typeset_decimal
from ui.page_texts import chart_texts

TEXTS = chart_texts("word_order")


@kept
def counting_figure() -> Chart:
    """Return each position in binary above, in sines below: a column for each position."""
    alt = TEXTS("counting_alt", last=bits().shape[1] - 1, waves=len(waves()))
    strips, layout = [], {}
    for at, (rows, domain) in enumerate(((bits(), [0.74, 1]), (waves(), [0, 0.66]))):
        axis = str(at + 1) if at else ""
        numbers = range(1, len(rows) + 1)
        names = [
            TEXTS("wave", number=n) if at else TEXTS("bit", value=2 ** (n - 1)) for n in numbers
        ]
        strips.append(
            go.Heatmap(
                z=rows, y=names, zmin=-1, zmax=1, colorscale=SIGNED, showscale=False, ygap=1,
                yaxis=f"y{axis}",
                hovertemplate=TEXTS("counting_hover"),
            )
        )  # fmt: skip
        ticks = {"tickmode": "array", "tickvals": names[:: 2 if at else 1], "ticksuffix": " "}
        downwards = {"domain": domain, "autorange": "reversed", "showgrid": False}
        layout[f"yaxis{axis}"] = downwards | ticks
    layout["xaxis"] = titled_axis(TEXTS("position"), showgrid=False, tick0=0, dtick=8, anchor="y2")
    return framed(strips, alt, height=420, **layout)


@kept
def distance_figure(scores: Scores, token: str) -> Chart:
    """Return every score that a token has with itself, by distance."""
    every = [score for several in scores.values() for score in several]
    low, high = (typeset_decimal(end, 2) for end in (min(every), max(every)))
    several = bool(spread(scores))
    ends = {"last": max(scores), "low": low, "high": high}
    dots = [(distance, score) for distance, several in scores.items() for score in several]
    x, y = ([dot[axis] for dot in dots] for axis in (0, 1))
    mode, hover = "markers" if several else "lines+markers", TEXTS("distance_hover")
    look = {"line": {"color": BLUE, "width": 1}, "marker": {"color": BLUE, "size": 7, "opacity": 1}}
    drawn = go.Scatter(x=x, y=y, mode=mode, hovertemplate=hover, **look)
    return framed(
        [drawn],
        TEXTS("distance_alt", token=token, several=several, **ends),
        height=300,
        xaxis=titled_axis(TEXTS("distance_axis"), dtick=4),
        yaxis=titled_axis(TEXTS("score"), rangemode="tozero"),
    )


@kept
def turning_figure(
    paths: Sequence[Sequence[ArrowPath]], labels: Sequence[str], turns: Sequence[str], rows: str
) -> Chart:
    """Return a plane for each pair of features: each token's arrow as it was, its turn, and turned.

    `paths` has for each token and pair the points of the turn; `turns` says for each pair by how
    much it turns from one position to the next; `rows` says what the arrows are.
    """
    text = {"rows": rows, "tokens": len(labels), "pairs": len(turns), "turns": listed_names(turns)}
    before, between, after = TEXTS("as_it_was"), TEXTS("how_far"), TEXTS("turned")
    drawn: list[Any] = []
    layout: dict[str, Any] = {}
    beside = {"textposition": "top center", "cliponaxis": False}
    arrow = {"symbol": "arrow", "angleref": "previous", "size": [0, 13]}
    reach = 1.2 * max(abs(x) for token in paths for path in token for point in path for x in point)
    for pair, turn in enumerate(turns):
        axis = str(pair + 1) if pair else ""
        for at, label in enumerate(map(as_text, labels)):
            path = paths[at][pair]
            for points, colour, dash, wide, name in (
                ([(0.0, 0.0), path[0]], NEUTRAL, "dot", 1.6, before),
                (path, WITHOUT, "solid", 1.2, between),
                ([(0.0, 0.0), path[-1]], BLUE, "solid", 2.4, after),
            ):
                turned, (x, y) = name == after, zip(*points, strict=True)
                mode, said = ("lines+markers+text", ["", label]) if turned else ("lines", None)
                look = {"color": colour, "dash": dash, "width": wide}
                line = go.Scatter(x=x, y=y, mode=mode, text=said, name=name, line=look)
                hover = TEXTS("turning_hover", label=label, name=name)
                axes = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"} | beside
                drawn.append(
                    line.update(marker=arrow | {"color": colour}, hovertemplate=hover, **axes)
                )
        width = 1 / len(turns)
        domain = [pair * width + 0.03, (pair + 1) * width - 0.03]
        features = {"first": 2 * pair + 1, "second": 2 * pair + 2}
        title = TEXTS("turning_title", turn=turn, **features)
        plane = {"range": [-reach, reach], "zeroline": True, "constrain": "domain"}
        layout[f"xaxis{axis}"] = titled_axis(title, domain=domain, anchor=f"y{axis}", **plane)
        layout[f"yaxis{axis}"] = plane | {"scaleanchor": f"x{axis}", "anchor": f"x{axis}"}
    key = key_above(("┄", NEUTRAL, before), ("╌", WITHOUT, between), ("━", BLUE, after))
    alt = TEXTS("turning_alt", **text)
    return framed(drawn, alt, height=400, annotations=[key], **layout)
