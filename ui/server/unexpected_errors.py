"""What a visitor sees if a page raises what nobody foresaw while it reads its link.

Streamlit logs the error, and would show a box of its own in place of the page.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

HAS_READ = "has_read_link"
"""The session's key: whether its page is as a person has set it, and no longer as a link says."""
_KEY = "link_is_given_up"


def give_up_link(error: Exception) -> bool:
    """Begin a visit anew without its link, if the run that raised the error was to read one.

    For Streamlit's `on_script_error`. Returns whether it does; if not, Streamlit shows its box: a
    page that raises without a link would only raise again.
    """
    context, state = get_script_run_ctx(), st.session_state
    if context is None or context.script_requests is None:
        return False
    if context.fragment_ids_this_run or state.get(HAS_READ) or not st.query_params:
        return False
    state.clear()
    state[_KEY] = True
    st.query_params.clear()
    page = RerunData(page_script_hash=context.page_script_hash)
    return context.script_requests.request_rerun(page)


def given_up() -> bool:
    """Return whether a link was just given up; once, so that it is said once."""
    return bool(st.session_state.pop(_KEY, False))
