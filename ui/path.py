"""The pages: those of the path, and those that are no part of it."""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from core.path import PATH
from ui.page_texts import plain_ui_texts

_FOLDER = Path(__file__).parents[1] / "pages"
TEXTS = plain_ui_texts("path")
HOME = "walkthrough"
"""The page at `/`."""


BESIDE = {name: TEXTS(name) for name in ("lessons", "practice", "models")}
"""Pages that are no part of the path, by their name: what they are called."""


def pages() -> list[StreamlitPage]:
    """Every page."""
    return [page_named(name) for name in (*BESIDE, *PATH)]


def page_named(name: str) -> StreamlitPage:
    """A page, on the path or beside it."""
    title = PATH[name].title if name in PATH else BESIDE[name]
    return st.Page(
        script_of(name), title=title, url_path=name.replace("_", "-"), default=name == HOME
    )


def page_name(page: StreamlitPage) -> str:
    """The name of a page."""
    return page.url_path.replace("-", "_") or HOME


def script_of(name: str) -> Path:
    """The file of a page."""
    return _FOLDER / f"{name}.py"


def address_of(name: str) -> str:
    """Where a page is, from any other page of the app."""
    return "./" if name == HOME else name.replace("_", "-")


def chapter_number(name: str) -> int:
    """The number of a page, counted from 1."""
    return list(PATH).index(name) + 1
