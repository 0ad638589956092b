"""The charts of generation: work with a cache and without, and how far the first token reaches."""

from collections.abc import Sequence

from core.program.numbers.rounding import cell_text, decimal_text, typeset
from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import Chart, dashed_line, framed, kept
from ui.charts.names import named_at_ends
from ui.page_texts import chart_texts

TEXTS = chart_texts("one_query")
NO_BOX = "<extra></extra>"
"""Ends a hover text: Plotly would add the name of the line."""


@kept
def work_figure(with_cache: Sequence[int], without: Sequence[int], now: int) -> Chart:
    """Multiplications for each token that is written; `now`, counted from 1, is marked."""
    tokens = list(range(1, len(with_cache) + 1))
    series = (
        (TEXTS("without_cache"), without, WITHOUT, "dash", "diamond"),
        (TEXTS("with_cache"), with_cache, WITH, "solid", "circle"),
    )
    drawn = []
    for name, counts, colour, dash, symbol in series:
        text = TEXTS("work_hover", name=name) + NO_BOX
        marks = [13 if t == now else 6 for t in tokens]
        drawn.append(
            dashed_line(
                tokens, counts, colour, dash, name=name, mode="lines+markers", hovertemplate=text,
                line={"color": colour, "dash": dash, "width": 2},
                marker={"symbol": symbol, "size": marks, "color": colour},
            )
        )  # fmt: skip
    last = len(tokens)
    said_counts = {
        f"{name}_{when}": f"{counts[at]:,}"
        for name, counts in (("with", with_cache), ("without", without))
        for when, at in (("first", 0), ("last", -1), ("now", now - 1))
    }
    return framed(
        drawn,
        TEXTS("work_alt", tokens=last, now=now, **said_counts),
        **named_at_ends(
            drawn,
            height=300,
            xaxis={"title": {"text": TEXTS("work_tokens_axis")}, "dtick": max(1, last // 8)},
            yaxis={"title": {"text": TEXTS("work_axis")}, "rangemode": "tozero"},
        ),
    )


@kept
def influence_figure(
    recurrent: Sequence[float], attention: Sequence[float], factor: str, weight: str
) -> Chart:
    """What is left of token 1 in each row, t from 1, on a logarithmic axis."""
    tokens = list(range(1, len(recurrent) + 1))
    series = (
        (TEXTS("recurrent_line", factor=factor), recurrent, WITHOUT, "dash"),
        (TEXTS("attention_weight_line", weight=weight), attention, WITH, "solid"),
    )
    drawn = [
        dashed_line(
            tokens, values, colour, dash, name=name,
            hovertemplate=TEXTS("influence_hover", name=name) + NO_BOX,
        )
        for name, values, colour, dash in series
    ]  # fmt: skip
    left, read = (typeset(cell_text(values[-1])) for values in (recurrent, attention))
    return framed(
        drawn,
        TEXTS(
            "influence_alt",
            tokens=len(tokens),
            first=decimal_text(recurrent[0], 0),
            left=left,
            read=read,
        ),
        **named_at_ends(
            drawn,
            height=300,
            xaxis={"title": {"text": TEXTS("influence_tokens_axis")}, "dtick": 4, "tick0": 1},
            yaxis={
                "title": {"text": TEXTS("influence_axis")},
                "type": "log",
                "exponentformat": "power",
            },
        ),
    )


@kept
def sizes_figure(tokens: Sequence[int], fixed: Sequence[int], attention: int) -> Chart:
    """Numbers in a map of fixed size for some tokens, compared with those of attention."""
    series = (
        (TEXTS("fixed_line"), fixed, WITHOUT, "dash"),
        (TEXTS("attention_line"), [attention] * len(tokens), WITH, "solid"),
    )
    drawn = [
        dashed_line(
            tokens, counts, colour, dash, name=name,
            hovertemplate=TEXTS("sizes_hover", name=name) + NO_BOX,
        )
        for name, counts, colour, dash in series
    ]  # fmt: skip
    return framed(
        drawn,
        TEXTS(
            "sizes_alt",
            first=tokens[0],
            last=tokens[-1],
            fixed_first=f"{fixed[0]:,}",
            fixed_last=f"{fixed[-1]:,}",
            attention=f"{attention:,}",
        ),
        **named_at_ends(
            drawn,
            height=280,
            xaxis={"title": {"text": TEXTS("sizes_tokens_axis")}},
            yaxis={"title": {"text": TEXTS("sizes_axis")}, "rangemode": "tozero"},
        ),
    )
