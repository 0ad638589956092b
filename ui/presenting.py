"""What a link may ask of any page: the projector's view."""

from pathlib import Path
from typing import Any

import streamlit as st

from stage.assets import module
from stage.component import CURTAIN
from ui.links import EVERY_PAGE, read

_component = st.components.v2.component(
    "projecting", js=module(CURTAIN, Path(__file__).parent / "presenting.js")
)


def presenting() -> bool:
    """Whether the link asks for the projector's view (`present=1`): large type, no preamble."""
    return bool(asked()[0]["present"] == "1")


def fills_window(stage: str, fills: bool) -> bool:
    """Return whether a stage is what is projected: `fills` says so of a page without a scene.

    A scene of the page projects the stage that its link is about. One that asks a question of the
    page projects none: the question stands below.
    """
    about = st.session_state.get("scene_stage")
    return fills if about is None else stage == about


def asked() -> tuple[dict[str, Any], list[str]]:
    """What the link asks of any page, and what is wrong with that."""
    return read(EVERY_PAGE, st.query_params.to_dict())


def blank_on_demand() -> None:
    """Let the keys b and . blank a page that is made for a projector."""
    _component(key="projecting", data=[{}])
