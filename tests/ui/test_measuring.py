"""The fragment that measures: begun, watched, stopped, taken, every end; and its chart."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from threading import Event

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import ui.measuring
from core.pytorch.measured import Length, Quartiles
from core.pytorch.speed import OVERDUE, UNHEARD
from tests.core.pytorch.test_measured import SETUP, compared, one
from tests.quotes import proves
from tests.ui.support import charts, prose, refused, told, warned
from ui.charts.framing import alt_of
from ui.measuring import HELD, measured_figure, running
from ui.measuring.running import Running
from ui.server.queue import Queue

PATIENCE = 60
TOLD_THEN_LISTENS = """
import sys
print(sys.argv[1], flush=True)
while sys.stdin.buffer.raw.read(1): pass
"""
"""A process that says what it is given and then only listens."""
TOLD_THEN_ENDS = "import sys; print(sys.argv[1], flush=True); sys.exit(int(sys.argv[2]))"
FIVE_AND_TWO = (
    SETUP, compared(64), *[one(64, 6.0, 2.0, 4.0)] * 5, compared(128), *[one(128, 9.0)] * 2,
)  # fmt: skip
AT = "T = 128, 2 of 5 rounds done"
Record = dict[str, object]


@pytest.fixture(autouse=True)
def _nothing_is_left_running(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(running, "MEASURING", Queue())
    yield
    for work in running.MEASURING._works:
        work.stop()


@pytest.fixture
def tells(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`tells(*records, code=None)`: what measures says this, and then listens or exits so."""

    def say(*records: Record, code: int | None = None) -> None:
        lines = "\n".join(json.dumps(record) for record in records)
        listens = [TOLD_THEN_LISTENS, lines]
        ends = [TOLD_THEN_ENDS, lines, str(code)]
        command = [sys.executable, "-c", *(listens if code is None else ends)]
        monkeypatch.setattr(running, "COMMAND", command)

    return say


def script() -> None:
    import streamlit as st

    from ui.measuring import measurement

    measurement()
    st.write("after it")


def page() -> AppTest:
    return AppTest.from_function(script, default_timeout=PATIENCE).run()


def until(true: Callable[[], bool]) -> None:
    """Wait for another thread."""
    for _ in range(100 * PATIENCE):
        if true():
            return
        Event().wait(0.01)
    raise AssertionError("it did not come")


def held(shown: AppTest) -> Running:
    found = shown.session_state[HELD]
    assert isinstance(found, Running)
    return found


def begun(shown: AppTest, now: str = "") -> Running:
    """Press the button, and wait until it is said what it is at, or else until it has ended."""
    shown.button(key="measuring_start").click().run()
    made = held(shown)
    until(lambda: made.found().now == now if now else not made.running)
    shown.run()
    return made


def buttons(shown: AppTest) -> list[str]:
    return [button.label for button in shown.button]


def said(shown: AppTest) -> list[str]:
    """What is said beside the prose, as it is read."""
    return [*(box.value.replace("\\", "") for box in shown.info), *warned(shown), *refused(shown)]


def test_nothing_runs_until_somebody_asks_for_it() -> None:
    shown = page()
    assert buttons(shown) == ["Measure on this server"]
    assert running.MEASURING._works == []
    assert (said(shown), charts(shown)) == ([], [])
    assert told(shown, "heartbeat") == [{"running": False, "every": 500, "received": None}]
    assert "Measured here" not in prose(shown)


@proves("""
    If the second ratio is clearly above 1, the number of multiplications is not the reason: both
    forms do all of them. Skipping hidden blocks is a gain of another kind, which only the first
    ratio has
""")
def test_while_it_runs_there_is_progress_and_what_is_done_is_shown(tells) -> None:
    tells(*FIVE_AND_TWO)
    shown = page()
    button = shown.button(key="measuring_start")
    made = begun(shown, AT)
    assert buttons(shown) == ["Stop"]
    assert told(shown, "heartbeat") == [{"running": True, "every": 500, "received": None}]
    (progress,) = shown.get("progress")
    assert progress.proto.text == "Measuring: T = 128, 2 of 5 rounds done"
    assert progress.proto.value == round(100 * (5 * 64 + 2 * 128) / (5 * 192))
    head = "| T | naive | fused | naive ÷ fused | mask as a matrix | naive ÷ that |"
    assert head in prose(shown)
    assert "| 64 | 6.00 s | 2.00 s | 3.0 | 4.00 s | 1.5 |" in prose(shown)
    assert "| 128 | – | – | – | – | – |" in prose(shown)
    assert charts(shown) == []
    assert "Measured here" not in prose(shown)
    button.click().run()
    assert held(shown) is made, "a second press began a second one"
    assert said(shown) == []


