"""Charts of the chapter on heads. Each head has its colour and its pattern, on every chart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.chapters.heads.heads import Moves
from core.program.numbers.rounding import decimal_text
from ui.charts.colours import BLUE, INK, NEUTRAL, PINK, TEXT_COLOUR, WITH, WITHOUT
from ui.charts.framing import LETTERS, NO_NAME, Chart, framed, kept, titled_axis
from ui.page.prose import typeset_decimal
from ui.page_texts import chart_texts

LOOKS = ((WITHOUT, "/"), (WITH, ""), (PINK, "x"), (BLUE, "."))
CHOSEN = TEXT_COLOUR
TEXTS = chart_texts("heads")


@kept
def cache_figure(groups: Sequence[int], sizes: Sequence[int], chosen: int) -> Chart:
    """How many numbers of K and V are kept, for each number of key/value heads."""
    names = [TEXTS("kept_bar", groups=g, most=max(groups)) for g in groups]
    mine = [g == chosen for g in groups]
    bars = go.Bar(
        x=names, y=list(sizes), text=[f"{n:,}" for n in sizes], textposition="outside",
        textfont={"size": LETTERS, "color": TEXT_COLOUR}, constraintext="none", cliponaxis=False,
        marker={
            "color": [CHOSEN if own else NEUTRAL for own in mine],
            "pattern": {"shape": ["" if own else "/" for own in mine], "solidity": 0.3, "size": 6},
        },
        hovertemplate=TEXTS("kept_hover") + NO_NAME,
    )  # fmt: skip
    each = [(g, f"{n:,}") for n, g in zip(sizes, groups, strict=True)]
    return framed(
        [bars],
        TEXTS("kept_chart", sizes=each, chosen=chosen),
        height=300,
        xaxis=titled_axis(TEXTS("kept_x"), type="category"),
        yaxis=titled_axis(TEXTS("kept_y"), range=[0, 1.12 * max(sizes)]),
    )


@kept
def sharing_figure(served: Sequence[int]) -> Chart:
    """Query heads above, key/value heads below, and which reads which."""
    groups = max(served) + 1
    readers = ([h for h, mine in enumerate(served) if mine == g] for g in range(groups))
    places = [float(np.mean(heads)) for heads in readers]
    lines = [
        go.Scatter(
            x=[h, places[g]], y=[1, 0], mode="lines", hoverinfo="skip",
            line={"color": NEUTRAL, "width": 2},
        )
        for h, g in enumerate(served)
    ]  # fmt: skip
    tops = _nodes(
        [float(h) for h in range(len(served))], 1.0, [str(h + 1) for h in range(len(served))],
        [TEXTS("sharing_head", head=h + 1, group=g + 1) for h, g in enumerate(served)],
        WITH, "top center",
    )  # fmt: skip
    bottoms = _nodes(
        places, 0.0, [str(g + 1) for g in range(groups)],
        [TEXTS("sharing_group", group=g + 1, heads=served.count(g)) for g in range(groups)],
        CHOSEN, "bottom center",
    )  # fmt: skip
    return framed(
        [*lines, tops, bottoms],
        TEXTS("sharing_chart", readers=[g + 1 for g in served], groups=groups),
        height=300,
        xaxis={"visible": False, "range": [-0.6, len(served) - 0.4]},
        yaxis={
            "range": [-0.45, 1.45], "tickmode": "array", "tickvals": [0, 1], "showgrid": False,
            "ticktext": [TEXTS("sharing_groups"), TEXTS("sharing_heads")], "zeroline": False,
        },
    )  # fmt: skip


@kept
def parts_figure(
    parts: Float[np.ndarray, "H d_model"], output: Float[np.ndarray, "d_model"], token: str
) -> Chart:
    """One token's output, feature by feature: what each head adds, stacked, and the sum marked."""
    features = [str(m + 1) for m in range(len(output))]
    bars: list[Any] = [
        go.Bar(
            x=features, y=part, name=TEXTS("part_name", head=h + 1), textposition="inside",
            insidetextanchor="middle", textangle=-90, constraintext="none",
            text=[
                TEXTS("part_name", head=h + 1) if m == abs(part).argmax() else ""
                for m in range(len(part))
            ],
            textfont={"size": LETTERS, "color": INK},
            marker={
                "color": LOOKS[h % len(LOOKS)][0],
                "pattern": {"shape": LOOKS[h % len(LOOKS)][1], "size": 5, "solidity": 0.35},
            },
            hovertemplate=TEXTS("part_hover", head=h + 1) + NO_NAME,
        )
        for h, part in enumerate(parts)
    ]  # fmt: skip
    bars.append(
        go.Scatter(
            x=features, y=output, name=TEXTS("sum_name"), mode="markers+text",
            text=[TEXTS("sum") if m == abs(output).argmin() else "" for m in range(len(output))],
            textposition="middle right", textfont={"size": LETTERS, "color": TEXT_COLOUR},
            cliponaxis=False,
            marker={
                "symbol": "diamond", "size": 11, "color": "white", "opacity": 1,
                "line": {"color": INK, "width": 2},
            },
            hovertemplate=TEXTS("sum_hover") + NO_NAME,
        )
    )  # fmt: skip
    sums = ", ".join(typeset_decimal(x) for x in output)
    return framed(
        bars,
        TEXTS("parts_chart", token=token, sums=sums),
        height=340,
        barmode="relative",
        bargap=0.3,
        xaxis=titled_axis(TEXTS("parts_x"), type="category"),
        yaxis=titled_axis(TEXTS("parts_y"), zeroline=True),
    )


