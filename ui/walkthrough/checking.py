"""The check against PyTorch, on request: importing it takes seconds."""

import streamlit as st

from core.program.trace import Trace


def torch_check(trace: Trace) -> None:
    """A button; pressed, the largest difference from PyTorch until the numbers change."""
    if not st.button("Check against PyTorch", key="torch_check"):
        return
    with st.spinner("Loading PyTorch …"):
        from core.pytorch.reference import available, largest_difference

        if not available():
            st.info("PyTorch is not installed here, so there is nothing to check against.")
            return
        found = largest_difference(trace)
    st.caption(f"✓ {found}")
