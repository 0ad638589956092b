"""What visitors of this server may open, and what is missing here for opening it.

The operator says it with variables of the environment, described in docs/deploy.md. A visitor
chooses from a list, so that no path of the server can be asked for. A published model is fetched
while its visitor watches: in a thread, not in the queue's. The queue's part only looks how far the
fetch is and pauses, so everybody else's runs go on.
"""

import logging
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore, Event, Thread
from types import MappingProxyType

import streamlit as st

from core.errors import input_error
from core.models.checkpoints.config import printable
from core.models.checkpoints.opening import MODEL_PACKAGES, Checkpoint, open_folder
from core.models.checkpoints.published import FetchStoppedError, fetch_published
from core.models.offers import Offer, offers_in
from ui.page_texts import plain_ui_texts, ui_texts
from ui.text import Markdown

TEXTS, PLAIN = ui_texts("offered_models"), plain_ui_texts("offered_models")

FOLDERS, HUB = "ATTENTION_MODELS", "ATTENTION_HUB"
"""Variables: folders to offer, as PATH has them; "1" if visitors may name models of the hub."""
_log = logging.getLogger(__name__)
FRESH = 5.0
"""Seconds after which folders are looked at again."""
READERS = ("tokenizers", "gguf")
COMMAND = "make models"
"""What installs all that `needs` names."""
PAUSE = 0.2
"""Seconds from one look at a fetch to the next."""
MOST_FETCHES = 2
"""Fetches at a time; further ones wait."""
_places = BoundedSemaphore(MOST_FETCHES)
Progress = tuple[int, int]
"""The bytes that are there, and those of all files; 0 of them until they are known."""
Fetch = Callable[[Callable[[int, int], None]], Path]


def offers() -> Mapping[str, Offer]:
    """Return what a visitor may open, by its name in links: packages first, then folders."""
    return _offers(os.environ.get(FOLDERS, ""))


def missing_folders() -> list[str]:
    """Return the names of what the operator offers and cannot be read, and log the whole ways."""
    named = os.environ.get(FOLDERS, "").split(os.pathsep)
    lost = [folder for folder in named if folder and not _can_be_read(folder)]
    for folder in lost:
        _log_missing(folder)
    return [printable(Path(folder).name) for folder in lost]


def _can_be_read(path: str) -> bool:
    """Whether a file or a folder is there, and the server may look into it."""
    mode = os.R_OK | os.X_OK if os.path.isdir(path) else os.R_OK
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


@cache
def _log_missing(folder: str) -> None:
    """Once for each folder: the page is drawn often."""
    _log.warning("%s", PLAIN("no_folder_there", setting=FOLDERS, folder=repr(folder)))


def folder_names() -> list[str]:
    """Return the names of the folders that the operator offers, without the way to them."""
    named = os.environ.get(FOLDERS, "").split(os.pathsep)
    there = [os.path.realpath(folder) for folder in named if folder and os.path.exists(folder)]
    return [printable(Path(folder).name) for folder in there]


@st.cache_resource(ttl=FRESH, max_entries=1, show_spinner=False)
def _offers(folders: str) -> Mapping[str, Offer]:
    packages = [
        Offer(one.package, one.name, "model", partial(one.open))
        for one in MODEL_PACKAGES.values()
        if one.is_installed
    ]
    named = [Path(folder) for folder in folders.split(os.pathsep) if folder]
    found = offers_in(named, [package.name for package in packages])
    return MappingProxyType({offer.name: offer for offer in (*packages, *found)})


def hub_allowed() -> bool:
    """Return whether visitors may have models fetched by their names on the hub."""
    return os.environ.get(HUB) == "1"


def published(name: str) -> Offer:
    """Return the offer of a published model, which is fetched by its name before it is opened.

    Fetching it can take minutes. Raises `InputError` then if that is not allowed here, for a wrong
    name, and without a network.
    """
    model = _Published(name)
    return Offer(name, name, "model", model.open, model.fetch)


class _Published:
    """A model of the hub, and its folder once it is fetched."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder: Path | None = None

    def fetch(self) -> Iterator[Progress]:
        if not hub_allowed():
            raise input_error(PLAIN, "no_hub_here")
        self._folder = yield from watch_fetch(partial(fetch_published, self._name.strip()))

    def open(self) -> Checkpoint:
        assert self._folder is not None  # it is fetched before
        return open_folder(self._folder)


def missing() -> tuple[str, ...]:
    """Return the names of the packages that are missing: what reads models, and the two models."""
    readers = [name for name in READERS if find_spec(name) is None]
    models = [name for name, package in MODEL_PACKAGES.items() if not package.is_installed]
    return (*readers, *models)


def needs() -> Markdown | None:
    """Return in a sentence what is missing and how it is installed; None if nothing is."""
    names = missing()
    return TEXTS("needs", names=", ".join(names), command=COMMAND) if names else None


def watch_fetch(fetch: Fetch) -> Generator[Progress, None, Path]:
    """Fetch a model, give how far that is, and return its folder.

    Each part is short. If the generator is closed, the fetch stops. Raises what `fetch` raises.
    """
    while not _places.acquire(blocking=False):
        yield 0, 0
    running = _FetchThread(fetch)
    try:
        running.start()
        while running.is_alive():
            yield running.progress
    finally:
        running.stopped.set()
    if running.error is not None:
        raise running.error
    assert running.folder is not None
    return running.folder


class _FetchThread(Thread):
    def __init__(self, fetch: Fetch) -> None:
        super().__init__(name="fetch", daemon=True)
        self.fetch = fetch
        self.stopped = Event()
        self.progress: Progress = (0, 0)
        self.folder: Path | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.folder = self.fetch(self._report)
        except FetchStoppedError:
            pass
        except Exception as error:  # for the queue's thread to raise
            self.error = error
        finally:
            _places.release()

    def _report(self, done: int, total: int) -> None:
        if self.stopped.is_set():
            raise FetchStoppedError
        self.progress = max(done, self.progress[0]), total
