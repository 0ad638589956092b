"""A visitor's training: its place, its process, and how it ends."""

import os
import signal
from collections.abc import Callable, Iterator
from threading import Event
from time import monotonic

import numpy as np
import pytest

from core.models.trained.tasks import AGREEMENT, LETTERS, REPEATS
from core.models.trained.training_file import TrainingRun, steps_kept
from core.pytorch.training import TrainingSettings
from tests.ui.queued import PATIENCE
from ui.chapters.trained_here import own_training
from ui.chapters.trained_here.own_training import DONE, KILLED, LEFT, STOPPED, OwnTraining
from ui.server.queue import Queue

SHORT = TrainingSettings(steps=50, d_model=16, seed=3)
LONG = TrainingSettings(steps=1_500, d_model=64, heads=4)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(own_training, "_FINISHED", type(own_training._FINISHED)())
    monkeypatch.setattr(own_training, "TRAININGS", Queue())
    yield
    if (left := OwnTraining._under_way) is not None:
        left.stop()
        until(lambda: left.ended, left)


def until(holds: Callable[[], object], *watched: OwnTraining) -> None:
    """Look at trainings until something holds."""
    began = monotonic()
    while not holds():
        assert monotonic() - began < 2 * PATIENCE, "it takes too long"
        for one in watched:
            if one.work is not None:
                one.work.watch()
        Event().wait(0.02)


def test_it_is_the_training_that_its_settings_say_and_is_kept_for_others() -> None:
    one = OwnTraining(AGREEMENT, "", SHORT)
    until(lambda: one.ended, one)
    assert one.ended == DONE
    run = TrainingRun(one.task, SHORT, steps_kept(SHORT.steps))
    while not run.is_over:
        run.advance()
    np.testing.assert_allclose(one.losses, run.losses, atol=1e-6)
    assert one.model is not None
    assert list(one.model.weights) == [*steps_kept(SHORT.steps)]
    again = OwnTraining(AGREEMENT, "", SHORT)
    assert (again.ended, again.work) == (DONE, None)
    np.testing.assert_allclose(again.losses, one.losses, atol=1e-6)


def test_others_wait_with_a_place_and_stop_answers_within_a_second() -> None:
    first, second, third = (OwnTraining(LETTERS, "", LONG) for _ in range(3))
    until(lambda: len(first.losses) > 3, first, second, third)
    assert [one.work and one.work.place for one in (first, second, third)] == [0, 1, 2]
    second.stop()
    assert second.ended == STOPPED
    assert third.work is not None
    assert third.work.place == 1
    first.stop()
    until(lambda: first.ended, first, third)
    assert first.ended == STOPPED
    assert first.model is not None
    assert max(first.model.weights) == len(first.losses) - 1
    assert first.seconds_left is not None
    until(lambda: third.is_loading, third)
    third.stop()
    until(lambda: third.ended, third)
    assert (third.ended, third.model) == (STOPPED, None)


def test_a_process_that_is_killed_is_said_and_the_next_goes_on() -> None:
    first, second = OwnTraining(LETTERS, "", LONG), OwnTraining(REPEATS, "", SHORT)
    until(lambda: len(first.losses) > 3, first, second)
    process = first._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: first.ended, first, second)
    assert first.ended == KILLED
    assert first.model is not None
    until(lambda: second.ended, second)
    assert second.ended == DONE
    assert len(second.losses) == SHORT.steps + 1
    assert OwnTraining._under_way is None


def test_who_leaves_has_no_place_and_goes_on_if_nobody_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = OwnTraining(LETTERS, "", LONG)
    until(lambda: len(first.losses) > 3, first)
    assert first.work is not None
    first.work.leave()
    Event().wait(1)
    had = len(first.losses)
    Event().wait(0.5)
    assert len(first.losses) == had  # it waits
    until(lambda: len(first.losses) > had, first)
    first.work.leave()
    second = OwnTraining(REPEATS, "", SHORT)
    until(lambda: second.ended, second)
    assert (first.ended, second.ended) == (LEFT, DONE)
    assert first.model is not None
    assert max(first.model.weights) == len(first.losses) - 1
