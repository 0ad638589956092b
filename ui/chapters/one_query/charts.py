"""The charts of generation: work with a cache and without, and how far the first token reaches."""

from collections.abc import Sequence

from core.program.numbers.rounding import decimal_text
from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import NO_NAME, Chart, dashed_line, kept, lines_over, titled_axis
from ui.charts.names import lines_figure
from ui.page.prose import typeset_decimal
from ui.page_texts import chart_texts

TEXTS = chart_texts("one_query")


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
        text = TEXTS("work_hover", name=name) + NO_NAME
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
    return lines_figure(
        drawn,
        TEXTS("work_alt", tokens=last, now=now, **said_counts),
        height=300,
        xaxis=titled_axis(TEXTS("work_tokens_axis"), dtick=max(1, last // 8)),
        yaxis=titled_axis(TEXTS("work_axis"), rangemode="tozero"),
    )


@kept
def influence_figure(
    recurrent: Sequence[float], attention: Sequence[float], factor: str, weight: str
) -> Chart:
    """What is left of token 1 in each row, t from 1, on a logarithmic axis."""
    tokens = list(range(1, len(recurrent) + 1))
    drawn = lines_over(
        tokens,
        (TEXTS("recurrent_line", factor=factor), recurrent, WITHOUT, "dash"),
        (TEXTS("attention_weight_line", weight=weight), attention, WITH, "solid"),
        says=lambda name: TEXTS("influence_hover", name=name),
    )
    left, read = (typeset_decimal(values[-1]) for values in (recurrent, attention))
    first = decimal_text(recurrent[0], 0)
    return lines_figure(
        drawn,
        TEXTS("influence_alt", tokens=len(tokens), first=first, left=left, read=read),
        height=300,
        xaxis=titled_axis(TEXTS("influence_tokens_axis"), dtick=4, tick0=1),
        yaxis=titled_axis(TEXTS("influence_axis"), type="log", exponentformat="power"),
    )


@kept
def sizes_figure(tokens: Sequence[int], fixed: Sequence[int], attention: int) -> Chart:
    """Numbers in a map of fixed size for some tokens, compared with those of attention."""
    drawn = lines_over(
        tokens,
        (TEXTS("fixed_line"), fixed, WITHOUT, "dash"),
        (TEXTS("attention_line"), [attention] * len(tokens), WITH, "solid"),
        says=lambda name: TEXTS("sizes_hover", name=name),
    )
    sizes = {"fixed_first": fixed[0], "fixed_last": fixed[-1], "attention": attention}
    written = {name: f"{size:,}" for name, size in sizes.items()}
    return lines_figure(
        drawn,
        TEXTS("sizes_alt", first=tokens[0], last=tokens[-1], **written),
        height=280,
        xaxis=titled_axis(TEXTS("sizes_tokens_axis")),
        yaxis=titled_axis(TEXTS("sizes_axis"), rangemode="tozero"),
    )
