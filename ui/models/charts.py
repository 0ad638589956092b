"""The chart of what a model predicts: the most probable tokens, before and after a change."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.models.head_words import tenth_percent, whole_percent
from ui.charts.colours import NEUTRAL, TEXT_COLOUR, WITH
from ui.charts.framing import LETTERS, Chart, as_text, framed, kept
from ui.page_texts import chart_texts

TEXTS = chart_texts("models")
_ONE_BAR, _TWO_BARS = 26, 46
"""Pixels of a token's row."""
_ONE_LABEL, _TWO_LABELS = 52, 112
"""Pixels at the end of the longest bar for its percentage, and for the word after it."""


@kept
def prediction_figure(
    tokens: Sequence[str], before: Sequence[float], after: Sequence[float]
) -> Chart:
    """Probabilities of tokens as bars from above; `after` is empty if nothing was changed."""
    names = [as_text(token) for token in tokens]
    percent = tenth_percent if after else whole_percent  # a change may be small
    rows: list[tuple[str, Sequence[float], str, str]] = [("", before, NEUTRAL, "")]
    if after:
        rows = [(TEXTS("bar_before"), before, NEUTRAL, "/"), (TEXTS("bar_after"), after, WITH, "")]
    bars = [
        go.Bar(
            x=list(values), y=list(range(len(names))), orientation="h", name=name,
            text=[_label(percent(value), name) for value in values], textposition="outside",
            textfont={"size": LETTERS, "color": TEXT_COLOUR}, constraintext="none",
            cliponaxis=False, hoverinfo="skip",
            marker={"color": colour, "pattern": {"shape": pattern, "solidity": 0.3, "size": 6}},
        )
        for name, values, colour, pattern in rows
    ]  # fmt: skip
    said = [
        {"token": token, "before": percent(b), "after": a}
        for token, b, a in zip(
            tokens, before, list(map(percent, after)) or [""] * len(tokens), strict=True
        )
    ]
    return framed(
        bars,
        TEXTS("prediction_chart", tokens=said),
        height=16 + (_TWO_BARS if after else _ONE_BAR) * len(names),
        margin={"l": 8, "r": _TWO_LABELS if after else _ONE_LABEL, "t": 8, "b": 8},
        bargap=0.25,
        xaxis={"visible": False, "range": [0, max([*before, *after])]},
        yaxis={
            "tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names,
            "autorange": "reversed", "showgrid": False, "zeroline": False,
        },
    )  # fmt: skip


def _label(percent: str, name: str) -> str:
    said = TEXTS("percent", percent=percent)
    return f"{said} {name}" if name else said
