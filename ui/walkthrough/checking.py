"""The check against PyTorch, on request: importing it takes seconds."""

import streamlit as st

from core.program.trace import Trace
from ui.text import escape_markdown


def torch_check(trace: Trace) -> None:
    """A button; pressed, whether all is equal to PyTorch's or where not, until numbers change."""
    if not st.button("Check against PyTorch", key="torch_check"):
        return
    with st.spinner("Loading PyTorch …"):
        from core.pytorch.reference import available, largest_difference

        if not available():
            st.info("PyTorch is not installed here, so there is nothing to check against.")
            return
        found = largest_difference(trace)
    if found.equal:
        st.caption(escape_markdown(f"✓ {found}"))
    else:
        st.error(escape_markdown(f"✗ {found}"))
