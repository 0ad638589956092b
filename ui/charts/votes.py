"""A class's answers to a question as bars; the right one is marked once it may be seen."""

import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go

from core.questions.texts import plain_text
from ui.charts.colours import NEUTRAL, TEXT_COLOUR, WITH
from ui.charts.framing import LETTERS, Chart, as_text, framed, kept
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("votes")
Bar = tuple[str, int, bool]
"""An answer, how often it was given, and whether it is marked as the right one."""
ROW, AROUND = 30, 40
"""The height of a bar with the room around it, and what stands above and below the bars."""
WIDEST = 24
"""So many letters stand on a line beside the bars."""


@kept
def votes_figure(title: str, bars: Sequence[Bar], most: int) -> Chart:
    """Return a bar for each answer, the first on top, as long as the number of its answers.

    `most` is the number at the right end, so that two votes next to each other compare.
    """
    labels = [_label(text, is_right) for text, _, is_right in bars]
    lines = max((label.count("<br>") + 1 for label in labels), default=1)
    drawn = go.Bar(
        x=[times for _, times, _ in bars], y=list(range(len(bars))), orientation="h",
        text=[str(times) for _, times, _ in bars], textposition="outside", width=0.7,
        textfont={"size": LETTERS + 4, "color": TEXT_COLOUR}, constraintext="none",
        cliponaxis=False, hoverinfo="skip", name=title,
        marker={"color": [WITH if is_right else NEUTRAL for *_, is_right in bars]},
    )  # fmt: skip
    said = [(plain_text(text), times, is_right) for text, times, is_right in bars]
    return framed(
        [drawn],
        TEXTS("alt", title=title, bars=said),
        height=AROUND + len(bars) * (ROW + (lines - 1) * LETTERS),
        title={"text": as_text(title), "font": {"size": LETTERS + 2, "color": TEXT_COLOUR}},
        margin={"l": 8, "r": 8, "t": 32, "b": 8},
        xaxis={"visible": False, "range": [0, 1.3 * max(most, 1)], "fixedrange": True},
        yaxis={
            "autorange": "reversed", "tickmode": "array", "tickvals": list(range(len(bars))),
            "ticktext": labels, "showgrid": False, "zeroline": False, "fixedrange": True,
            "automargin": True, "tickfont": {"size": LETTERS + 2, "color": TEXT_COLOUR},
        },
    )  # fmt: skip


def _label(text: str, is_right: bool) -> str:
    """An answer next to its bar, in lines; the right one has a tick."""
    lines = textwrap.wrap(plain_text(text), WIDEST) or [""]
    return "<br>".join(map(as_text, lines)) + (" ✓" if is_right else "")
