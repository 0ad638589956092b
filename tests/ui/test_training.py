"""What is learned beside the page: it goes on by itself, can be stopped, and is the same again."""

from threading import BoundedSemaphore

import numpy as np
import pytest

from core.pytorch.word2vec import CBOW, train
from tests.ui.support import opened
from ui import training
from ui.training import Training

ASKED = (CBOW, 2, 3)


def ended(one: Training) -> Training:
    one._thread.join()
    assert not one.running
    return one


def test_it_ends_after_its_steps_with_what_the_training_gives() -> None:
    one = ended(Training(*ASKED, 20))
    *_, last = train(*ASKED, 20)
    assert one.now.step == 20
    np.testing.assert_array_equal(one.now.vectors, last.vectors)


def test_it_stops_where_it_is() -> None:
    one = Training(*ASKED, 3_000, pace=0.001)
    one.stop()
    ended(one)
    assert one.now.step < 3_000


def test_one_that_waits_for_its_turn_shows_where_it_begins_and_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slots = BoundedSemaphore(1)
    monkeypatch.setattr(training, "_slots", slots)
    monkeypatch.setattr(training, "PATIENCE", 0.0)
    with slots:
        one = Training(*ASKED, 5)
        assert one.running
        assert one.now.step == 0
        one.stop()
    assert ended(one).now.step == 0


def test_the_page_keeps_where_it_was_stopped_and_other_settings_begin_anew() -> None:
    page = opened("words")
    assert "words_steps" not in page.query_params
    page.button(key="words_train").click().run()
    one = page.session_state.words_training
    page.button(key="words_stop").click().run() if one.running else page.run()
    ended(one)
    page.run()
    assert not page.exception
    if one.now.step:
        assert page.query_params["words_steps"] == str(one.now.step)
    page.selectbox(key="words_kind").set_value("skip-gram").run()
    assert page.session_state.words_steps == 0
    assert "words_steps" not in page.query_params


def test_a_link_learns_again_to_where_it_was() -> None:
    page = opened("words", words_steps="7", words_seed="3")
    one = ended(page.session_state.words_training)
    *_, last = train(*ASKED, 7)
    np.testing.assert_array_equal(one.now.vectors, last.vectors)
