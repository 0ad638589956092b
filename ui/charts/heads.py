"""Charts of the chapter on heads. Each head has its colour and its pattern, on every chart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.chapters.heads.heads import Moves
from core.program.rounding import cell_text, decimal_text, typeset
from ui.charts.colours import BLUE, INK, NEUTRAL, PINK, TEXT, WITH, WITHOUT
from ui.charts.framing import LETTERS, Chart, framed, kept

LOOKS = ((WITHOUT, "/"), (WITH, ""), (PINK, "x"), (BLUE, "."))
CHOSEN = TEXT
CHANGED = " (its <i>W<sub>Q</sub></i> is changed)"


@kept
def cache_figure(groups: Sequence[int], sizes: Sequence[int], chosen: int) -> Chart:
    """How many numbers of K and V are kept, for each number of key/value heads."""
    names = [f"{g}{_variant(g, groups)}" for g in groups]
    mine = [g == chosen for g in groups]
    bars = go.Bar(
        x=names, y=list(sizes), text=[f"{n:,}" for n in sizes], textposition="outside",
        textfont={"size": LETTERS, "color": TEXT}, constraintext="none", cliponaxis=False,
        marker={
            "color": [CHOSEN if own else NEUTRAL for own in mine],
            "pattern": {"shape": ["" if own else "/" for own in mine], "solidity": 0.3, "size": 6},
        },
        hovertemplate="%{x} key/value heads: %{y:,} numbers in K and V<extra></extra>",
    )  # fmt: skip
    told = ", ".join(f"{n:,} with {g}" for n, g in zip(sizes, groups, strict=True))
    return framed(
        [bars],
        f"Numbers kept in K and V by key/value heads, as bars: {told}. {chosen} is chosen.",
        height=300,
        xaxis={"type": "category", "title": {"text": "key/value heads G"}},
        yaxis={"title": {"text": "numbers kept"}, "range": [0, 1.12 * max(sizes)]},
    )


@kept
def sharing_figure(served: Sequence[int]) -> Chart:
    """Query heads above, key/value heads below, and which reads which."""
    groups = max(served) + 1
    places = [
        float(np.mean([h for h, mine in enumerate(served) if mine == g])) for g in range(groups)
    ]
    lines = [
        go.Scatter(
            x=[h, places[g]], y=[1, 0], mode="lines", hoverinfo="skip",
            line={"color": NEUTRAL, "width": 2},
        )
        for h, g in enumerate(served)
    ]  # fmt: skip
    tops = _nodes(
        [float(h) for h in range(len(served))], 1.0, [str(h + 1) for h in range(len(served))],
        [f"Head {h + 1} asks key/value head {g + 1}" for h, g in enumerate(served)],
        WITH, "top center",
    )  # fmt: skip
    bottoms = _nodes(
        places, 0.0, [str(g + 1) for g in range(groups)],
        [f"Key/value head {g + 1} serves {served.count(g)}" for g in range(groups)],
        CHOSEN, "bottom center",
    )  # fmt: skip
    return framed(
        [*lines, tops, bottoms],
        f"{len(served)} query heads, joined by lines to {groups} key/value heads: "
        + "; ".join(f"head {h + 1} reads {g + 1}" for h, g in enumerate(served)) + ".",
        height=300,
        xaxis={"visible": False, "range": [-0.6, len(served) - 0.4]},
        yaxis={
            "range": [-0.45, 1.45], "tickmode": "array", "tickvals": [0, 1], "showgrid": False,
            "ticktext": ["K and V<br>of head", "queries<br>of head"], "zeroline": False,
        },
    )  # fmt: skip


@kept
def parts_figure(
    parts: Float[np.ndarray, "H d_model"], output: Float[np.ndarray, "d_model"], token: str
) -> Chart:
    """One token's output, feature by feature: the heads' shares stacked, and their sum marked."""
    features = [str(m + 1) for m in range(len(output))]
    bars: list[Any] = [
        go.Bar(
            x=features, y=part, name=f"head {h + 1}", textposition="inside",
            insidetextanchor="middle", textangle=-90, constraintext="none",
            text=[f"head {h + 1}" if m == abs(part).argmax() else "" for m in range(len(part))],
            textfont={"size": LETTERS, "color": INK},
            marker={
                "color": LOOKS[h % len(LOOKS)][0],
                "pattern": {"shape": LOOKS[h % len(LOOKS)][1], "size": 5, "solidity": 0.35},
            },
            hovertemplate=f"head {h + 1} adds %{{y:.2f}} to feature %{{x}}<extra></extra>",
        )
        for h, part in enumerate(parts)
    ]  # fmt: skip
    bars.append(
        go.Scatter(
            x=features, y=output, name="output, their sum", mode="markers+text",
            text=["sum" if m == abs(output).argmin() else "" for m in range(len(output))],
            textposition="middle right", textfont={"size": LETTERS, "color": TEXT},
            cliponaxis=False,
            marker={
                "symbol": "diamond", "size": 11, "color": "white", "opacity": 1,
                "line": {"color": INK, "width": 2},
            },
            hovertemplate="feature %{x} of the output is %{y:.2f}<extra></extra>",
        )
    )  # fmt: skip
    told = ", ".join(typeset(cell_text(float(x))) for x in output)
    return framed(
        bars,
        f"The output of {token}, feature by feature, as bars stacked by head. The sums are {told}.",
        height=340,
        barmode="relative",
        bargap=0.3,
        xaxis={"title": {"text": "feature of the output"}, "type": "category"},
        yaxis={"title": {"text": "what each head adds"}, "zeroline": True},
    )


@kept
def needs_figure(measured: Moves, changed: int) -> Chart:
    """Two layers of heads side by side, what needs what, and by how much each one's weights move.

    Heads of a layer hang on what comes in alone; all of the second hang on the first's output.
    """
    H = len(measured.first)
    heights = [float(H - 1 - h) for h in range(H)]
    middle = (H - 1) / 2
    lines = [
        go.Scatter(
            x=[x, x + 1], y=[a, b], mode="lines", hoverinfo="skip",
            line={"color": NEUTRAL, "width": 1.5},
        )
        for x, (left, right) in enumerate(
            [([middle], heights), (heights, [middle]), ([middle], heights), (heights, [middle])]
        )
        for a in left
        for b in right
    ]  # fmt: skip
    ends = go.Scatter(
        x=[0, 2, 4], y=[middle] * 3, mode="markers", hoverinfo="skip",
        marker={"symbol": "square", "size": 15, "color": NEUTRAL, "opacity": 1},
    )  # fmt: skip
    heads = [
        _layer(float(x), heights, moved, name, changed if x == 1 else None)
        for x, moved, name in ((1, measured.first, "layer 1"), (3, measured.second, "layer 2"))
    ]
    told = [
        ", ".join(decimal_text(x) for x in moved) for moved in (measured.first, measured.second)
    ]
    return framed(
        [*lines, ends, *heads],
        f"X feeds the {H} heads of layer 1, their joined output feeds the {H} heads of layer 2. "
        f"With the query matrix of head {changed + 1} of layer 1 changed, the weights move, head "
        f"by head, by up to {told[0]} in layer 1 and by up to {told[1]} in layer 2.",
        height=330,
        xaxis={
            "range": [-0.3, 4.3], "showgrid": False, "tickmode": "array",
            "tickvals": list(range(5)),
            "ticktext": ["X", "heads of<br>layer 1", "output", "heads of<br>layer 2", "output"],
            "zeroline": False, "tickangle": 0,
        },
        yaxis={"visible": False, "range": [-0.6, H - 0.35]},
    )  # fmt: skip


def _variant(g: int, groups: Sequence[int]) -> str:
    return {max(groups): ", multi-head", 1: ", multi-query"}.get(g, "")


def _nodes(
    x: Sequence[float], y: float, texts: Sequence[str], says: Sequence[str], colour: str, at: str
) -> go.Scatter:
    return go.Scatter(
        x=list(x), y=[y] * len(x), mode="markers+text", text=list(texts), textposition=at,
        customdata=list(says), hovertemplate="%{customdata}<extra></extra>", cliponaxis=False,
        marker={"size": 16, "color": colour, "opacity": 1},
    )  # fmt: skip


def _layer(
    x: float, heights: Sequence[float], moved: Sequence[float], layer: str, changed: int | None
) -> go.Scatter:
    names = [f"{h + 1}: {decimal_text(by)}" for h, by in enumerate(moved)]
    says = [
        f"{layer}, head {h + 1}{CHANGED if h == changed else ''}: {_moved(by)}"
        for h, by in enumerate(moved)
    ]
    return go.Scatter(
        x=[x] * len(moved), y=list(heights), mode="markers+text",
        text=[f"<b>{name}</b>" if h == changed else name for h, name in enumerate(names)],
        textposition=["top center" if y > heights[0] / 2 else "bottom center" for y in heights],
        cliponaxis=False, customdata=says,
        hovertemplate="%{customdata}<extra></extra>",
        marker={
            "size": 15, "opacity": 1,
            "symbol": ["circle" if by == 0 else "diamond" for by in moved],
            "color": [WITH if by == 0 else WITHOUT for by in moved],
        },
    )  # fmt: skip


def _moved(by: float) -> str:
    return "its weights are unmoved" if by == 0 else f"its weights move by up to {decimal_text(by)}"