def test_stop_ends_the_process_and_keeps_what_was_measured(tells) -> None:
    tells(*FIVE_AND_TWO)
    shown = page()
    made = begun(shown, AT)
    shown.button(key="measuring_stop").click().run()
    assert not made.running
    assert made._process is not None
    assert made._process.returncode is not None
    assert buttons(shown) == ["Measure again"]
    assert said(shown) == [
        "Stopped (T = 128, 2 of 5 rounds done). What was measured until then is below."
    ]
    assert not shown.get("progress")
    (chart,) = charts(shown)
    assert chart["data"][0]["x"] == [64]
    assert "At T = 64 the fused form was 3.0 times as fast as the naive one." in prose(shown)
    assert "But here only time is measured." in prose(shown).partition("What it does not show")[2]
    shown.run()
    assert "At T = 64" in prose(shown), "it is kept for its visitor"


def test_one_measures_at_a_time_and_the_others_see_their_place_in_the_queue(tells) -> None:
    tells(*FIVE_AND_TWO)
    first, stops, leaves, stays = (page() for _ in range(4))
    begun(first, AT)
    for shown in (stops, leaves, stays):
        shown.button(key="measuring_start").click().run()
        assert buttons(shown) == ["Stop"]
        assert told(shown, "heartbeat") == [{"running": True, "every": 500, "received": None}]
        assert held(shown)._process is None
    assert place(stays) == 3
    stops.button(key="measuring_stop").click().run()
    assert said(stops) == ["Stopped in the queue: nothing was measured."]
    held(leaves).work.leave()
    assert place(stays.run()) == 1
    first.button(key="measuring_stop").click().run()
    until(lambda: held(stays).found().now == AT)
    assert not place(stays.run())
    assert held(leaves)._process is None


def place(shown: AppTest) -> int:
    """What is said of the place in the queue; 0 where it is no longer said."""
    (progress,) = shown.get("progress")
    found = re.match(r"You are number (\d+) in the queue\.", progress.proto.text)
    return int(found[1]) if found else 0


@proves("""
    nothing was heard from this page, for example because its tab was hidden | The {seconds} s for
    measuring were over ({now}) | Ended early ({now}): for {seconds} s nothing was heard | Ended by
    its limit of {seconds} s ({now}) | What was measured until then is below
""")
@pytest.mark.parametrize(
    ("code", "more", "expected"),
    [
        (UNHEARD, (), f"Ended early ({AT}): for 2 s nothing was heard from this page, for"),
        (OVERDUE, (), f"Ended by its limit of 30 s ({AT})."),
        (0, ({"kind": "end", "all": False},), f"The 20 s for measuring were over ({AT})."),
        (1, (), f"The measuring process failed on the server ({AT}). It may have had"),
        (-9, (), f"The measuring process failed on the server ({AT}). It may have had"),
    ],
)
def test_it_is_said_why_it_ended_before_its_end(code, more, expected, tells) -> None:
    shown, found_nothing = page(), page()
    for each, records in ((shown, FIVE_AND_TWO), (found_nothing, ())):
        tells(*records, *more, code=code)
        begun(each)
        assert len(each.error) == (code in (1, -9))
    (why,) = said(shown)
    assert why.startswith(expected)
    assert why.endswith("What was measured until then is below.")
    assert "At T = 64 the fused form was 3.0 times as fast" in prose(shown)
    assert buttons(shown) == ["Measure again"]
    (why,) = said(found_nothing)
    assert why.endswith("Nothing had been measured often enough to be shown.")
    assert "(loading PyTorch)" in why
    assert charts(found_nothing) == []
    assert "Measured here" not in prose(found_nothing)


def test_a_server_without_room_for_a_process_says_so(monkeypatch) -> None:
    monkeypatch.setattr(running, "COMMAND", ["/nowhere/at/all"])
    shown = page()
    shown.button(key="measuring_start").click().run()
    until(lambda: not held(shown).running)
    (why,) = said(shown.run())
    assert why.startswith("The measurement did not start, because the server could start no")
    assert buttons(shown) == ["Measure again"]


@proves("The results are not equal, so the times compare different things")
def test_results_that_differ_are_no_measurement(tells) -> None:
    tells(
        SETUP, compared(64, equal=False), *[one(64, 6.0)] * 5, {"kind": "end", "all": True}, code=0
    )
    shown = page()
    begun(shown)
    assert said(shown) == ["The results are not equal, so the times compare different things."]
    assert "Measured here" not in prose(shown)


