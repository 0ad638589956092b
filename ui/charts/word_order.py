"""The charts of word order: places as bits and waves, scores by distance, arrows that turn."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from core.chapters.word_order.distances import Scores, spread
from core.chapters.word_order.encodings import Way
from core.chapters.word_order.waves import bits, waves
from ui.charts.colours import BLUE, NEUTRAL, SIGNED, WITHOUT
from ui.charts.framing import Chart, as_text, framed, kept
from ui.charts.names import key_above


@kept
def counting_figure() -> Chart:
    """Each place in binary above, in sines below: a column for each place."""
    strips, layout = [], {}
    for at, (name, rows, domain) in enumerate(
        (("bit for", bits(), [0.74, 1]), ("wave", waves(), [0, 0.66]))
    ):
        axis = str(at + 1) if at else ""
        names = [f"{name} {n if at else 2 ** (n - 1)}" for n in range(1, len(rows) + 1)]
        strips.append(
            go.Heatmap(
                z=rows, y=names, zmin=-1, zmax=1, colorscale=SIGNED, showscale=False, ygap=1,
                yaxis=f"y{axis}",
                hovertemplate="place %{x}, %{y}: %{z:.2f}<extra></extra>",
            )
        )  # fmt: skip
        layout[f"yaxis{axis}"] = {
            "domain": domain, "autorange": "reversed", "showgrid": False, "tickmode": "array",
            "tickvals": names[:: 2 if at else 1], "ticksuffix": " ",
        }  # fmt: skip
    places = bits().shape[1]
    layout["xaxis"] = {
        "title": {"text": "place"}, "showgrid": False, "tick0": 0, "dtick": 8, "anchor": "y2",
    }  # fmt: skip
    alt = (
        f"Places 0 to {places - 1} as columns. Above, the bits of each place: the bit for 1 "
        "changes at every place, each next one half as often. Below, the sines of waves of "
        f"{2 * len(waves())} features: the first turns fastest, each next one more slowly."
    )
    return framed(strips, alt, height=420, **layout)


@kept
def distance_figure(scores: Scores, token: str) -> Chart:
    """Every score that a token has with itself, by how far apart the two stand."""
    dots = [(distance, score) for distance, several in scores.items() for score in several]
    drawn = go.Scatter(
        x=[distance for distance, _ in dots], y=[score for _, score in dots],
        mode="markers" if spread(scores) else "lines+markers", line={"color": BLUE, "width": 1},
        marker={"color": BLUE, "size": 7, "opacity": 1},
        hovertemplate="%{x} apart: %{y:.2f}<extra></extra>",
    )  # fmt: skip
    told = "several" if spread(scores) else "one"
    alt = (
        f"Scores of {token} with itself at distances from 0 to {max(scores)}: {told} at each "
        f"distance, from {min(score for _, score in dots):.2f} to "
        f"{max(score for _, score in dots):.2f}."
    )
    return framed(
        [drawn], alt, height=300,
        xaxis={"title": {"text": "distance, in places"}, "dtick": 4},
        yaxis={"title": {"text": "score"}, "rangemode": "tozero"},
    )  # fmt: skip


@kept
def turning_figure(
    ways: Sequence[Sequence[Way]], labels: Sequence[str], turns: Sequence[str], what: str
) -> Chart:
    """For each pair of features a plane: each token's arrow as it was, its turn, and turned.

    `ways` has for each token and pair the points from the one to the other; `turns` says for each
    pair by how much it turns from one place to the next.
    """
    drawn: list[Any] = []
    layout: dict[str, Any] = {}
    reach = 1.2 * max(abs(x) for token in ways for way in token for point in way for x in point)
    for pair, turn in enumerate(turns):
        axis = str(pair + 1) if pair else ""
        for at, label in enumerate(map(as_text, labels)):
            way = ways[at][pair]
            for points, colour, dash, wide, name in (
                ([(0.0, 0.0), way[0]], NEUTRAL, "dot", 1.6, "as it was"),
                (way, WITHOUT, "solid", 1.2, "how far it turns"),
                ([(0.0, 0.0), way[-1]], BLUE, "solid", 2.4, "turned"),
            ):
                turned = name == "turned"
                drawn.append(
                    go.Scatter(
                        x=[x for x, _ in points],
                        y=[y for _, y in points],
                        mode="lines+markers+text" if turned else "lines",
                        line={"color": colour, "dash": dash, "width": wide},
                        marker={
                            "color": colour, "symbol": "arrow", "angleref": "previous",
                            "size": [0, 13],
                        },
                        text=["", label] if turned else None,
                        textposition="top center",
                        cliponaxis=False,
                        name=name,
                        xaxis=f"x{axis}",
                        yaxis=f"y{axis}",
                        hovertemplate=f"{label}, {name}: (%{{x:.2f}}, %{{y:.2f}})<extra></extra>",
                    )
                )  # fmt: skip
        width = 1 / len(turns)
        domain = [pair * width + 0.03, (pair + 1) * width - 0.03]
        title = f"features {2 * pair + 1} and {2 * pair + 2}<br>{turn} rad a place"
        layout[f"xaxis{axis}"] = {
            "domain": domain, "range": [-reach, reach], "title": {"text": title},
            "zeroline": True, "anchor": f"y{axis}", "constrain": "domain",
        }  # fmt: skip
        layout[f"yaxis{axis}"] = {
            "range": [-reach, reach], "scaleanchor": f"x{axis}", "anchor": f"x{axis}",
            "zeroline": True, "constrain": "domain",
        }  # fmt: skip
    alt = (
        f"The {what} of {len(labels)} tokens as arrows, for each of {len(turns)} pairs of "
        f"features, as they were and turned: by {' and '.join(turns)} radians for each place."
    )
    key = key_above(
        ("┄", NEUTRAL, "as it was"), ("╌", WITHOUT, "how far it turns"), ("━", BLUE, "turned")
    )
    return framed(drawn, alt, height=400, annotations=[key], **layout)
