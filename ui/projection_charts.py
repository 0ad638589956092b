"""Charts on queries, keys and values: Plotly figures made of computed numbers.

Colours hold on light and dark paper alike and are never the only sign: lines differ in their dash,
and each is named beside it. `layout.meta["alt"]` describes a figure in words.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from core.chapters.queries_keys_values.parameters import LENGTHS, RANK_LENGTHS, Budget
from core.program.rounding import decimal_text

SCORES, PARAMETERS, RANK = "#c77700", "#808495", "#0f8f83"
LIFT = 1.3
"""A name stands this factor above or below its line."""
_COUNTS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def budget_figure(chosen: Budget, ranks: Sequence[int]) -> go.Figure:
    """Scores, parameters and the rank of QKᵀ against n, both axes logarithmic.

    `ranks` are measured, one for each of `RANK_LENGTHS`; the line through them is their bound. The
    chosen n is marked on the scores, and the n where there are as many scores as parameters.
    """
    lengths = (*RANK_LENGTHS[:3], *LENGTHS)
    budgets = [Budget(n, chosen.d_model, chosen.d_k) for n in lengths]
    first, early, last = budgets[0], budgets[2], budgets[-1]
    meet = decimal_text(chosen.equal_at, 0)
    return go.Figure(
        [
            _line(lengths, [b.scores for b in budgets], SCORES, "solid"),
            _line(lengths, [b.parameters for b in budgets], PARAMETERS, "dash"),
            _line(lengths, [b.rank_bound for b in budgets], RANK, "dot"),
            _marks(
                RANK_LENGTHS, ranks, RANK, "circle", 8,
                "n = %{x}: %{y} independent rows of QKᵀ, measured",
            ),
            _marks(
                [chosen.n], [chosen.scores], SCORES, "diamond", 15, "n = %{x}: %{y:,} scores"
            ),
            _marks(
                [chosen.equal_at], [chosen.parameters], PARAMETERS, "x", 11,
                "n = %{x:.0f}: as many scores as parameters, %{y:,}",
            ),
            _name(early.n, early.scores * LIFT, "n² scores", "top left"),
            _name(first.n, first.parameters * LIFT, "parameters of W_Q and W_K", "top right"),
            _name(last.n, last.rank_bound * LIFT, "rank of QKᵀ", "top left"),
            _name(chosen.equal_at, chosen.parameters / LIFT, f"n = {meet}", "bottom right"),
        ],
        {
            "meta": {"alt": (
                f"Counts against the length n, both logarithmic, for d_k = {chosen.d_k}. The "
                f"parameters stay at {chosen.parameters}; the scores grow as n² and pass them at "
                f"n = {meet}, {chosen.scores} at n = {chosen.n}. The rank of QKᵀ grows with n up "
                f"to {chosen.d_k} and stays there."
            )},
            "height": 360, "margin": {"l": 8, "r": 8, "t": 12, "b": 8}, "showlegend": False,
            "dragmode": False, "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)",
            "xaxis": _axis("tokens n", lengths) | {"range": [0.2, 3.15]},
            "yaxis": _axis("how many", _COUNTS) | {"range": [-0.2, 6.4]},
        },
    )  # fmt: skip


def _line(x: Sequence[int], y: Sequence[int], colour: str, dash: str) -> go.Scatter:
    line = {"color": colour, "dash": dash, "width": 2}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip")


def _marks(
    x: Sequence[float], y: Sequence[float], colour: str, symbol: str, size: int, says: str
) -> go.Scatter:
    marker = {"color": colour, "symbol": symbol, "size": size, "opacity": 1}
    return go.Scatter(
        x=x, y=y, mode="markers", marker=marker, hovertemplate=f"{says}<extra></extra>"
    )  # fmt: skip


def _name(x: float, y: float, text: str, place: str) -> go.Scatter:
    return go.Scatter(
        x=[x], y=[y], mode="text", text=[text], textposition=place, hoverinfo="skip",
        cliponaxis=False,
    )  # fmt: skip


def _axis(title: str, places: Sequence[int]) -> dict[str, Any]:
    return {
        "type": "log", "title": {"text": title}, "tickmode": "array", "tickvals": places,
        "ticktext": [f"{n:,}" for n in places], "minor": {"showgrid": False},
    }  # fmt: skip
