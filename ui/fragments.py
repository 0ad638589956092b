"""A part of a page that is drawn alone when something in it changes."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def fragment(draw: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """`st.fragment` for what may change in the same moment as something else on the page.

    Of two widgets that change within one turn of its event loop (a click in the moment in which a
    stage reports), the browser sends both values, but asks for the fragment of the first alone. So
    a fragment looks whether others have changed as well, and then has the whole page run.
    """

    @wraps(draw)
    def drawn(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        if _others_changed():
            st.rerun()
        return draw(*args, **kwargs)

    return st.fragment(drawn)


def _others_changed() -> bool:
    """Whether a widget has changed whose fragment this run does not draw."""
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run:
        return False
    state = context.session_state._state
    known = state._new_widget_state.widget_metadata
    return any(
        known[name].fragment_id not in context.fragment_ids_this_run
        for name in state._new_widget_state
        if name in known and state._widget_changed(name)
    )
