"""What a link may ask of any page: the projector's view, and the view of a student."""

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator_singletons import get_last_dg_added_to_context_stack

from core.texts import core_texts
from ui.components.component import component
from ui.links.links import EVERY_PAGE, STUDENT, Keys, stage_named, values_of_link

_component = component(
    Path(__file__).with_name("presenting.js"), "projecting", texts=core_texts("stage")
)

PROJECTED, OPENED_WITH = "projected_stage", "opened_with"


def presenting() -> bool:
    """Whether the link asks for the projector's view (`present=1`): large type, no preamble."""
    return bool(asked()[0]["present"] == "1")


def is_student_view() -> bool:
    """Whether the link asks for a student's view (`role=student`): no answers and no notes.

    It hides, it does not protect.
    """
    return bool(asked()[0]["role"] == STUDENT)


def stay_student() -> None:
    """Keep a visit a student's that a student's link began: links within the app do not say it."""
    state, query = st.session_state, st.query_params
    if is_student_view():
        state.visit_role = STUDENT
    elif state.get("visit_role"):
        query["role"] = STUDENT


def fills_window(stage: str, fills: bool, keys: Keys) -> bool:
    """Return whether a stage is what fills the window: `fills` says so of a page not projected.

    A scene of the page projects the stage that its link is about. One that asks a question of the
    page projects none: the question stands below. A page without a scene projects the stage that
    its own link is about, else the first that stands in no fold; `keys` are those of its link.
    Where all are folded, its charts are what is large.
    """
    state = st.session_state
    about = state.get("scene_stage")
    if about is not None or not presenting():
        return fills if about is None else stage == about
    found = state.get(PROJECTED) or _asked_for(keys)
    if not found and not _is_folded():
        found = stage
    state[PROJECTED] = found
    return stage == found


def _is_folded() -> bool:
    """Return whether what is drawn now stands in a fold."""
    place = get_last_dg_added_to_context_stack()
    return place is not None and "expandable" in place._ancestor_block_types


def _asked_for(keys: Keys) -> str:
    """Return the stage that the link with which the page was opened is about, "" for none."""
    opened: dict[str, str] = st.session_state.get(OPENED_WITH, {})
    found = stage_named(key for key in opened if key in keys)
    return found if f"{found.removesuffix('stage')}cover" in keys else ""


def begin_projecting(page: str) -> None:
    """Begin a run of a page: which of its stages is projected is to be found again."""
    state = st.session_state
    state.pop(PROJECTED, None)
    if state.get("page") != page or not state.get(f"opened_{page}"):
        state[OPENED_WITH] = st.query_params.to_dict()


def asked() -> tuple[dict[str, Any], list[str]]:
    """What the link asks of any page, and what is wrong with that."""
    return values_of_link(EVERY_PAGE, st.query_params.to_dict())


def blank_on_demand() -> None:
    """Let the keys b and . blank a page that is made for a projector."""
    _component(key="projecting", data=[{}])
