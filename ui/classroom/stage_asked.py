"""*Ask the class* under a stage: the covered cell where a person looks, of the run on show."""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from core.program.labels import told_cell
from ui.classroom.asked import asked_question, covered_arrays, covered_cell
from ui.classroom.class_button import ask_class, asks
from ui.classroom.covered import can_be_asked, cell_question
from ui.lessons.course import current_scene
from ui.links import Keys, to_query
from ui.page_texts import plain_ui_texts
from ui.path import address_of, page_named
from ui.session import in_view
from ui.stage_position import View

TEXTS = plain_ui_texts("asked")
LinkOfView = Callable[[View], str]
"""Returns the link that shows a view, its cover too."""


def ask_covered(view: View, keys: Keys, prefix: str, link: LinkOfView | None = None) -> None:
    """Draw the button for what is covered on a stage, if it can be asked.

    `keys` are those of the page's link, and the stage's begin with `prefix`. `link` makes the link
    where these do not. What the scene of a lesson asks by itself has its button there.
    """
    cover = st.session_state.get(f"{prefix}cover", "")
    if not cover or _is_asked_by_scene(f"{prefix}cover"):
        return
    trace, page = view.trace, st.session_state.page
    array, cell = covered_cell(trace, cover, view.array, (view.name, view.cell), view.slices)
    if not can_be_asked(trace, array, cell):
        return
    hidden = covered_arrays(trace, cover, view.array)
    title = TEXTS("of_page", page=page_named(page).title, title=told_cell(trace, array, cell))
    ask_class(
        link(view) if link else _link(page, view, keys, prefix),
        f"{prefix}cover",
        lambda: replace(cell_question(trace, array, cell, hidden), title=title),
    )


def _link(page: str, view: View, keys: Keys, prefix: str) -> str:
    place = {f"{prefix}step": view.array, f"{prefix}cell": view.selected}
    return f"{address_of(page)}?{urlencode(to_query(keys, in_view(keys)) | place)}"


def _is_asked_by_scene(cover: str) -> bool:
    """Whether the scene that is on asks this cover itself."""
    now = current_scene()
    if now is None or cover not in st.session_state.get("scene_params", {}):
        return False
    return asks(now.asked) and not asked_question(now.asked).is_free
