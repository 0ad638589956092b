"""What is learned beside the page: it goes on by itself, can be stopped, and is the same again."""

import threading
from collections.abc import Callable, Iterator
from threading import Event

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.pytorch.word2vec import CBOW, STEPS, train
from tests.ui.queued import PATIENCE, held_up, watch_until
from tests.ui.support import opened, refused
from ui.chapters.words import learned_words as training
from ui.chapters.words.learned_words import Training
from ui.server.queue import Queue

ASKED = (CBOW, 2, 3)


@pytest.fixture(autouse=True)
def learning(monkeypatch: pytest.MonkeyPatch) -> Queue:
    """A queue of the test's own: what other tests have left to learn is in none of its places."""
    monkeypatch.setattr(training, "LEARNING", Queue())
    return training.LEARNING


@pytest.fixture
def busy(learning: Queue) -> Iterator[Event]:
    """Until this is set, nobody's training makes a step."""
    with held_up(learning) as free:
        yield free


def watched(one: Training, until: Callable[[], object] | None = None) -> Training:
    """The training, watched until that is so, or to its end."""
    watch_until(one.work, until or (lambda: one.work.over))
    return one


def test_it_ends_after_its_steps_with_what_the_training_gives_or_where_it_is_stopped() -> None:
    one, other = Training(*ASKED, 20), Training(*ASKED, 3_000, pace=0.001)
    watched(one)
    *_, last = train(*ASKED, 20)
    assert one.now.step == 20
    np.testing.assert_array_equal(one.now.vectors, last.vectors)
    other.work.stop()
    step = watched(other).now.step
    assert step < 3_000
    assert other.now.step == step


def test_trainings_share_one_thread_and_one_that_pauses_lets_the_others_go_on() -> None:
    before = set(threading.enumerate())
    slow = Training(*ASKED, STEPS, pace=3_600)
    others = [Training(*ASKED, 5) for _ in range(20)]
    assert sum(one.name == "queue" for one in set(threading.enumerate()) - before) <= 1
    for other in others:
        assert watched(other).now.step == 5
    assert slow.running
    slow.work.stop()


@pytest.mark.parametrize("setting", ["kind", "window", "seed"])
def test_the_page_keeps_where_it_was_stopped_and_other_settings_begin_anew(setting: str) -> None:
    page = begun()
    one = page.session_state.words_training
    watched(one, until=lambda: one.now.step)
    page.button(key="words_stop").click().run()
    assert not one.running
    assert not page.exception
    assert page.query_params["words_steps"] == str(one.now.step)
    if setting == "kind":
        page.selectbox(key="words_kind").set_value("skip-gram").run()
    else:
        page.number_input(key=f"words_{setting}").increment().run()
    assert page.session_state.words_steps == 0
    assert "words_steps" not in page.query_params


def test_a_link_learns_again_to_where_it_was() -> None:
    page = opened("words", words_steps="7", words_seed="3")
    one = watched(page.session_state.words_training)
    *_, last = train(*ASKED, 7)
    np.testing.assert_array_equal(one.now.vectors, last.vectors)


def progress(page: AppTest) -> str:
    (shown,) = page.get("progress")
    return str(shown.proto.text)


def begun(**link: str) -> AppTest:
    """The page of words, where somebody learns."""
    return opened("words", **link).button(key="words_train").click().run()


def test_who_waits_is_told_the_place_and_moves_up_as_others_stop_or_leave(busy: Event) -> None:
    first, second, third = (begun() for _ in range(3))
    assert progress(third).startswith("You are number 3 in the queue.")
    first.button(key="words_stop").click().run()
    assert progress(third.run()).startswith("You are number 2 in the queue.")
    second.session_state.words_training.work.leave()
    assert progress(third.run()).startswith("You are number 1 in the queue.")
    assert progress(second.run()).startswith("You are number 2 in the queue.")
    busy.set()
    for page in (second, third):
        page.button(key="words_stop").click().run()


def test_leaving_the_page_for_another_gives_the_place_up(busy: Event) -> None:
    def two_pages() -> None:
        import streamlit as st

        from ui.chapters.words.learned_words import LEARNING
        from ui.page.frame import frame
        from ui.server.watching import watch_work

        if "work" not in st.session_state:
            st.session_state.work = LEARNING.enter(iter([0.0]))
        here = st.session_state.get("here", "words")
        frame(here, "A question?", "Why.")
        if here == "words":
            watch_work("beat", st.session_state.work, 400)

    left, other = (AppTest.from_function(two_pages, default_timeout=PATIENCE) for _ in range(2))
    left.run()
    other.run()
    assert other.session_state.work.place == 2
    left.run()
    assert other.session_state.work.place == 2, "the same page, drawn again, keeps its place"
    left.session_state.here = "cost"
    left.run()
    assert not left.exception
    assert other.session_state.work.place == 1


def test_a_training_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*asked: object) -> Iterator[None]:
        raise MemoryError

    monkeypatch.setattr(training, "train", fails)
    page = begun()
    watched(page.session_state.words_training)
    assert refused(page.run()) == ["The training failed on the server. Try again later."]
