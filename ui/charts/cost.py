"""The charts of what attention costs: growth with T, parameters of models, shares of the work.

What grows with the square of the text has one colour on all of them, projections another.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from core.attention.configurations import Parameters
from core.chapters.cost.parts import percent_text
from core.program.rounding import decimal_text
from ui.charts.colours import BLUE, INK, NEUTRAL, TEXT_COLOUR, WITH, WITHOUT
from ui.charts.framing import LETTERS, Chart, dashed_line, framed, kept, log_axis
from ui.charts.names import named_at_ends
from ui.page_texts import chart_texts

TEXTS = chart_texts("cost")
QUADRATIC, LINEAR, FIXED = (WITHOUT, "dash", "²"), (WITH, "solid", ""), (NEUTRAL, "dot", "")
LOOKS = {2: QUADRATIC, 1: LINEAR, 0: FIXED}
"""Colour and dash of what grows as T to that power."""
GROWS = {2: TEXTS("as_the_square"), 1: TEXTS("as_the_text"), 0: TEXTS("not_at_all")}
TICKS = (1, 10, 100, 1_000, 10_000, 100_000)
PARTS = (
    (TEXTS("projections"), WITH, ""), (TEXTS("feeding"), BLUE, "."), (TEXTS("pairs"), WITHOUT, "/"),
)  # fmt: skip
BILLION = 10**9
FAINT = 0.45
"""How strong a pattern is, so that a number on it is legible."""
NO_BOX = "<extra></extra>"
"""Ends a hover text: Plotly would add the name of the line."""
CLOSE = 20
"""Places nearer to each other than by this factor have no room for two names."""


@kept
def growth_figure(
    unit: str,
    grows: Mapping[str, int],
    ends: tuple[int, int],
    at_ends: Sequence[Sequence[int]],
    marks: Mapping[str, int],
    at_marks: Sequence[Sequence[int]],
) -> Chart:
    """Straight lines on two logarithmic axes, one for each quantity, whose degree `grows` gives.

    They are drawn from their counts at the two `ends`, and marked at three numbers of tokens, of
    which the last is twice the second.
    """
    drawn: list[Any] = []
    doubled = sorted(counts[-1] for counts in at_marks)
    roomy = all(b >= CLOSE * a for a, b in pairwise(doubled))
    for (name, degree), counts in zip(grows.items(), at_ends, strict=True):
        colour, dash, _ = LOOKS[degree]
        drawn.append(
            dashed_line(
                ends, counts, colour, dash, hoverinfo="skip",
                name=TEXTS("growth_line", name=name, grows=GROWS[degree]),
            )
        )  # fmt: skip
    for (name, degree), counts in zip(grows.items(), at_marks, strict=True):
        drawn.append(
            go.Scatter(
                x=list(marks.values()), y=counts, mode="markers+text",
                text=["", "", f"× {2**degree}" if roomy else ""], cliponaxis=False,
                textposition="top center",
                textfont={"size": 14},
                marker={
                    "color": LOOKS[degree][0], "size": 9, "opacity": 1,
                    "symbol": ["circle", "diamond", "diamond-open"],
                    "line": {"width": 2, "color": LOOKS[degree][0]},
                },
                hovertemplate=TEXTS("growth_hover", name=name, unit=unit) + NO_BOX,
            )
        )  # fmt: skip
    lines = [
        (name, GROWS[degree], _listed(counts))
        for (name, degree), counts in zip(grows.items(), at_marks, strict=True)
    ]
    first = list(marks.values())[:2]
    names = [TEXTS("mark", name=name, tokens=f"{T:,}") for name, T in list(marks.items())[:2]]
    return framed(
        drawn,
        TEXTS("growth_alt", unit=unit, marks=_listed(list(marks.values())), lines=lines),
        **named_at_ends(
            drawn[: len(grows)],
            height=340,
            xaxis=log_axis(TEXTS("tokens_axis"), TICKS),
            yaxis={
                "type": "log", "title": {"text": unit}, "exponentformat": "power", "dtick": 2,
                "minor": {"showgrid": False},
            },
            shapes=[_upright(T, "dot", NEUTRAL) for T in first],
            annotations=_apart(first, names),
        ),
    )  # fmt: skip


@kept
def areas_figure(tokens: int, width: int) -> Chart:
    """A square of T × T and a strip of T × `width`, drawn to scale: their areas are two works."""
    gap = 0.12 * max(tokens, width)
    parts = (
        (TEXTS("pairs"), QUADRATIC[0], 0.0, tokens, "T × T"),
        (TEXTS("projections"), LINEAR[0], tokens + gap, width, "T × 2d"),
    )
    drawn = [
        go.Scatter(
            x=[left, left + wide, left + wide, left, left], y=[0, 0, tokens, tokens, 0],
            mode="lines", fill="toself", fillcolor=colour, line={"color": colour, "width": 1.5},
            name=name, hoverinfo="skip",
        )
        for name, colour, left, wide, _ in parts
    ]  # fmt: skip
    square, strip = (
        f"<b>{name}</b><br>{size} = {tokens:,} × {wide:,}" for name, _, _, wide, size in parts
    )
    end = tokens + gap + width
    return framed(
        drawn,
        TEXTS("areas_alt", tokens=f"{tokens:,}", width=f"{width:,}"),
        height=320,
        margin={"l": 8, "r": 150, "t": 8, "b": 52},
        xaxis={"visible": False, "range": [0, end], "constrain": "domain"},
        yaxis={"visible": False, "range": [0, tokens], "scaleanchor": "x", "constrain": "domain"},
        annotations=[
            {
                "text": square, "showarrow": False, "x": 0, "xanchor": "left", "y": 0,
                "yanchor": "top", "yshift": -4, "align": "left",
            },
            {
                "text": strip, "showarrow": False, "x": end, "xanchor": "left", "xshift": 6,
                "y": tokens / 2, "align": "left",
            },
        ],
    )  # fmt: skip


@kept
def crossing_figure(
    lengths: Sequence[int], shares: Mapping[str, Sequence[float]], halves: Sequence[float], now: int
) -> Chart:
    """Scores and weighted sum in % of the work, against T: marked at one half and at T."""
    looks = ((QUADRATIC[0], "solid"), (NEUTRAL, "dash"))
    drawn = [
        dashed_line(
            list(lengths), [100 * share for share in part], colour, dash, name=name,
            hovertemplate=TEXTS("part_hover", name=name) + NO_BOX,
        )
        for (name, part), (colour, dash) in zip(shares.items(), looks, strict=True)
    ]  # fmt: skip
    halfway = go.Scatter(
        x=list(halves), y=[50] * len(halves), mode="markers+text", cliponaxis=False,
        text=[TEXTS("half", tokens=f"{half:,.0f}") for half in halves],
        textposition=["top left", "bottom right"],
        textfont={"size": LETTERS, "color": TEXT_COLOUR},
        marker={
            "size": 10, "color": [colour for colour, _ in looks], "opacity": 1,
            "line": {"width": 2, "color": INK},
        },
        hoverinfo="skip",
    )  # fmt: skip
    at = list(lengths).index(now)
    lines = [
        (name, percent_text(part[at]), f"{half:,.0f}")
        for (name, part), half in zip(shares.items(), halves, strict=True)
    ]
    return framed(
        [*drawn, halfway],
        TEXTS("crossing_alt", tokens=f"{now:,}", lines=lines),
        **named_at_ends(
            drawn,
            height=320,
            xaxis=log_axis(TEXTS("tokens_axis"), TICKS),
            yaxis={"title": {"text": TEXTS("work_axis")}, "range": [0, 100]},
            shapes=[_upright(now, "dot", TEXT_COLOUR)],
            annotations=[_above(now, TEXTS("mark", name="T", tokens=f"{now:,}"))],
        ),
    )


@kept
def parameters_figure(counted: Mapping[str, Parameters], chosen: str) -> Chart:
    """For each model a bar of 100 %: attention, feed-forward and embeddings; one is `chosen`."""
    names = [
        f"{f'<b>{name}</b>' if name == chosen else name}<br>{billions(of.all)}"
        for name, of in counted.items()
    ]
    bars = []
    series = (
        (TEXTS("attention"), [p.attention for p in counted.values()], WITH, ""),
        (TEXTS("feeding"), [p.feeding for p in counted.values()], BLUE, "."),
        (TEXTS("embeddings"), [p.embedding for p in counted.values()], NEUTRAL, "x"),
    )
    totals = [of.all for of in counted.values()]
    for name, counts, colour, pattern in series:
        parts = [100 * count / total for count, total in zip(counts, totals, strict=True)]
        bars.append(
            go.Bar(
                y=names, x=parts, name=name, orientation="h",
                text=[f"<b>{decimal_text(part, 1)}</b>" if part >= 10 else "" for part in parts],
                textposition="inside", insidetextanchor="middle", textangle=0,
                textfont={"color": INK, "size": LETTERS}, constraintext="none",
                customdata=[billions(count) for count in counts],
                marker={
                    "color": colour,
                    "pattern": {
                        "shape": pattern, "size": 9, "solidity": 0.1, "fgcolor": INK,
                        "fgopacity": FAINT,
                        "fillmode": "overlay",
                    },
                    "line": {"color": INK, "width": [2 if m == chosen else 0 for m in counted]},
                },
                hovertemplate=TEXTS("parameters_hover", name=name) + NO_BOX,
            )
        )  # fmt: skip
    told = [
        (name, billions(of.all), *map(percent_text, (
            of.attention / of.all, of.feeding / of.all, of.embedding / of.all,
        )))
        for name, of in counted.items()
    ]  # fmt: skip
    return framed(
        bars,
        TEXTS("parameters_alt", models=len(counted), chosen=chosen, bars=told),
        height=90 + 62 * len(counted),
        barmode="stack",
        bargap=0.28,
        annotations=_names_of_parts(bars),
        xaxis={"title": {"text": TEXTS("parameters_axis")}, "range": [0, 100]},
        yaxis={"autorange": "reversed", "ticksuffix": " "},
    )


@kept
def shares_figure(
    model: str,
    lengths: Sequence[int],
    shares: Sequence[Sequence[float]],
    half: float,
    now: int,
) -> Chart:
    """Each part in % of the multiplications, stacked, against T on a logarithmic axis.

    Two lines are drawn across: where scores and weighted sum take a `half`, and the chosen T.
    """
    drawn = [
        go.Scatter(
            x=list(lengths), y=[100 * share for share in part], name=name, mode="lines",
            stackgroup="work", line={"color": colour, "width": 1}, fillcolor=colour,
            fillpattern={
                "shape": pattern, "size": 9, "solidity": 0.1, "fgcolor": INK, "bgcolor": colour,
                "fgopacity": FAINT,
                "fillmode": "replace",
            } if pattern else None,
            hovertemplate=TEXTS("part_hover", name=name) + NO_BOX,
        )
        for (name, colour, pattern), part in zip(PARTS, shares, strict=True)
    ]  # fmt: skip
    at = list(lengths).index(now)
    parts = [(name, percent_text(part[at])) for (name, *_), part in zip(PARTS, shares, strict=True)]
    marks = (
        TEXTS("mark", name="T", tokens=f"{now:,}"), TEXTS("half", tokens=f"{half:,.0f}"),
    )  # fmt: skip
    return framed(
        drawn,
        TEXTS(
            "shares_alt",
            model=model,
            first=f"{lengths[0]:,}",
            last=f"{lengths[-1]:,}",
            tokens=f"{now:,}",
            parts=parts,
            half=f"{half:,.0f}",
        ),
        height=340,
        xaxis=log_axis(TEXTS("tokens_axis"), (128, 1024, 8192, 65536, 524288))
        | {"range": [_log10(lengths[0]), _log10(lengths[-1])]},
        yaxis={"title": {"text": TEXTS("work_axis")}, "range": [0, 100]},
        shapes=[_upright(now, "dot", TEXT_COLOUR), _upright(half, "solid", TEXT_COLOUR)],
        annotations=[
            *_apart((now, half), marks),
            *_names_of_areas(lengths, shares),
        ],
    )


def _names_of_parts(bars: Sequence[go.Bar]) -> list[dict[str, Any]]:
    """Return the name of each part, above it in the first bar."""
    notes, begun = [], 0.0
    for bar in bars:
        notes.append({
            "text": bar.name, "showarrow": False, "x": begun + bar.x[0] / 2, "xanchor": "center",
            "yref": "paper", "y": 1, "yanchor": "bottom",
        })  # fmt: skip
        begun += bar.x[0]
    return notes


def _names_of_areas(
    lengths: Sequence[int], shares: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    """The name of each part in its area, where that is highest and has room at both sides."""
    notes = []
    inside = range(len(lengths) // 4, len(lengths) - len(lengths) // 4)
    for n, ((name, colour, _), part) in enumerate(zip(PARTS, shares, strict=True)):
        at = max(inside, key=lambda place: part[place])
        below = sum(other[at] for other in shares[:n])
        notes.append({
            "text": name, "showarrow": False, "x": math.log10(lengths[at]),
            "y": 100 * (below + part[at] / 2), "font": {"color": INK, "size": LETTERS},
            "bgcolor": colour,
        })  # fmt: skip
    return notes


def billions(count: int) -> str:
    """Return a number of parameters in words: 174.59 billion, 124.32 million."""
    if count >= BILLION:
        return TEXTS("billions", number=decimal_text(count / BILLION))
    return TEXTS("millions", number=decimal_text(count / 10**6))


def _listed(counts: Sequence[int]) -> str:
    return ", ".join(f"{n:,}" for n in counts)


def _log10(x: float) -> float:
    return math.log10(x)


def _upright(x: float, dash: str, colour: str) -> dict[str, Any]:
    return {
        "type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1,
        "line": {"color": colour, "width": 1.5, "dash": dash},
    }  # fmt: skip


def _above(x: float, text: str, anchor: str = "center") -> dict[str, Any]:
    return {
        "text": text, "x": math.log10(x), "yref": "paper", "y": 1, "yanchor": "bottom",
        "showarrow": False, "xanchor": anchor,
    }  # fmt: skip


def _apart(places: Sequence[float], names: Sequence[str]) -> list[dict[str, Any]]:
    """Two names above their lines; where these are close, each on its own side."""
    if max(places) >= CLOSE * min(places):
        return [_above(x, name) for x, name in zip(places, names, strict=True)]
    sides = ("right", "left") if places[0] <= places[1] else ("left", "right")
    return [_above(*named) for named in zip(places, names, sides, strict=True)]
