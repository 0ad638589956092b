"""The check against PyTorch, on request: importing it takes seconds."""

import streamlit as st

from core.program.trace import Trace
from ui.page_texts import page_texts
from ui.text import escape_markdown

TEXTS = page_texts("walkthrough")


def torch_check(trace: Trace) -> None:
    """Draw a button that says whether all is equal to PyTorch's, or where not."""
    if not st.button(TEXTS("torch_check"), key="torch_check"):
        return
    with st.spinner(TEXTS("torch_loading")):
        from core.pytorch.reference import available, largest_difference

        if not available():
            st.info(TEXTS("torch_missing"))
            return
        found = largest_difference(trace)
    if found.equal:
        st.caption(escape_markdown(f"✓ {found}"))
    else:
        st.error(escape_markdown(f"✗ {found}"))
