"""The chart of the chapter on queries, keys and values: each line is named beside it."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.chapters.queries_keys_values.parameters import LENGTHS, RANK_LENGTHS, Budget
from core.program.rounding import decimal_text
from ui.charts.colours import NEUTRAL, WITH, WITHOUT
from ui.charts.framing import Chart, framed, kept, line, log_axis

SCORES, PARAMETERS, RANK = WITHOUT, NEUTRAL, WITH
LIFT = 1.3
"""A name stands this factor above or below its line."""
_QK = "<i>QK</i><sup>T</sup>"
_COUNTS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


@kept
def budget_figure(chosen: Budget, ranks: Sequence[int]) -> Chart:
    """Scores, parameters and the rank of QKᵀ against n, both axes logarithmic.

    `ranks` are measured, one for each of `RANK_LENGTHS`; the line through them is their bound. The
    chosen n is marked on the scores, and the n where there are as many scores as parameters.
    """
    lengths = (*RANK_LENGTHS[:3], *LENGTHS)
    budgets = [Budget(n, chosen.d_model, chosen.d_k) for n in lengths]
    first, early, last = budgets[0], budgets[2], budgets[-1]
    meet = decimal_text(chosen.equal_at, 0)
    features = f"{chosen.d_k} feature{'s' if chosen.d_k > 1 else ''}"
    return framed(
        [
            line(lengths, [b.scores for b in budgets], SCORES, "solid", hoverinfo="skip"),
            line(lengths, [b.parameters for b in budgets], PARAMETERS, "dash", hoverinfo="skip"),
            line(lengths, [b.rank_bound for b in budgets], RANK, "dot", hoverinfo="skip"),
            _marks(
                RANK_LENGTHS,
                ranks,
                RANK,
                "circle",
                8,
                f"n = %{{x}}: %{{y}} independent rows of {_QK}, measured",
            ),
            _marks([chosen.n], [chosen.scores], SCORES, "diamond", 15, "n = %{x}: %{y:,} scores"),
            _marks(
                [chosen.equal_at],
                [chosen.parameters],
                PARAMETERS,
                "x",
                11,
                "n = %{x:.0f}: as many scores as parameters, %{y:,}",
            ),
            _name(early.n, early.scores * LIFT, "n² scores", "top left"),
            _name(
                first.n,
                first.parameters * LIFT,
                "parameters of <i>W<sub>Q</sub></i> and <i>W<sub>K</sub></i>",
                "top right",
            ),
            _name(last.n, last.rank_bound * LIFT, f"rank of {_QK}", "top left"),
            _name(chosen.equal_at, chosen.parameters / LIFT, f"n = {meet}", "bottom right"),
        ],
        f"Counts against the length n, both logarithmic, for queries and keys of {features}. The "
        "parameters "
        f"stay at {chosen.parameters}; the scores grow as n² and pass them at n = {meet}, "
        f"{chosen.scores} at n = {chosen.n}. The rank of the scores is n as long as n is at most "
        f"{chosen.d_k}, and {chosen.d_k} from there on.",
        height=360,
        margin={"l": 8, "r": 8, "t": 12, "b": 8},
        xaxis=log_axis("tokens n", lengths) | {"range": [0.2, 3.15]},
        yaxis=log_axis("how many", _COUNTS) | {"range": [-0.2, 6.4]},
    )


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
