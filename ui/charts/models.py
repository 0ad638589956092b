"""The chart of what a model predicts: the most probable tokens, before and after a change."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.models.head_words import whole_percent
from ui.charts.colours import INK, TEXT_COLOUR, WITH
from ui.charts.framing import LETTERS, Chart, as_text, framed, kept
from ui.page_texts import chart_texts

TEXTS = chart_texts("models")
_ROW = 34
"""Pixels of a token's bars."""


@kept
def prediction_figure(
    tokens: Sequence[str], before: Sequence[float], after: Sequence[float]
) -> Chart:
    """Probabilities of tokens as bars from above; `after` is empty if nothing was changed."""
    names = [as_text(token) for token in tokens]
    rows = [(TEXTS("bar_after"), after, WITH, ""), (TEXTS("bar_before"), before, INK, "/")]
    if not after:
        rows = [("", before, INK, "")]
    bars = [
        go.Bar(
            x=list(values), y=list(range(len(names))), orientation="h", name=name,
            text=[_label(value, name) for value in values], textposition="outside",
            textfont={"size": LETTERS, "color": TEXT_COLOUR}, constraintext="none",
            cliponaxis=False, hoverinfo="skip",
            marker={"color": colour, "pattern": {"shape": pattern, "solidity": 0.3, "size": 6}},
        )
        for name, values, colour, pattern in rows if len(values)
    ]  # fmt: skip
    said = [
        {"token": token, "before": whole_percent(b), "after": a}
        for token, b, a in zip(tokens, before, _percents(after, len(tokens)), strict=True)
    ]
    most = max([*before, *after])
    return framed(
        bars,
        TEXTS("prediction_chart", tokens=said),
        height=60 + _ROW * len(names) * (1 + bool(after)) * 3 // 4,
        bargap=0.25,
        xaxis={"visible": False, "range": [0, 1.3 * most]},
        yaxis={
            "tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names,
            "autorange": "reversed", "showgrid": False, "zeroline": False,
        },
    )  # fmt: skip


def _label(value: float, name: str) -> str:
    percent = TEXTS("percent", percent=whole_percent(value))
    return f"{percent} {name}" if name else percent


def _percents(values: Sequence[float], count: int) -> list[str]:
    return [whole_percent(value) for value in values] or [""] * count
