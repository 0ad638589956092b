"""The pages: those of the path, those that are no part of it, and those that no menu lists."""

from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from core.path import PATH
from ui.links.links import Keys
from ui.page_texts import plain_ui_texts

_FOLDER = Path(__file__).parents[2] / "pages"
TEXTS = plain_ui_texts("path")
HOME = "walkthrough"
"""The page at `/`."""
BESIDE = {name: TEXTS(name) for name in ("lessons", "practice", "models")}
"""Pages that are no part of the path, by their name: what they are called."""
UNLISTED = {name: TEXTS(name) for name in ("join", "room")}
"""Pages that no menu lists, by their name: what they are called."""
PAGE_NAMES = (*PATH, *BESIDE, *UNLISTED)
"""Every page, by its name."""
_TITLES = BESIDE | UNLISTED | {name: chapter.title for name, chapter in PATH.items()}


def pages() -> list[StreamlitPage]:
    """Every page."""
    return list(map(page_named, PAGE_NAMES))


def page_named(name: str) -> StreamlitPage:
    """A page, listed or not."""
    url, file = name.replace("_", "-"), _FOLDER / f"{name}.py"
    return st.Page(file, title=_TITLES[name], url_path=url, default=name == HOME)


def page_name(page: StreamlitPage) -> str:
    """The name of a page."""
    return page.url_path.replace("-", "_") or HOME


def script_of(name: str) -> Path:
    """The file of a page."""
    return _FOLDER / f"{name}.py"


def keys_of(name: str) -> Keys:
    """The keys of a page's link. A page that is imported, and not run, draws nothing."""
    keys: Keys = import_module(f"pages.{name}").KEYS
    return keys


def address_of(name: str) -> str:
    """Where a page is, from any other page of the app."""
    return "./" if name == HOME else name.replace("_", "-")


def chapter_number(name: str) -> int:
    """The number of a page, counted from 1."""
    return list(PATH).index(name) + 1