@kept
def needs_figure(measured: Moves, changed: int) -> Chart:
    """Two layers of heads, what needs what, and by how much the weights of each head change.

    Heads of a layer need only its input; all heads of the second need the first one's output.
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
        _layer(float(x), heights, moved, layer, changed if layer == 1 else None)
        for x, moved, layer in ((1, measured.first, 1), (3, measured.second, 2))
    ]
    both = (measured.first, measured.second)
    first, second = (", ".join(map(decimal_text, moved)) for moved in both)
    return framed(
        [*lines, ends, *heads],
        TEXTS("needs_chart", heads=H, changed=changed + 1, first=first, second=second),
        height=330,
        xaxis={
            "range": [-0.3, 4.3], "showgrid": False, "tickmode": "array",
            "tickvals": list(range(5)),
            "ticktext": [
                "X", TEXTS("needs_layer", layer=1), TEXTS("needs_output"),
                TEXTS("needs_layer", layer=2), TEXTS("needs_output"),
            ],
            "zeroline": False, "tickangle": 0,
        },
        yaxis={"visible": False, "range": [-0.6, H - 0.35]},
    )  # fmt: skip


def _nodes(
    x: Sequence[float], y: float, texts: Sequence[str], says: Sequence[str], colour: str, at: str
) -> go.Scatter:
    return go.Scatter(
        x=list(x), y=[y] * len(x), mode="markers+text", text=list(texts), textposition=at,
        customdata=list(says), hovertemplate="%{customdata}" + NO_NAME, cliponaxis=False,
        marker={"size": 16, "color": colour, "opacity": 1},
    )  # fmt: skip


def _layer(
    x: float, heights: Sequence[float], moved: Sequence[float], layer: int, changed: int | None
) -> go.Scatter:
    names = [f"{h + 1}: {decimal_text(by)}" for h, by in enumerate(moved)]
    says = [
        TEXTS(
            "needs_head", layer=layer, head=h + 1, changed=h == changed, same=by == 0,
            by=decimal_text(by),
        )
        for h, by in enumerate(moved)
    ]  # fmt: skip
    return go.Scatter(
        x=[x] * len(moved), y=list(heights), mode="markers+text",
        text=[f"<b>{name}</b>" if h == changed else name for h, name in enumerate(names)],
        textposition=["top center" if y > heights[0] / 2 else "bottom center" for y in heights],
        cliponaxis=False, customdata=says,
        hovertemplate="%{customdata}" + NO_NAME,
        marker={
            "size": 15, "opacity": 1,
            "symbol": ["circle" if by == 0 else "diamond" for by in moved],
            "color": [WITH if by == 0 else WITHOUT for by in moved],
        },
    )  # fmt: skip
