"""A measurement on the machine that serves the page: started, watched and stopped by one visitor.

`measurement()` is a fragment; a page calls it and nothing more. While a measurement runs, a small
component reports about every half second that its page is in front. Each report keeps the measuring
process alive and draws the fragment anew, and nothing else of the page.
"""

import math

import streamlit as st

from core.program.numbers.rounding import decimal_text as decimal_text
from core.program.numbers.rounding import typeset as typeset
from core.pytorch.measured import Length, Measured, duration_text, measured_words, spread_text
from core.pytorch.reference import available
from core.pytorch.speed import BUDGET, D_K, HEADS, MEASURED_LENGTHS, SILENCE, TIME_LIMIT
from ui.charts.colours import BLUE, WITH, WITHOUT
from ui.charts.framing import NO_NAME, Chart, dashed_line, draw_chart, kept, log_axis
from ui.charts.names import lines_figure
from ui.links.session import place_of_messages
from ui.measuring.running import BUDGET as OUT_OF_TIME
from ui.measuring.running import COMPLETE, FAILED, LEFT, LIMITED, REFUSED, STOPPED, Running
from ui.page.prose import say, typeset_decimal
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.server.watching import say_progress, watch_work
from ui.text import Markdown, markdown_table

TEXTS, CHARTS = page_texts("cost"), chart_texts("cost")
LOOK_MILLISECONDS = 500
"""Milliseconds from one heartbeat, once it is heard, to the next."""
COLUMNS = (
    "measuring_naive", "measuring_fused", "measuring_gain", "measuring_full", "measuring_gain_full"
)  # fmt: skip
"""Ids of the heads of the table's columns, after T."""
HELD, BEAT = "measuring_held", "measuring_beat"
"""Keys of the session: its measurement, the heartbeat's own."""
_SERIES = (
    ("naive", CHARTS("measuring_naive"), WITHOUT, "dash", "diamond"),
    ("fused", CHARTS("measuring_fused"), WITH, "solid", "circle"),
    ("full", CHARTS("measuring_fused_full"), BLUE, "dot", "square"),
)
_TICKS = tuple(10.0**power for power in range(-6, 3))


@fragment
def measurement() -> None:
    """Naive against fused attention, measured here and now, if somebody asks for it."""
    held = _held()
    running = held is not None and held.running
    say(TEXTS("measuring_ways"))
    with st.container(horizontal=True, vertical_alignment="center"):
        if running:
            st.button(TEXTS("measuring_stop"), key="measuring_stop", on_click=_stop)
        else:
            again = TEXTS("measuring_again" if held else "measuring_start")
            st.button(again, key="measuring_start", on_click=_start, disabled=not available())
        lengths = {"first": str(MEASURED_LENGTHS[0]), "last": f"{MEASURED_LENGTHS[-1]:,}"}
        seconds = {"limit": f"{TIME_LIMIT:g}", "silence": f"{SILENCE:g}"}
        st.caption(TEXTS("measuring_limits", heads=HEADS, d_k=D_K, **lengths, **seconds))
    watch_work(BEAT, held.work if held else None, LOOK_MILLISECONDS, _beat)
    found = held.found() if held else None
    with place_of_messages():
        if not available():
            st.info(TEXTS("measuring_no_pytorch"))
        if held and found and not running:
            _say_ending(held, found)
    if held is None or found is None:
        return
    if running or found.lengths:
        _show(held, found, running)
    if found.lengths and not running:
        _say_what_it_shows(found)


def _held() -> Running | None:
    held: Running | None = st.session_state.get(HELD)
    return held


def _start() -> None:
    held = _held()
    if held is not None and held.running:
        return  # pressed twice
    st.session_state[HELD] = Running()


def _stop() -> None:
    held = _held()
    if held is not None:
        held.work.stop()


def _beat() -> None:
    held = _held()
    if held is not None:
        held.beat()


def _say_ending(held: Running, found: Measured) -> None:
    """Say why there is no more of it, if it did not simply come to its end."""
    ending = held.ending()
    if ending == COMPLETE:
        return
    if not held.work.begun:
        st.info(TEXTS("measuring_queue_stopped"))
        return
    why = _why(ending, found.now)
    kept = TEXTS("measuring_kept" if found.lengths else "measuring_nothing")
    show = st.error if ending in (FAILED, REFUSED) else st.info
    show(f"{why} {kept}")


def _why(ending: str, now: str) -> Markdown:
    """Return how a measurement ended, and what it was doing then."""
    if ending == REFUSED:
        return TEXTS("measuring_refused")
    if ending in (STOPPED, FAILED):
        return TEXTS({STOPPED: "measuring_stopped", FAILED: "measuring_failed"}[ending], now=now)
    id, seconds = {
        OUT_OF_TIME: ("measuring_out_of_time", BUDGET),
        LEFT: ("measuring_left", SILENCE),
        LIMITED: ("measuring_limited", TIME_LIMIT),
    }[ending]
    return TEXTS(id, now=now, seconds=f"{seconds:g}")


def _show(held: Running, found: Measured, running: bool) -> None:
    """The times and their ratios; what is not measured yet has its place already.

    The chart comes at the end. To draw it keeps a browser busy: on the machine that measures this
    would be measured too, and on a slow one the heartbeat would come too late.
    """
    all_lengths = found.setup.lengths if found.setup else MEASURED_LENGTHS
    left, table = st.columns([5, 6], gap="medium", vertical_alignment="center")
    with left:
        if running:
            say_progress(held.work, found.done, CHARTS("measuring_now", now=found.now))
        else:
            figure = measured_figure(found.lengths, all_lengths)
            draw_chart(figure, "measuring_chart")
    with table, st.container(key="measuring_table"):
        head = ["T", *(TEXTS(id) for id in COLUMNS)]
        rows = {length.T: _row(length) for length in found.lengths}
        empty = ["–"] * (len(head) - 1)
        say(markdown_table(head, [rows.get(T) or [f"{T:,}", *empty] for T in all_lengths]))
        st.caption(TEXTS("measuring_table"))


def _say_what_it_shows(found: Measured) -> None:
    """The ratios in a sentence, what follows from them and what does not."""
    assert found.setup is not None
    if not found.equal:
        st.error(TEXTS("measuring_not_equal"))
        return
    say(TEXTS("measuring_found", found=measured_words(found)))
    say(TEXTS("measuring_shows"))
    say(TEXTS("measuring_does_not_show"))
    setup = found.setup
    st.caption(
        TEXTS(
            "measuring_setup", torch=setup.torch, threads=setup.threads,
            processors=setup.processors, rounds=setup.rounds, seed=setup.seed,
            apart=typeset_decimal(found.largest),
        )
    )  # fmt: skip


def _row(length: Length) -> list[str]:
    times = [duration_text(s.middle) for s in (length.naive, length.fused, length.full)]
    return [
        f"{length.T:,}", times[0], times[1], spread_text(length.gain), times[2],
        spread_text(length.gain_full),
    ]  # fmt: skip


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
            CHARTS(
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
        xaxis=log_axis(CHARTS("tokens_axis"), all_lengths) | {"range": _around(all_lengths)},
        yaxis=log_axis(CHARTS("measuring_time_axis"), _TICKS, [*map(_tick, _TICKS)]),
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
    return CHARTS("measuring_alt", lengths=spoken)
