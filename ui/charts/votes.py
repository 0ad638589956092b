"""A class's answers to a question as bars; the right one is marked once it may be seen."""

import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go

from core.questions.texts import plain_text
from ui.charts.colours import NEUTRAL, TEXT_COLOUR, WITH
from ui.charts.framing import LETTERS, Chart, as_text, framed, kept
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("votes")
Vote = tuple[str, tuple[int, ...]]
"""What a vote is called, and how often each answer was given in it."""
ROW, AROUND = 30, 40
"""The height of a bar with the room around it, and what stands above and below the bars."""
WIDEST = 24
"""So many letters stand on a line beside the bars."""


GAP = 0.04
"""The part of the width between two votes."""


@kept
def votes_figure(answers: Sequence[tuple[str, bool]], votes: Sequence[Vote]) -> Chart:
    """Return a bar for each answer, the first on top, as long as it was given often.

    Each answer is a text and whether it is marked as right. Two votes are next to each other and
    have the same scale.
    """
    labels = [_label(text, is_right) for text, is_right in answers]
    lines = max((label.count("<br>") + 1 for label in labels), default=1)
    places, most = (
        list(range(len(answers))),
        max((n for _, times in votes for n in times), default=0),
    )
    colours = [WITH if is_right else NEUTRAL for _, is_right in answers]
    bars, notes, axes = [], [], {}
    for n, (title, times) in enumerate(votes):
        left, right = n / len(votes) + (n and GAP / 2), (n + 1) / len(votes) - GAP / 2
        axis = f"x{n + 1}" if n else "x"
        axes[f"xaxis{n + 1}" if n else "xaxis"] = {
            "visible": False, "range": [0, 1.3 * max(most, 1)], "domain": [left, right],
            "fixedrange": True,
        }  # fmt: skip
        notes.append({
            "text": as_text(title), "showarrow": False, "xref": "paper", "x": left,
            "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom",
        })  # fmt: skip
        bars.append(go.Bar(
            x=times, y=places, orientation="h", text=list(map(str, times)), xaxis=axis,
            textposition="outside", textfont={"size": LETTERS + 4, "color": TEXT_COLOUR},
            constraintext="none", cliponaxis=False, hoverinfo="skip", name=title, width=0.7,
            marker={"color": colours},
        ))  # fmt: skip
    said = [
        (title, [
            (plain_text(text), is_right, given)
            for (text, is_right), given in zip(answers, times, strict=True)
        ])
        for title, times in votes
    ]  # fmt: skip
    return framed(
        bars,
        TEXTS("alt", votes=said),
        height=AROUND + len(answers) * (ROW + (lines - 1) * LETTERS),
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        annotations=notes,
        yaxis={
            "autorange": "reversed", "tickmode": "array", "tickvals": places, "ticktext": labels,
            "showgrid": False, "zeroline": False, "fixedrange": True, "automargin": True,
            "tickfont": {"size": LETTERS + 2, "color": TEXT_COLOUR},
        },
        **axes,
    )  # fmt: skip


def _label(text: str, is_right: bool) -> str:
    """An answer next to its bar, in lines; the right one has a tick."""
    lines = textwrap.wrap(plain_text(text), WIDEST) or [""]
    return "<br>".join(map(as_text, lines)) + (" ✓" if is_right else "")
