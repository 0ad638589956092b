"""The charts of generation: work with a cache and without, and how far the first token reaches."""

from collections.abc import Sequence

from core.program.rounding import cell_text, decimal_text, typeset
from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import Chart, framed, kept, line
from ui.charts.names import named_at_ends


@kept
def work_figure(with_cache: Sequence[int], without: Sequence[int], now: int) -> Chart:
    """Multiplications for each token that is written; `now`, counted from 1, is marked."""
    tokens = list(range(1, len(with_cache) + 1))
    series = (
        ("without a cache", without, WITHOUT, "dash", "diamond"),
        ("with a cache", with_cache, WITH, "solid", "circle"),
    )
    drawn = []
    for name, counts, colour, dash, symbol in series:
        said = f"{name}, token %{{x}}: %{{y:,}} multiplications<extra></extra>"
        marks = [13 if t == now else 6 for t in tokens]
        drawn.append(
            line(
                tokens, counts, colour, dash, name=name, mode="lines+markers", hovertemplate=said,
                line={"color": colour, "dash": dash, "width": 2},
                marker={"symbol": symbol, "size": marks, "color": colour},
            )
        )  # fmt: skip
    last = len(tokens)
    return framed(
        drawn,
        f"Multiplications for each of {last} tokens. Without a cache they grow from "
        f"{without[0]:,} to {without[-1]:,}; with a cache from {with_cache[0]:,} to "
        f"{with_cache[-1]:,}. Token {now} is marked: {without[now - 1]:,} and "
        f"{with_cache[now - 1]:,}.",
        **named_at_ends(
            drawn,
            height=300,
            xaxis={"title": {"text": "token that is written"}, "dtick": max(1, last // 8)},
            yaxis={"title": {"text": "multiplications"}, "rangemode": "tozero"},
        ),
    )


@kept
def influence_figure(
    recurrent: Sequence[float], attention: Sequence[float], factor: str, weight: str
) -> Chart:
    """How much of token 1 is in each row, t from 1, on a logarithmic axis."""
    tokens = list(range(1, len(recurrent) + 1))
    series = (
        (f"recurrent net, factor {factor}", recurrent, WITHOUT, "dash"),
        (f"attention, weight {weight}", attention, WITH, "solid"),
    )
    drawn = [
        line(
            tokens, values, colour, dash, name=name,
            hovertemplate=f"{name}: %{{y:.2g}} of token 1 at token %{{x}}<extra></extra>",
        )
        for name, values, colour, dash in series
    ]  # fmt: skip
    left, read = (typeset(cell_text(values[-1])) for values in (recurrent, attention))
    return framed(
        drawn,
        f"How much of token 1 arrives at tokens 1 to {len(tokens)}, on a logarithmic axis. Both "
        f"begin at {decimal_text(recurrent[0], 0)}; at token {len(tokens)} the state of the "
        f"recurrent net holds {left}, and attention reads {read}.",
        **named_at_ends(
            drawn,
            height=300,
            xaxis={"title": {"text": "token t"}, "dtick": 4, "tick0": 1},
            yaxis={"title": {"text": "share of token 1"}, "type": "log", "exponentformat": "power"},
        ),
    )


@kept
def sizes_figure(tokens: Sequence[int], fixed: Sequence[int], attention: int) -> Chart:
    """Numbers in a map of fixed size for so many tokens, beside those of attention."""
    series = (
        ("map of fixed size", fixed, WITHOUT, "dash"),
        ("attention", [attention] * len(tokens), WITH, "solid"),
    )
    drawn = [
        line(
            tokens, counts, colour, dash, name=name,
            hovertemplate=f"{name} for %{{x}} tokens: %{{y:,}} numbers<extra></extra>",
        )
        for name, counts, colour, dash in series
    ]  # fmt: skip
    return framed(
        drawn,
        f"Numbers in the weight matrices, for {tokens[0]} to {tokens[-1]} tokens. A map of fixed "
        f"size grows from {fixed[0]:,} to {fixed[-1]:,}; attention stays at {attention:,}.",
        **named_at_ends(
            drawn,
            height=280,
            xaxis={"title": {"text": "tokens"}},
            yaxis={"title": {"text": "numbers in the matrices"}, "rangemode": "tozero"},
        ),
    )
