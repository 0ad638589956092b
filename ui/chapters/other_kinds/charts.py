"""The charts of a Hopfield network: its energy as entries are asked, and how much it can store."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import NO_NAME, Chart, dashed_line, framed, kept, lines_over, titled_axis
from ui.charts.names import lines_figure
from ui.page.prose import typeset_decimal
from ui.page_texts import chart_texts

TEXTS = chart_texts("other_kinds")


@kept
def energy_figure(energies: Sequence[float], now: int) -> Chart:
    """The energy after each update, from 0, and the one that is shown."""
    texts = [typeset_decimal(each) for each in energies]
    inwards = "left" if 2 * now > len(energies) - 1 else "right"  # away from the nearer edge
    drawn = [
        dashed_line(list(range(len(energies))), energies, WITH, "solid", name=TEXTS("energy_name"),
             line={"color": WITH, "width": 2, "shape": "hv"},
             hovertemplate=TEXTS("energy_hover") + NO_NAME),
        go.Scatter(x=[now], y=[energies[now]], mode="markers+text", name="here",
                   text=[f"  {TEXTS('energy_now', energy=texts[now])}  "],
                   textposition=f"top {inwards}", marker={"color": WITHOUT, "size": 11},
                   cliponaxis=False, hoverinfo="skip"),
    ]  # fmt: skip
    alt = TEXTS(
        "energy_alt", updates=len(energies) - 1, first=texts[0], last=texts[-1], now=now,
        at=texts[now],
    )  # fmt: skip
    room = 0.12 * (max(energies) - min(energies)) or 1.0
    return framed(
        drawn,
        alt,
        height=280,
        xaxis=titled_axis(TEXTS("updates_axis")),
        yaxis=titled_axis(
            TEXTS("energy_name"), range=[min(energies) - room, max(energies) + 2 * room]
        ),
    )


@kept
def capacity_figure(
    stored: Sequence[int], classical: Sequence[float], modern: Sequence[float]
) -> Chart:
    """The percentage of stored patterns that stay as they are, by how many are stored."""
    drawn = lines_over(
        stored,
        (TEXTS("modern_name"), [100 * part for part in modern], WITH, "solid"),
        (TEXTS("classical_name"), [100 * part for part in classical], WITHOUT, "dash"),
        says=lambda name: TEXTS("capacity_hover"),
        mode="lines+markers",
    )
    ends = {
        "classical_first": classical[0], "classical_last": classical[-1],
        "modern_first": modern[0], "modern_last": modern[-1],
    }  # fmt: skip
    percent = {name: f"{100 * part:.0f}" for name, part in ends.items()}
    alt = TEXTS("capacity_alt", fewest=stored[0], most=stored[-1], **percent)
    return lines_figure(
        drawn,
        alt,
        height=300,
        xaxis=titled_axis(TEXTS("stored_axis")),
        yaxis=titled_axis(TEXTS("staying_axis"), range=[-4, 106]),
    )
