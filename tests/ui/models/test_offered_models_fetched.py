"""A model that is fetched: its bytes are said, it can be stopped, and nobody waits for it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from core.errors import InputError
from core.models.checkpoints.published import FetchStoppedError
from core.models.offers import Offer
from tests.quotes import proves
from tests.ui.models.conftest import PROMPT, ended, said
from tests.ui.queued import PATIENCE, watch_until
from tests.ui.support import opened
from ui.models import offered_models
from ui.models.offered_models import published
from ui.models.work import ModelWork

NAME = "openai-community/gpt2"


class SlowHub:
    """Has 3 MB of 12 MB, and the others once it is allowed to go on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.begun, self.goes_on, self.stopped = Event(), Event(), Event()

    def fetch(self, name: str, on_bytes: Callable[[int, int], None]) -> Path:
        try:
            on_bytes(3_000_000, 12_000_000)
            self.begun.set()
            while not self.goes_on.wait(0.01):
                on_bytes(3_000_000, 12_000_000)
            on_bytes(12_000_000, 12_000_000)
        except FetchStoppedError:
            self.stopped.set()
            raise
        return self.folder


@pytest.fixture
def hub(gpt2: Offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowHub]:
    slow = SlowHub(tmp_path / "gpt2")
    monkeypatch.setenv(offered_models.HUB, "1")
    monkeypatch.setattr(offered_models, "fetch_published", slow.fetch)
    yield slow
    slow.goes_on.set()


def fetched_in_part(work: ModelWork) -> ModelWork:
    watch_until(work.work, lambda: work.fetched == (3_000_000, 12_000_000))
    return work


def test_another_model_runs_while_one_is_fetched(hub: SlowHub, llama: Offer) -> None:
    slow = fetched_in_part(ModelWork(published(NAME), PROMPT))
    assert ended(ModelWork(llama, PROMPT)).shown is not None
    assert slow.shown is None
    hub.goes_on.set()
    assert ended(slow).shown is not None
    assert slow.fetched == (0, 0)


def test_a_fetch_stops_at_once_and_for_good(hub: SlowHub) -> None:
    work = fetched_in_part(ModelWork(published(NAME), PROMPT))
    work.work.stop()
    assert not work.work.busy
    assert hub.stopped.wait(PATIENCE)
    assert work.error is None
    assert not work.work.failed


def test_a_model_that_is_in_memory_is_not_fetched_again(hub: SlowHub) -> None:
    hub.goes_on.set()
    offer = published(NAME)
    ended(ModelWork(offer, PROMPT))
    hub.begun.clear()
    assert ended(ModelWork(offer, "the dog")).shown is not None
    assert not hub.begun.is_set()


@proves("Fetching the model: {done} of {all} MB")
def test_the_page_says_how_many_bytes_there_are(
    hub: SlowHub, offered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered(None)
    monkeypatch.setenv(offered_models.HUB, "1")
    page = opened("models", model=NAME, model_text=PROMPT)
    fetched_in_part(page.session_state.model_work)
    page.run()
    assert [one.proto.text for one in page.get("progress")] == ["Fetching the model: 3 of 12 MB"]
    assert [one.proto.value for one in page.get("progress")] == [25]
    page.button(key="model_stop").click().run()
    assert "Stopped." in said(page)
    assert hub.stopped.wait(PATIENCE)


def test_few_are_fetched_at_a_time(hub: SlowHub) -> None:
    works = [
        fetched_in_part(ModelWork(published(NAME), PROMPT)) for _ in range(offered_models.AT_ONCE)
    ]
    third = ModelWork(published(NAME), PROMPT)
    watch_until(third.work, lambda: third.work.begun and not third.work.busy)
    assert third.fetched == (0, 0)
    works[0].work.stop()
    fetched_in_part(third)


def test_what_is_wrong_is_raised_where_it_is_watched() -> None:
    def fails(on_bytes: object) -> Path:
        raise InputError("a", "b", "c")

    with pytest.raises(InputError, match="a"):
        list(offered_models.watch_fetch(fails))
