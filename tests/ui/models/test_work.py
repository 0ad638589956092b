"""Runs of visitors' models: in a queue, layer by layer, each with its own numbers."""

from collections.abc import Callable, Iterator
from threading import Event

import numpy as np
import pytest

from core.models import memory
from core.models.checkpoints.opening import Checkpoint
from core.models.offers import Offer
from core.models.transformer.changes import ModelChanges
from core.models.transformer.model import TransformerModel
from tests.ui.models.conftest import IDS, PROMPT, ended
from tests.ui.queued import held_up
from ui.models import work as work_module
from ui.models.in_memory import HOLDER
from ui.models.work import MODEL_RUNS, ModelWork

OFF = ModelChanges(heads_off=frozenset({(0, 0)}))


def weights_of(offer: Offer, changes: ModelChanges = ModelChanges()) -> np.ndarray:  # noqa: B008
    opened = offer.open()
    assert isinstance(opened, Checkpoint)
    return np.stack([one.weights for one in TransformerModel(opened).run(IDS, changes)])


def test_visitors_of_two_models_at_a_time_get_their_own_numbers(gpt2: Offer, llama: Offer) -> None:
    works = [ModelWork(offer, PROMPT) for offer in (gpt2, llama, gpt2, llama)]
    for work in works:
        shown = ended(work).shown
        assert shown is not None
        assert shown.tokens == tuple(PROMPT.split())
        np.testing.assert_array_equal(shown.weights, weights_of(work.offer))
        assert work.checkpoint is not None
        again = shown.layer(HOLDER.reader(work.checkpoint), 1)
        np.testing.assert_array_equal(again.weights, shown.weights[1])


def test_a_change_is_run_next_to_the_run_without_it(gpt2: Offer) -> None:
    plain = ended(ModelWork(gpt2, PROMPT))
    changed = ended(ModelWork(gpt2, PROMPT, OFF, plain))
    assert changed.before is plain.before
    assert changed.after is changed.shown
    assert changed.after is not None
    np.testing.assert_array_equal(changed.after.weights, weights_of(gpt2, OFF))
    at_once = ended(ModelWork(gpt2, PROMPT, OFF))
    assert at_once.before is not None
    np.testing.assert_array_equal(at_once.before.weights, weights_of(gpt2))


def test_a_change_that_is_stopped_before_its_turn_shows_the_run_before(gpt2: Offer) -> None:
    plain = ended(ModelWork(gpt2, PROMPT))
    with held_up(MODEL_RUNS):
        changed = ModelWork(gpt2, PROMPT, OFF, plain)
        changed.work.stop()
    assert (changed.shown, changed.checkpoint) == (plain.before, plain.checkpoint)


def test_what_a_model_does_not_have_is_left_out_of_the_changes(gpt2: Offer) -> None:
    more = ModelChanges(heads_off=OFF.heads_off | {(2, 0), (0, 3)})
    assert ended(ModelWork(gpt2, PROMPT, more)).changes == OFF


def test_it_is_stopped_between_two_layers(gpt2: Offer) -> None:
    at_layer, stopped = Event(), Event()
    work = ModelWork(gpt2, PROMPT)

    def slowed(parts: Iterator[float]) -> Iterator[float]:
        for part in parts:
            if work.done:
                at_layer.set()
                stopped.wait(60)
            yield part

    work.work.parts, work.work.halt = slowed(work.work.parts), stopped.set
    work.work.watch()
    assert at_layer.wait(60)
    work.work.stop()
    assert work.done == 0.5
    assert work.shown is None


def test_a_run_left_in_its_middle_goes_on_with_its_own_numbers(gpt2: Offer, llama: Offer) -> None:
    """Meanwhile another model has taken the place of its own in memory."""
    work, waits = ModelWork(gpt2, PROMPT), Event()

    def left_at_a_layer(parts: Iterator[float]) -> Iterator[float]:
        for part in parts:
            if work.done and not waits.is_set():
                waits.set()
                work.work.leave()
            yield part

    work.work.parts = left_at_a_layer(work.work.parts)
    work.work.watch()
    assert waits.wait(60)
    assert ended(ModelWork(llama, PROMPT)).shown is not None
    assert HOLDER.held == "llama"
    shown = ended(work).shown
    assert shown is not None
    np.testing.assert_array_equal(shown.weights, weights_of(gpt2))
    assert HOLDER.held == "gpt2"


def test_a_model_that_has_no_room_is_refused(gpt2: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000)
    work = ended(ModelWork(gpt2, PROMPT))
    error = work.error
    assert error
    assert not work.work.failed
    assert (error.value, error.limit[:16]) == ("gpt2 needs 0.0 GB of memory", "0.0 GB are free,")


def fails(error: type[Exception]) -> Callable[[], Checkpoint]:
    def opens() -> Checkpoint:
        raise error

    return opens


def test_no_memory_is_said_and_another_error_is_no_silence(gpt2: Offer) -> None:
    no_memory = ended(ModelWork(Offer("a", "Large", "model", fails(MemoryError)), PROMPT))
    assert no_memory.error is not None
    assert "Large does not fit" in no_memory.error.value
    broken = ended(ModelWork(Offer("b", "Broken", "model", fails(ZeroDivisionError)), PROMPT))
    assert broken.work.failed
    assert ended(ModelWork(gpt2, PROMPT)).shown is not None, "the queue goes on"


def test_who_asks_for_the_same_small_run_gets_the_one_that_was_computed(gpt2: Offer) -> None:
    first = ended(ModelWork(gpt2, PROMPT))
    second = ended(ModelWork(gpt2, PROMPT))
    assert second.shown is first.shown
    other = ended(ModelWork(gpt2, PROMPT, OFF))
    assert other.before is first.shown
    assert other.after is not first.shown
    assert ended(ModelWork(gpt2, "the dog")).shown is not first.shown


def test_a_large_run_is_not_kept(gpt2: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_module, "SMALL", 100)
    first, second = (ended(ModelWork(gpt2, PROMPT)) for _ in range(2))
    assert second.shown is not first.shown
