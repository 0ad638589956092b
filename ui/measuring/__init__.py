"""A measurement on the machine that serves the page: started, watched and stopped by one visitor.

`measurement()` is a fragment; a page calls it and nothing more. While a measurement runs, a small
component reports about every half second that its page is in front. Each report keeps the measuring
process alive and draws the fragment anew, and nothing else of the page.
"""

import streamlit as st

from core.program.rounding import decimal_text, typeset
from core.pytorch.measured import (
    Length,
    Measured,
    duration_text,
    spread_text,
    told,
)
from core.pytorch.reference import available
from core.pytorch.speed import BUDGET, D_K, HEADS, LENGTHS, LIMIT, SILENCE
from ui.chart import draw_chart
from ui.charts.measured import measured_figure
from ui.fragments import fragment
from ui.measuring.running import BUDGET as OUT_OF_TIME
from ui.measuring.running import (
    COMPLETE,
    FAILED,
    LEFT,
    LIMITED,
    REFUSED,
    STOPPED,
    Running,
)
from ui.prose import say
from ui.session import place_of_messages
from ui.text import escape_markdown, markdown_table
from ui.watching import say_progress, watch

EVERY = 500
"""Milliseconds from one heartbeat, once it is heard, to the next."""
HELD, BEAT = "measuring_held", "measuring_beat"
"""Keys of the session: its measurement, the heartbeat's own."""


@fragment
def measurement() -> None:
    """Naive against fused attention, measured here and now, if somebody asks for it."""
    held = _held()
    running = held is not None and held.running
    say(
        "Three ways to the same output, in float32, timed in turns on the computer that serves "
        "this page:\n\n"
        "- **Naive:** scores, mask, [softmax](#term-softmax) and product one after the "
        "other. Matrices of T × T numbers a head are written out and read again.\n"
        "- **Fused:** PyTorch's `scaled_dot_product_attention(is_causal=True)`. It works block by "
        "block, keeps no such matrix, and skips blocks in which every pair is hidden.\n"
        "- **Fused, mask as a matrix:** the same call with `attn_mask`. It skips nothing, so it "
        "does as many multiplications as the naive form."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if running:
            st.button("Stop", key="measuring_stop", on_click=_stop)
        else:
            again = "Measure again" if held else "Measure on this server"
            st.button(again, key="measuring_start", on_click=_start, disabled=not available())
        st.caption(
            f"{HEADS} heads with {D_K} features, T from {LENGTHS[0]} to {LENGTHS[-1]:,}; "
            f"{LIMIT:g} s at most. A measurement ends {SILENCE:g} s after its page is left or its "
            "tab hidden."
        )
    watch(BEAT, held.work if held else None, EVERY, _beat)
    found = held.found() if held else None
    with place_of_messages():
        if not available():
            st.info("PyTorch is not installed on this server, so there is nothing to measure.")
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
    """Why there is no more of it, where it did not simply come to its end."""
    ending = held.ending()
    if ending == COMPLETE:
        return
    if not held.work.begun:
        st.info("Stopped in the queue: nothing was measured.")
        return
    at = f"({found.now})"
    why = {
        OUT_OF_TIME: f"The {BUDGET:g} s for measuring were over {at}.",
        STOPPED: f"Stopped {at}.",
        LEFT: f"Ended early {at}: for {SILENCE:g} s nothing was heard from this page, as when it "
        "is left or its tab is hidden.",
        LIMITED: f"Ended by its limit of {LIMIT:g} s {at}.",
        FAILED: f"The measuring process failed on the server {at}. It may have had too little "
        "memory: try again later.",
        REFUSED: "The measurement did not start, because the server could start no process for "
        "it. Try again later.",
    }[ending]
    kept = (
        "What was measured until then is below."
        if found.lengths
        else "Nothing had been measured often enough to be shown."
    )
    show = st.error if ending in (FAILED, REFUSED) else st.info
    show(escape_markdown(f"{why} {kept}"))


def _show(held: Running, found: Measured, running: bool) -> None:
    """The times and their ratios; what is not measured yet has its place already.

    The chart comes at the end. To draw it keeps a browser busy: on the machine that measures this
    would be measured too, and on a slow one the heartbeat would come too late.
    """
    all_lengths = found.setup.lengths if found.setup else LENGTHS
    left, table = st.columns([5, 6], gap="medium", vertical_alignment="center")
    with left:
        if running:
            say_progress(held.work, found.done, f"Measuring: {found.now}")
        else:
            figure = measured_figure(found.lengths, all_lengths)
            draw_chart(figure, "measuring_chart")
    with table, st.container(key="measuring_table"):
        head = ["T", "naive", "fused", "naive ÷ fused", "mask as a matrix", "naive ÷ that"]
        rows = {length.T: _row(length) for length in found.lengths}
        empty = ["–"] * (len(head) - 1)
        say(markdown_table(head, [rows.get(T) or [f"{T:,}", *empty] for T in all_lengths]))
        st.caption(
            "Medians; in brackets, and as bars in a chart, the middle half of the rounds. Ratios "
            "are taken round by round."
        )


def _say_what_it_shows(found: Measured) -> None:
    """The ratios in a sentence, what follows from them and what does not."""
    assert found.setup is not None
    if not found.equal:
        st.error("The results are not equal, so the times compare different things.")
        return
    say(
        f"**Measured here:** {told(found)}\n\n"
        "**What this shows.** Where the second ratio is clearly above 1, the number of "
        "multiplications is not the reason: both forms do all of them. So multiplications alone "
        "do not decide the time. Skipping hidden blocks is a gain of another kind, which only the "
        "first ratio has.\n\n"
        "**What it does not show:** what does decide it. The fused form writes no T × T matrices "
        "out and reads none back, and this traffic between memory and processor is the usual "
        "reason (Dao et al. 2022). But here only time is measured. Nor does it show what another "
        "machine would do: the ratios depend on its memory, its processors and what else they had "
        "to do."
    )
    setup = found.setup
    threads = f"{setup.threads} thread{'s' * (setup.threads > 1)}"
    processors = f"{setup.processors} processor{'s' * (setup.processors > 1)}"
    apart = typeset(decimal_text(found.largest))
    st.caption(
        escape_markdown(
            f"PyTorch {setup.torch} with {threads}; this server may use {processors}. "
            f"{setup.rounds} rounds a T were planned; inputs drawn with seed {setup.seed}. The "
            f"outputs were compared at each T: equal up to rounding (max |Δ| {apart})."
        )
    )


def _row(length: Length) -> list[str]:
    times = [duration_text(s.middle) for s in (length.naive, length.fused, length.full)]
    return [
        f"{length.T:,}", times[0], times[1], spread_text(length.gain), times[2],
        spread_text(length.gain_full),
    ]  # fmt: skip
