"""*Ask the class* under a stage: the covered cell where a person looks, of the run on show."""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from ui.classroom.questions.asked import asked_question, title_of_cell
from ui.classroom.questions.class_button import ASK_NUMBER, ASK_QUESTION, ask_class, asks
from ui.classroom.questions.covered import cell_question
from ui.classroom.questions.covered_place import CoveredCell, covered_arrays, covered_cell
from ui.lessons.course import current_scene
from ui.links.links import Keys, to_query
from ui.links.path import address_of
from ui.links.session import in_view
from ui.links.stage_position import View

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
    covered = CoveredCell(trace, array, cell, covered_arrays(trace, cover, view.array))
    if not covered.can_be_asked:
        return
    title = title_of_cell(page, covered)
    ask_class(
        link(view) if link else _link(page, view, keys, prefix),
        f"{prefix}cover",
        ASK_QUESTION if trace[array].dtype == bool else ASK_NUMBER,
        lambda: replace(cell_question(trace, array, cell, covered.hidden), title=title),
    )


def _link(page: str, view: View, keys: Keys, prefix: str) -> str:
    place = {f"{prefix}step": view.array, f"{prefix}cell": view.selected}
    # A link is about the stage of its first key.
    return f"{address_of(page)}?{urlencode(place | to_query(keys, in_view(keys)) | place)}"


def _is_asked_by_scene(cover: str) -> bool:
    """Whether the scene that is on asks this cover itself."""
    now = current_scene()
    if now is None or cover not in st.session_state.get("scene_params", {}):
        return False
    return asks(now.asked) and not asked_question(now.asked).is_free
