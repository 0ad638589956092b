"""The chart of the chapter on queries, keys and values: each line has its name next to it."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.chapters.queries_keys_values.parameters import LENGTHS, RANK_LENGTHS, Budget
from core.program.numbers.rounding import decimal_text
from ui.charts.colours import NEUTRAL, WITH, WITHOUT
from ui.charts.framing import Chart, dashed_line, framed, kept, log_axis
from ui.page_texts import chart_texts

TEXTS = chart_texts("queries_keys_values")

SCORES, PARAMETERS, RANK = WITHOUT, NEUTRAL, WITH
NAME_OFFSET = 1.3
"""A name is written this factor above or below its line."""
_QK = "<i>QK</i><sup>T</sup>"
_W_Q, _W_K = "<i>W<sub>Q</sub></i>", "<i>W<sub>K</sub></i>"
_COUNTS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


@kept
def budget_figure(chosen: Budget, ranks: Sequence[int]) -> Chart:
    """Return scores, parameters and the rank of QKᵀ against n, on logarithmic axes.

    `ranks` are measured, one for each of `RANK_LENGTHS`; the line through them is their bound. Two
    marks: the chosen n on the scores, and the n with equal numbers of scores and parameters.
    """
    lengths = (*RANK_LENGTHS[:3], *LENGTHS)
    budgets = [Budget(n, chosen.d_model, chosen.d_k) for n in lengths]
    first, early, last = budgets[0], budgets[2], budgets[-1]
    meet = decimal_text(chosen.equal_at, 0)
    counts = {name: getattr(chosen, name) for name in ("d_k", "parameters", "n", "scores")}
    series = (
        ([b.scores for b in budgets], SCORES, "solid"),
        ([b.parameters for b in budgets], PARAMETERS, "dash"),
        ([b.rank_bound for b in budgets], RANK, "dot"),
    )
    equal, held, off = [chosen.equal_at], [chosen.parameters], NAME_OFFSET
    maps, rank = TEXTS("parameters_line", queries=_W_Q, keys=_W_K), TEXTS("rank_line", product=_QK)
    return framed(
        [
            *(dashed_line(lengths, *one, hoverinfo="skip") for one in series),
            _marks(RANK_LENGTHS, ranks, RANK, "circle", 8, TEXTS("rank_hover", product=_QK)),
            _marks([chosen.n], [chosen.scores], SCORES, "diamond", 15, TEXTS("scores_hover")),
            _marks(equal, held, PARAMETERS, "x", 11, TEXTS("equal_hover")),
            _name(early.n, early.scores * off, TEXTS("scores_line"), "top left"),
            _name(first.n, first.parameters * off, maps, "top right"),
            _name(last.n, last.rank_bound * off, rank, "top left"),
            _name(chosen.equal_at, chosen.parameters / off, f"n = {meet}", "bottom right"),
        ],
        TEXTS("budget_alt", equal=meet, **counts),
        height=360,
        margin={"l": 8, "r": 8, "t": 12, "b": 8},
        xaxis=log_axis(TEXTS("tokens_axis"), lengths) | {"range": [0.2, 3.15]},
        yaxis=log_axis(TEXTS("count_axis"), _COUNTS) | {"range": [-0.2, 6.4]},
    )


def _marks(
    x: Sequence[float], y: Sequence[float], colour: str, symbol: str, size: int, says: str
) -> go.Scatter:
    marker = {"color": colour, "symbol": symbol, "size": size, "opacity": 1}
    return go.Scatter(
        x=x, y=y, mode="markers", marker=marker, hovertemplate=f"{says}<extra></extra>"
    )


def _name(x: float, y: float, text: str, place: str) -> go.Scatter:
    return go.Scatter(
        x=[x], y=[y], mode="text", text=[text], textposition=place, hoverinfo="skip",
        cliponaxis=False,
    )  # fmt: skip