def test_without_pytorch_there_is_nothing_to_press(monkeypatch) -> None:
    monkeypatch.setattr(ui.measuring, "available", lambda: False)
    shown = page()
    assert shown.button(key="measuring_start").disabled
    assert said(shown) == [
        "PyTorch is not installed on this server, so there is nothing to measure."
    ]


def test_a_measurement_by_pytorch_comes_to_its_end(monkeypatch) -> None:
    options = ["--lengths", "16", "32", "--rounds", "3", "--silence", str(PATIENCE)]
    monkeypatch.setattr(running, "COMMAND", [*running.COMMAND, *options])
    shown = page()
    found = begun(shown).found()
    assert (found.all, found.equal, [x.T for x in found.lengths]) == (True, True, [16, 32])
    assert said(shown) == []
    assert "At T = 32 the fused form " in prose(shown)
    assert "equal up to rounding" in shown.caption[-1].value
    assert "seed 0" in shown.caption[-1].value
    assert charts(shown)[0]["data"][2]["x"] == [16, 32]


def test_heartbeats_reach_the_process_and_one_too_late_does_no_harm(monkeypatch) -> None:
    ends_at_two = "import sys; sys.stdin.buffer.read(2)"
    monkeypatch.setattr(running, "COMMAND", [sys.executable, "-c", ends_at_two])
    made = Running()
    until(lambda: made._process is not None)
    made.beat()
    assert made.running
    made.beat()
    until(lambda: not made.running)
    made.beat()
    made.work.stop()
    assert made.ending() == running.FAILED


def test_a_process_that_does_not_end_itself_is_ended_from_here(monkeypatch, tells) -> None:
    monkeypatch.setattr(running, "TIME_LIMIT", 0.1)
    monkeypatch.setattr(running, "GRACE", 0.1)
    tells(*FIVE_AND_TWO)
    made = Running()
    until(lambda: not made.running)
    assert made._process is not None
    assert made._process.returncode == -9


MS = 1e-3
LENGTHS = tuple(
    Length(
        T, 9, Quartiles(3 * t, 4 * t, 6 * t), Quartiles(t, 2 * t, 2 * t), Quartiles(t, t, 3 * t),
        Quartiles(1.9, 2.0, 3.0), Quartiles(3.0, 4.0, 5.0),
    )
    for T, t in ((64, 1 * MS), (128, 4 * MS))
)  # fmt: skip


def test_each_way_is_a_line_of_medians_with_its_quartiles_as_bars() -> None:
    naive, fused, full = measured_figure(LENGTHS, (64, 128, 256)).data
    assert naive.x == fused.x == full.x == (64, 128)
    np.testing.assert_allclose(naive.y, [4 * MS, 16 * MS])
    np.testing.assert_allclose(naive.error_y.array, [2 * MS, 8 * MS])
    np.testing.assert_allclose(naive.error_y.arrayminus, [1 * MS, 4 * MS])
    np.testing.assert_allclose(full.error_y.arrayminus, [0, 0])
    assert len({line.line.dash for line in (naive, fused, full)}) == 3
    assert naive.text[0] == "naive, T = 64: 4.00 ms<br>half of 9 rounds: 3.00 ms to 6.00 ms"


def test_both_axes_are_logarithmic_with_ticks_that_can_be_read() -> None:
    layout = measured_figure(LENGTHS, (64, 128, 256)).layout
    assert (layout.xaxis.type, layout.yaxis.type) == ("log", "log")
    assert layout.xaxis.ticktext == ("64", "128", "256")
    low, high = layout.xaxis.range
    assert 10**low < 64
    assert 10**high > 256
    ticks = dict(zip(layout.yaxis.tickvals, layout.yaxis.ticktext, strict=True))
    assert [ticks[s] for s in (1e-6, 1e-4, 1e-3, 0.1, 1.0)] == [
        "1 µs", "100 µs", "1 ms", "100 ms", "1 s",
    ]  # fmt: skip


def test_its_description_says_every_number() -> None:
    said = alt_of(measured_figure(LENGTHS, (64, 128))).replace("\u2060", "")
    assert "T = 64: naive 4.00 ms, fused 2.00 ms" in said
    assert "T = 128: naive 16.0 ms, fused 8.00 ms, fused with the mask as a matrix 4.00 ms" in said
    assert "naive over fused 2.0 (1.9–3.0)" in said
    assert "nothing is measured yet" in alt_of(measured_figure((), (64, 128)))
