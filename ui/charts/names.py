"""What lines, bars and points of a chart are called, written where they are: there is no legend."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from ui.charts.framing import LETTERS, Chart, framed

LINE = 1.3 * LETTERS
"""The height of a line of text."""
LETTER = 0.5 * LETTERS
"""The width of a letter, about."""
WIDEST = 14
"""So many letters stand on a line beside a chart."""
HEIGHT_BESIDE_LINES = 28 + 52
"""What stands above and below the lines of a chart: a margin, and its axis with a title."""


def lines_figure(
    drawn: Sequence[Any], alt: str, named: Sequence[go.Scatter] = (), **layout: Any
) -> Chart:
    """A chart of lines, each with its name at its right end; `named` are those that have one.

    All that is drawn has, if none are given.
    """
    return framed(list(drawn), alt, **named_at_ends(named or drawn, **layout))


def named_at_ends(lines: Iterable[go.Scatter], **layout: Any) -> dict[str, Any]:
    """Return a chart's layout with the name of each of its lines at its right end.

    Names that would cover each other stand apart. A range that is not given is that of the lines.
    """
    shown = [drawn for drawn in lines if drawn.name and len(drawn.y)]
    names = {drawn.name: textwrap.wrap(drawn.name, WIDEST) for drawn in shown}
    notes: list[dict[str, Any]] = list(layout.get("annotations", ()))
    axes = {}
    for ref in sorted({drawn.yaxis or "y" for drawn in shown}):
        mine = [drawn for drawn in shown if (drawn.yaxis or "y") == ref]
        key = ref.replace("y", "yaxis")
        axis = axes[key] = {"range": _range(mine, layout[key])} | layout[key]
        low, high = axis["range"]
        bottom, top = axis.get("domain", (0, 1))
        room = (layout["height"] - HEIGHT_BESIDE_LINES) * (top - bottom)
        ends = [float(_on(axis, drawn.y[-1])) for drawn in mine]
        own = [room * (end - low) / (high - low) for end in ends]
        needed = [LINE * len(names[drawn.name]) for drawn in mine]
        for drawn, end, at, is_at in zip(
            mine, ends, spaced_labels(own, needed, room), own, strict=True
        ):
            notes.append({
                "text": "<br>".join(names[drawn.name]), "showarrow": False, "align": "left",
                "xref": "paper", "x": 1, "xanchor": "left", "xshift": 6,
                "yref": ref, "y": end, "yanchor": "middle", "yshift": round(at - is_at),
            })  # fmt: skip
    longest = max((len(row) for rows in names.values() for row in rows), default=0)
    margin = {"l": 8, "t": 28, "b": 8, "r": round(longest * LETTER + 12)}
    return layout | axes | {"annotations": notes, "margin": margin}


def spaced_labels(places: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Return where texts of these heights stand, near their places, without covering each other.

    Those that would are one block, in the middle of their places; all stay inside the room.
    """
    order = sorted(range(len(places)), key=lambda n: places[n])
    blocks: list[list[int]] = []

    def bottom(block: Sequence[int]) -> float:
        high = sum(heights[n] for n in block)
        middle = sum(places[n] for n in block) / len(block)
        return max(0.0, min(middle - high / 2, room - high))

    def top(block: Sequence[int]) -> float:
        return bottom(block) + sum(heights[n] for n in block)

    for n in order:
        blocks.append([n])
        while len(blocks) > 1 and top(blocks[-2]) > bottom(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    stand = list(places)
    for block in blocks:
        at = bottom(block)
        for n in block:
            stand[n] = at + heights[n] / 2
            at += heights[n]
    return stand


def key_above(*names: tuple[str, str, str]) -> dict[str, Any]:
    """Return a line above a chart of points: each mark in its colour, and what it is called."""
    text = "   ".join(
        f"<span style='color:{colour}'>{mark}</span> {name}" for mark, colour, name in names
    )
    return {
        "text": text, "showarrow": False, "xref": "paper", "x": 0, "xanchor": "left",
        "yref": "paper", "y": 1, "yanchor": "bottom", "yshift": 4,
    }  # fmt: skip


def _on(axis: dict[str, Any], value: float) -> float:
    return math.log10(value) if axis.get("type") == "log" else value


def _range(lines: Sequence[go.Scatter], axis: dict[str, Any]) -> list[float]:
    values = [_on(axis, float(value)) for drawn in lines for value in drawn.y]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 1.0
    from_zero = axis.get("rangemode") == "tozero" and low >= 0
    return [0.0 if from_zero else low - room, high + room]
