"""What a link may ask of any page: the projector's view."""

from typing import Any

import streamlit as st

from ui.links import EVERY_PAGE, read


def presenting() -> bool:
    """Whether the link asks for the projector's view (`present=1`): large type, no preamble."""
    return bool(asked()[0]["present"] == "1")


def asked() -> tuple[dict[str, Any], list[str]]:
    """What the link asks of any page, and what is wrong with that."""
    return read(EVERY_PAGE, st.query_params.to_dict())
