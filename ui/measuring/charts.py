"""The chart of a measurement: the time that attention took, for sentences of several lengths."""

import math

from core.pytorch.measured import Length, duration_text, spread_text
from ui.charts.colours import BLUE, WITH, WITHOUT
from ui.charts.framing import NO_NAME, Chart, dashed_line, kept, log_axis
from ui.charts.names import lines_figure
from ui.page_texts import chart_texts

TEXTS = chart_texts("cost")
_SERIES = (
    ("naive", TEXTS("measuring_naive"), WITHOUT, "dash", "diamond"),
    ("fused", TEXTS("measuring_fused"), WITH, "solid", "circle"),
    ("full", TEXTS("measuring_fused_full"), BLUE, "dot", "square"),
)
_TICKS = tuple(10.0**power for power in range(-6, 3))


@kept
def measured_figure(lengths: tuple[Length, ...], all_lengths: tuple[int, ...]) -> Chart:
    """Seconds against T, both logarithmic; each bar covers the middle half of its rounds.

    There is room for `all_lengths`, also while the longer ones are still measured.
    """
    tokens = [length.T for length in lengths]
    drawn = []
    for way, name, colour, dash, symbol in _SERIES:
        spreads = [getattr(length, way) for length in lengths]
        sentence = [
            TEXTS(
                "measuring_hover", name=name, T=f"{length.T:,}", rounds=length.rounds,
                time=duration_text(s.middle), low=duration_text(s.low), high=duration_text(s.high),
            )
            for length, s in zip(lengths, spreads, strict=True)
        ]  # fmt: skip
        drawn.append(
            dashed_line(
                tokens, [s.middle for s in spreads], colour, dash, name=name, mode="lines+markers",
                marker={"symbol": symbol, "size": 8, "color": colour},
                text=sentence, hovertemplate="%{text}" + NO_NAME,
                error_y={
                    "type": "data", "symmetric": False, "thickness": 1.5, "width": 5,
                    "array": [s.high - s.middle for s in spreads],
                    "arrayminus": [s.middle - s.low for s in spreads],
                },
            )
        )  # fmt: skip
    return lines_figure(
        drawn,
        _alt(lengths),
        height=340,
        xaxis=log_axis(TEXTS("tokens_axis"), all_lengths) | {"range": _around(all_lengths)},
        yaxis=log_axis(TEXTS("measuring_time_axis"), _TICKS, [*map(_tick, _TICKS)]),
    )


def _around(lengths: tuple[int, ...]) -> list[float]:
    """The powers of ten that an axis of these lengths goes from and to."""
    return [math.log10(lengths[0] / 1.25), math.log10(lengths[-1] * 1.25)]


def _tick(seconds: float) -> str:
    """A power of ten as a time: 10 µs, 1 ms."""
    for size, unit in ((1e-3, "µs"), (1.0, "ms")):
        if seconds < 0.999 * size:
            return f"{seconds / size * 1000:.0f} {unit}"
    return f"{seconds:.0f} s"


def _alt(lengths: tuple[Length, ...]) -> str:
    spoken = []
    for length in lengths:
        times = (duration_text(s.middle) for s in (length.naive, length.fused, length.full))
        spoken.append((f"{length.T:,}", *times, spread_text(length.gain)))
    return TEXTS("measuring_alt", lengths=spoken)
