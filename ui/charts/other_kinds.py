"""The charts of a Hopfield network: its energy as entries are asked, and how much it can store."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.program.rounding import cell_text, typeset
from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import Chart, framed, kept, line
from ui.charts.names import named_at_ends


@kept
def energy_figure(energies: Sequence[float], now: int) -> Chart:
    """The energy after each update, from 0, and where one looks."""
    told = [typeset(cell_text(each)) for each in energies]
    inwards = "left" if 2 * now > len(energies) - 1 else "right"  # away from the nearer edge
    drawn = [
        line(list(range(len(energies))), energies, WITH, "solid", name="energy",
             line={"color": WITH, "width": 2, "shape": "hv"},
             hovertemplate="after %{x} updates: %{y:.4g}<extra></extra>"),
        go.Scatter(x=[now], y=[energies[now]], mode="markers+text", name="here",
                   text=[f"  now: {told[now]}  "], textposition=f"top {inwards}",
                   marker={"color": WITHOUT, "size": 11}, cliponaxis=False, hoverinfo="skip"),
    ]  # fmt: skip
    alt = (
        f"A line over 0 to {len(energies) - 1} updates that never rises: from "
        f"{told[0]} to {told[-1]}; after {now} it is at {told[now]}."
    )
    room = 0.12 * (max(energies) - min(energies)) or 1.0
    return framed(
        drawn, alt, height=280,
        xaxis={"title": {"text": "updates"}},
        yaxis={"title": {"text": "energy"}, "range": [min(energies) - room,
                                                      max(energies) + 2 * room]},
    )  # fmt: skip


@kept
def capacity_figure(
    stored: Sequence[int], classical: Sequence[float], modern: Sequence[float]
) -> Chart:
    """The share of stored patterns that stay as they are, by how many are stored."""
    drawn = [
        line(stored, [100 * share for share in modern], WITH, "solid", mode="lines+markers",
             name="softmax: the modern update",
             hovertemplate="%{x} stored: %{y:.0f} %<extra></extra>"),
        line(stored, [100 * share for share in classical], WITHOUT, "dash", mode="lines+markers",
             name="signs: a Hopfield network",
             hovertemplate="%{x} stored: %{y:.0f} %<extra></extra>"),
    ]  # fmt: skip
    alt = (
        f"Two lines over {stored[0]} to {stored[-1]} stored patterns. With signs "
        f"{100 * classical[0]:.0f} % of them stay at first and {100 * classical[-1]:.0f} % at "
        f"last; with the modern update {100 * modern[0]:.0f} % and {100 * modern[-1]:.0f} %."
    )
    return framed(
        drawn, alt, **named_at_ends(
            drawn, height=300,
            xaxis={"title": {"text": "patterns stored"}},
            yaxis={"title": {"text": "patterns that stay, %"}, "range": [-4, 106]},
        ),
    )  # fmt: skip
