"""A picture of one search: who asks, which titles are found, and what comes back."""

from dataclasses import asdict
from pathlib import Path

import streamlit as st

from core.chapters.queries_keys_values.lookup import Search
from stage.assets import module, sheet

_FOLDER = Path(__file__).parent
_library = st.components.v2.component(
    "soft_library", css=sheet(_FOLDER / "library.css"), js=module(_FOLDER / "library.js")
)


def draw_library(key: str, search: Search) -> None:
    """Draw a search from the question down to the answer."""
    _library(key=f"{key}_picture", data=[asdict(search)])
