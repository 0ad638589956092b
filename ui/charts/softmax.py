"""Charts of shares: bars of weights, what a temperature makes of them, and rows without a sum."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.chapters.softmax.normalising import Growth
from core.chapters.softmax.noticed import COLDEST, CURVE, HOTTEST
from core.program.rounding import cell_text, decimal_text, typeset
from ui.charts.colours import BLUE, NEUTRAL, PINK, TEXT, WEIGHTS, WITH, WITHOUT
from ui.charts.framing import LETTERS, Chart, framed, kept, line
from ui.charts.names import named_at_ends

LOGIT_BARS = ((NEUTRAL, ""), (PINK, "/"), (WITHOUT, "x"))
"""As it is, with something added, multiplied."""
LINES = ((BLUE, "solid"), (WITHOUT, "dash"), (WITH, "dot"), (PINK, "dashdot"))
"""Colour and dash of each key's share."""


@kept
def bars_figure(scores: Sequence[str], shares: Float[np.ndarray, "keys"]) -> Chart:
    """A bar for each score, as high as its share; the score stands below it."""
    texts = [typeset(cell_text(float(share))) for share in shares]
    finite = np.where(np.isfinite(shares), shares, 0.0)
    bars = go.Bar(
        x=list(range(len(scores))), y=finite, text=texts, textposition="outside", name="weight",
        textfont={"size": 18, "color": TEXT}, constraintext="none", cliponaxis=False,
        marker={"color": WEIGHTS}, width=0.6, hoverinfo="skip",
    )  # fmt: skip
    told = ", ".join(f"{text} over {score}" for text, score in zip(texts, scores, strict=True))
    low, high = min(0.0, float(finite.min())), max(1.0, float(finite.max()))
    below = 0.2 * (high - low) if low < 0 else 0.0  # for the number of a bar that hangs down
    return framed(
        [bars],
        f"Weights as bars over the scores that they are made of: {told}.",
        height=250,
        xaxis={
            "title": {"text": "score"}, "tickmode": "array", "tickvals": list(range(len(scores))),
            "ticktext": list(scores), "tickfont": {"size": 20}, "showgrid": False,
        },
        yaxis={"title": {"text": "weight"}, "range": [low - below, 1.15 * high], "zeroline": True},
    )  # fmt: skip


@kept
def weights_figure(
    keys: Sequence[str],
    rows: Sequence[tuple[str, Float[np.ndarray, "keys"]]],
    looks: Sequence[tuple[str, str]],
) -> Chart:
    """Rows of weights over the same keys as bars side by side.

    Each row's name stands above a bar, over keys whose bars are low: there is room for it.
    """
    lowest = np.argsort(np.max([weights for _, weights in rows], axis=0))
    bars = [
        go.Bar(
            x=list(keys), y=weights, name=name, textposition="outside", textangle=-90,
            text=[name if n == lowest[at % len(keys)] else "" for n in range(len(keys))],
            textfont={"size": LETTERS, "color": TEXT}, constraintext="none", cliponaxis=False,
            marker={"color": colour, "pattern": {"shape": pattern, "size": 5, "solidity": 0.35}},
            hovertemplate=f"{name}: %{{x}} has weight %{{y:.3f}}<extra></extra>",
        )
        for at, ((name, weights), (colour, pattern)) in enumerate(zip(rows, looks, strict=True))
    ]  # fmt: skip
    told = "; ".join(
        f"{name}: {', '.join(decimal_text(float(w)) for w in weights)}" for name, weights in rows
    )
    return framed(
        bars,
        f"Weights of {len(keys)} keys as bars. {told}.",
        height=300,
        barmode="group",
        bargap=0.25,
        xaxis={"title": {"text": "key"}, "type": "category"},
        yaxis={"title": {"text": "weight"}, "range": [0, 1.02]},
    )


@kept
def temperature_figure(shares: Float[np.ndarray, "points keys"], at: float) -> Chart:
    """Each key's share against the temperature, and where one stands."""
    lines = [
        line(
            CURVE, share, colour, dash, name=f"key {n}",
            hovertemplate=f"T = %{{x:.2f}}: key {n} has %{{y:.3f}}<extra></extra>",
        )
        for n, (share, (colour, dash)) in enumerate(zip(shares.T, LINES, strict=True), start=1)
    ]  # fmt: skip
    ends = [", ".join(decimal_text(float(x)) for x in shares[place]) for place in (0, -1)]
    return framed(
        lines,
        f"Shares of {shares.shape[1]} keys against the temperature. At T = {COLDEST:g} they are "
        f"{ends[0]}; at T = {HOTTEST:g} they are {ends[1]}. A vertical line stands at T = {at:g}.",
        **named_at_ends(
            lines, height=320,
            xaxis={
                "type": "log", "title": {"text": "temperature T"}, "tickmode": "array",
                "tickvals": [0.1, 0.25, 0.5, 1, 2, 4, 10],
                "ticktext": ["0.1", "0.25", "0.5", "1", "2", "4", "10"],
                "minor": {"showgrid": False},
            },
            yaxis={"title": {"text": "share"}, "range": [0, 1.02]},
            shapes=[{
                "type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper",
                "line": {"color": NEUTRAL, "width": 2},
            }],
        ),
    )  # fmt: skip


@kept
def growth_figure(grown: Growth) -> Chart:
    """How long a query's context row is, against the number of keys that it reads."""
    keys = np.arange(1, len(grown.plain) + 1)
    rows = (
        ("not divided", grown.plain, WITHOUT, "dash"),
        ("divided by the sum", grown.normalised, WITH, "solid"),
    )
    lines = [
        line(
            keys, lengths, colour, dash, name=name,
            hovertemplate=f"{name}, %{{x}} keys: length %{{y:.2f}}<extra></extra>",
        )
        for name, lengths, colour, dash in rows
    ]  # fmt: skip
    ends = [decimal_text(float(lengths[-1])) for _, lengths, _, _ in rows]
    return framed(
        lines,
        f"The length of what one query reads, against how many keys it sees. With {len(keys)} keys "
        f"it is {ends[0]} where nothing is divided by the sum, and {ends[1]} where it is.",
        **named_at_ends(
            lines,
            height=320,
            xaxis={"title": {"text": "keys that the query sees"}},
            yaxis={"title": {"text": "length of the context"}, "rangemode": "tozero"},
        ),
    )
