"""The end of every page: the code that made its picture, as it is in the source."""

import inspect
from collections.abc import Callable
from typing import Any

import streamlit as st


@st.fragment
def in_code(
    *functions: Callable[..., Any], origin: str, step: str = "", settings: str = ""
) -> None:
    """The source of what made the picture, the walkthrough's step it belongs to, where it is from.

    Drawn only when it is open: some thousand coloured words would weigh on every frame of the
    page. `origin` is Markdown. `step` names an array of the walkthrough, `settings` more of its
    link.
    """
    with st.expander("In code", key="in_code", on_change="rerun") as panel:
        if not panel.open:
            return
        for function in functions:
            st.code(inspect.getsource(function), language="python")
        link = f" [This step in the walkthrough](./?step={step}{settings})." if step else ""
        st.markdown(f"{origin}{link}")
