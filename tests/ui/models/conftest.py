"""Tiny models that visitors run: each has a tokeniser, and is offered as a folder."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from core.models.checkpoints.opening import open_checkpoint
from core.models.offers import Offer
from tests.core.models.tiny_models import made_checkpoint, made_tokeniser
from ui.models.holder import HOLDER
from ui.models.work import MODEL_RUNS, ModelWork

PATIENCE = 60


def tiny_offer(folder: Path, kind: str) -> Offer:
    """A tiny model of a kind, written to a folder of its own."""
    place = folder / kind
    place.mkdir()
    made_checkpoint(kind, place)
    made_tokeniser(place)
    return Offer(kind, f"tiny {kind}", "model", lambda: open_checkpoint(place))


@pytest.fixture
def gpt2(tmp_path: Path) -> Offer:
    return tiny_offer(tmp_path, "gpt2")


@pytest.fixture
def llama(tmp_path: Path) -> Offer:
    return tiny_offer(tmp_path, "llama")


@pytest.fixture(autouse=True)
def nothing_held() -> Iterator[None]:
    yield
    HOLDER.drop()


@pytest.fixture
def busy() -> Iterator[Event]:
    """Until this is set, nobody's run goes on."""
    free = Event()

    def parts() -> Iterator[float]:
        free.wait(PATIENCE)
        yield from ()

    MODEL_RUNS.enter(parts())
    yield free
    free.set()


def ended(one: ModelWork) -> ModelWork:
    """The run once it is over; somebody looks at it until then."""
    changed = one.work.queue._changed
    for _ in range(10 * PATIENCE):
        one.work.watch()
        with changed:
            if changed.wait_for(lambda: one.work.over, 0.1):
                return one
    raise AssertionError("it did not end")
