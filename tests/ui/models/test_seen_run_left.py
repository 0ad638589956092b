"""A visitor who leaves the page, or closes the tab, leaves nothing in the server's memory."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Condition
from weakref import ref

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.models.offers import Offer
from tests.core.models.tiny_models import MODELS
from tests.quotes import proves
from tests.ui.models.conftest import PROMPT, ended, ran, said, visited, written
from tests.ui.models.test_in_memory import resident
from tests.ui.queued import PATIENCE, held_up
from tests.ui.support import opened
from ui.models import running, seen_run, work
from ui.models.in_memory import LEFT, KeptRuns
from ui.models.work import MODEL_RUNS, ModelWork

SIZES = {"n_embd": 96, "n_layer": 6, "n_head": 16, "n_inner": 32, "n_positions": 256}
LONG = "the " * 256
LONG_RUN = 6 * (16 * 256 * 256 + 256 * 96) * 4
"""Bytes: float32 weights of every head, and the rows of every layer."""


class Passing:
    """A clock, and the runs that are kept by it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.runs = KeptRuns(lambda: self.now)

    def passes(self, seconds: float) -> None:
        with self.changed:
            self.now += seconds
            self.changed.notify_all()

    @property
    def changed(self) -> Condition:
        return self.runs._changed

    def waits_for(self, fact: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(fact, PATIENCE)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Passing]:
    """A server's runs for which time passes only as a test says."""
    time = Passing()
    for module in (running, seen_run, work):
        monkeypatch.setattr(module, "KEPT_RUNS", time.runs)
    yield time
    time.passes(2 * LEFT)


def leaves(time: Passing) -> None:
    """Nobody looks any more, and the server has noticed."""
    time.passes(LEFT + 1)
    time.waits_for(lambda: not time.runs._watched)


@pytest.fixture
def long_page(
    tmp_path: Path, offered: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> AppTest:
    """The page with a small model and a long prompt, without and with its scale."""
    kind, config, settings = MODELS["gpt2"]
    monkeypatch.setitem(MODELS, "long", (kind, config, settings | SIZES))
    written(tmp_path, "long")
    offered(tmp_path)
    return visited(model="long", model_text=LONG, model_scale="off")


def test_runs_give_memory_back_when_the_page_is_left(time: Passing, long_page: AppTest) -> None:
    """The session is still there, as Streamlit keeps it."""
    held = long_page.session_state.model_work
    runs = [ref(held.before), ref(held.after), ref(held.seen._trace[1])]
    assert 2 * LONG_RUN <= time.runs.byte_count < 2.2 * LONG_RUN
    before = resident()
    leaves(time)
    assert [run() for run in runs] == [None] * 3
    assert before - resident() > 1.5 * LONG_RUN
    assert time.runs.byte_count == 0
    assert long_page.session_state.model_work is held


@proves("""
    The numbers of your run are removed {left} after you leave this page. If you come back, the
    model runs again
""")
@pytest.mark.usefixtures("models")
def test_who_looks_keeps_the_run_and_who_comes_back_gets_it_again(time: Passing) -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    for _ in range(3):
        time.passes(LEFT - 1)
        page.run()
    first = page.session_state.model_work
    assert first.shown is not None
    leaves(time)
    assert first.shown is None
    ran(page.run())
    assert page.session_state.model_work is not first
    assert "gpt2: 2 layers of 3 heads" in said(page)
    assert "**On the stage:**" in said(page)


@pytest.mark.usefixtures("models")
def test_a_run_that_was_stopped_is_not_run_by_coming_back(time: Passing) -> None:
    with held_up(MODEL_RUNS):
        page = opened("models", model="gpt2", model_text=PROMPT)
        page.button(key="model_stop").click().run()
    stopped = page.session_state.model_work
    leaves(time)
    page.run()
    assert page.session_state.model_work is stopped
    assert "Stopped." in said(page)


def test_a_run_that_is_left_in_its_middle_is_given_up(time: Passing, gpt2: Offer) -> None:
    with held_up(MODEL_RUNS):
        one = ModelWork(gpt2, PROMPT)
        leaves(time)
    assert one.work.over
    assert one.is_released
    assert not one.look_at()


def test_all_runs_have_a_limit(time: Passing, gpt2: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "SMALL", 0)
    first = ended(ModelWork(gpt2, PROMPT))
    each = time.runs.byte_count
    rows, weights = 2 * 6 * 15 * 4, 2 * 3 * 6 * 6 * 4
    assert each == rows + weights + 31 * 4, "and a probability for each token"
    time.runs._most_bytes = 2 * each
    second = ended(ModelWork(gpt2, PROMPT))
    third = ended(ModelWork(gpt2, PROMPT))
    assert second.shown is not None
    assert third.error is not None
    assert "the runs of all visitors take" in str(third.error)
    first.release()
    assert ended(ModelWork(gpt2, PROMPT)).shown is not None
    with pytest.raises(InputError, match="limit"):
        time.runs.check_room(each)


def test_what_two_visitors_share_is_counted_once(time: Passing, gpt2: Offer) -> None:
    first = ended(ModelWork(gpt2, PROMPT))
    once = time.runs.byte_count
    second = ended(ModelWork(gpt2, PROMPT))
    assert second.shown is first.shown
    assert time.runs.byte_count == once


@pytest.mark.usefixtures("models", "time")
def test_another_prompt_or_change_leaves_nothing_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """No collector is needed for it."""
    monkeypatch.setattr(work, "SMALL", 0)
    page = visited(model="gpt2", model_text=PROMPT, model_scale="off")
    after = ref(page.session_state.model_work.after)
    gc.disable()
    try:
        page.segmented_control(key="model_scale").set_value("on").run()
        ran(page)
        assert after() is None
        before = ref(page.session_state.model_work.before)
        ran(page.text_input(key="model_text").input("the dog ran").run())
        assert before() is None
    finally:
        gc.enable()


def test_a_run_under_way_is_counted(time: Passing, gpt2: Offer) -> None:
    seen: list[int] = []
    one = ModelWork(gpt2, PROMPT)
    parts = one.work.parts

    def counted() -> Iterator[float]:
        for part in parts:
            if one.done and one.shown is None:
                seen.append(time.runs.byte_count)
            yield part

    one.work.parts = counted()
    ended(one)
    assert seen
    assert set(seen) == {2 * 6 * 15 * 4 + 2 * 3 * 6 * 6 * 4}
