"""Short runs take turns, and nobody waits for a long one."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.sampling import ROOT
from ui.server import fragments as module
from ui.server.fragments import LONGEST, run_lock

SHORT = LONGEST / 4
AGES = 60
AT_ONCE = 1.0
"""The seconds that a person waits without losing the thread (Nielsen 1993)."""


@pytest.fixture(autouse=True)
def nobody_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test left behind counts for nothing."""
    monkeypatch.setattr(module, "_turn", type(module._turn)())


def test_of_two_short_runs_the_second_begins_when_the_first_has_ended() -> None:
    told: list[str] = []
    first_is_there, second_asks = threading.Event(), threading.Event()

    def first() -> None:
        with run_lock():
            first_is_there.set()
            second_asks.wait(AGES)
            threading.Event().wait(SHORT)
            told.append("first ends")

    def second() -> None:
        first_is_there.wait(AGES)
        second_asks.set()
        with run_lock():
            told.append("second begins")

    _at_once(first, second)
    assert told == ["first ends", "second begins"]


def test_who_comes_behind_a_long_run_is_held_up_by_no_more_than_a_moment() -> None:
    """In seconds of the clock: what a person takes for at once, whatever the module calls long."""
    long_is_there, others_are_done = threading.Event(), threading.Event()
    waited: list[float] = []

    def long() -> None:
        with run_lock():
            long_is_there.set()
            others_are_done.wait(10 * AT_ONCE)

    def others() -> None:
        long_is_there.wait(AGES)
        for _ in range(20):
            begun = monotonic()
            with run_lock():
                waited.append(monotonic() - begun)
        others_are_done.set()

    _at_once(long, others)
    assert waited[0] < AT_ONCE
    assert sum(waited) < 10 * LONGEST  # only who came in its first moments waited for it


def test_a_part_inside_another_has_the_turn_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", AGES)
    begun = monotonic()
    with run_lock(), run_lock():
        assert _is_taken()
    assert monotonic() - begun < AGES / 2
    assert not _is_taken()


def test_a_run_that_ends_in_an_error_gives_its_turn_on() -> None:
    with pytest.raises(ZeroDivisionError), run_lock():
        _ = 1 / 0
    assert not _is_taken()


def test_a_page_has_the_turn_and_so_has_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    title = st.title

    def watched(*args: object, **options: object) -> object:
        seen.append(_is_taken())
        return title(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(st, "title", watched)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=AGES).run()
    assert not page.exception
    assert seen == [True]
    assert not _is_taken()


def test_a_part_that_is_drawn_outside_a_page_has_the_turn() -> None:
    page = AppTest.from_function(_page_with_a_part).run()
    assert [text.value for text in page.text] == ["taken: True"]


def _page_with_a_part() -> None:
    import streamlit as st

    from tests.ui.server.test_fragments import _is_taken
    from ui.server.fragments import fragment

    @fragment
    def part() -> None:
        st.text(f"taken: {_is_taken()}")

    part()


def _is_taken() -> bool:
    """Whether somebody else who comes now does not get the turn."""

    def gets_it() -> bool:
        mine = module._turn.acquire(blocking=False)
        if mine:
            module._turn.release()
        return mine

    with ThreadPoolExecutor(1) as aside:
        return not aside.submit(gets_it).result(AGES)


def _at_once(*runs: Callable[[], None]) -> None:
    with ThreadPoolExecutor(len(runs)) as aside:
        for done in [aside.submit(run) for run in runs]:
            done.result(AGES)
