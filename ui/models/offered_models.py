"""What visitors of this server may open, and what is missing here for opening it.

The operator says it with variables of the environment, described in docs/deploy.md. A visitor
chooses from a list, so that no path of the server can be asked for.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import streamlit as st

from core.errors import input_error
from core.models.checkpoints.checkpoint import Checkpoint, open_folder
from core.models.checkpoints.config import printable
from core.models.checkpoints.model_packages import MODEL_PACKAGES, ModelPackage
from core.models.checkpoints.published import fetch_published
from core.models.offers import Offer, offers_in
from ui.models.fetching import Progress, watch_fetch
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
    packages = [_packaged(one) for one in MODEL_PACKAGES.values() if one.is_installed]
    named = [Path(folder) for folder in folders.split(os.pathsep) if folder]
    found = offers_in(named, [package.name for package in packages])
    return MappingProxyType({offer.name: offer for offer in (*packages, *found)})


def _packaged(package: ModelPackage) -> Offer:
    return Offer(package.package, package.name, "model", partial(package.open))


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
