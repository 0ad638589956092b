"""The chart of word order: pairs of features as arrows that turn with the place."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from ui.charts.framing import BLUE, NEUTRAL, framed, kept


@kept
def turning_figure(
    before: Sequence[Sequence[Sequence[float]]],
    after: Sequence[Sequence[Sequence[float]]],
    labels: Sequence[str],
    turns: Sequence[str],
) -> go.Figure:
    """For each pair of features a plane: each token's arrow as it was, and turned.

    `before` and `after` have for each token its pairs; `turns` says for each pair by how much it
    turns from one place to the next.
    """
    drawn: list[Any] = []
    layout: dict[str, Any] = {}
    reach = 1.15 * max(abs(x) for token in [*before, *after] for pair in token for x in pair)
    for pair, turn in enumerate(turns):
        axis = str(pair + 1) if pair else ""
        for at, label in enumerate(labels):
            first = pair == 0 and at == 0
            for points, colour, dash, name in (
                (before, NEUTRAL, "dot", "as it was"),
                (after, BLUE, "solid", "turned"),
            ):
                x, y = points[at][pair]
                turned = points is after
                drawn.append(
                    go.Scatter(
                        x=[0, x],
                        y=[0, y],
                        mode="lines+markers+text" if turned else "lines",
                        line={"color": colour, "dash": dash, "width": 2.4 if turned else 1.6},
                        marker={"color": colour, "size": [0, 8]},
                        text=["", label],
                        textposition="top center",
                        cliponaxis=False,
                        name=name,
                        showlegend=first,
                        legendgroup=name,
                        xaxis=f"x{axis}",
                        yaxis=f"y{axis}",
                        hovertemplate=f"{label}, {name}: (%{{x:.2f}}, %{{y:.2f}})<extra></extra>",
                    )
                )
        width = 1 / len(turns)
        domain = [pair * width + 0.03, (pair + 1) * width - 0.03]
        title = f"features {2 * pair + 1} and {2 * pair + 2}: {turn} radians a place"
        layout[f"xaxis{axis}"] = {
            "domain": domain, "range": [-reach, reach], "title": {"text": title},
            "zeroline": True, "anchor": f"y{axis}", "constrain": "domain",
        }  # fmt: skip
        layout[f"yaxis{axis}"] = {
            "range": [-reach, reach], "scaleanchor": f"x{axis}", "anchor": f"x{axis}",
            "zeroline": True, "constrain": "domain",
        }  # fmt: skip
    alt = (
        f"The queries of {len(labels)} tokens as arrows, for each of {len(turns)} pairs of "
        f"features, as they were and turned: by {' and '.join(turns)} radians for each place."
    )
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    return framed(drawn, alt, height=380, legend=legend, **layout)
