"""The check against PyTorch, which takes seconds to import and is therefore asked for once."""

import sys

import streamlit as st

from core.programs import Trace


def torch_check(trace: Trace) -> None:
    """The largest difference from PyTorch; a button where PyTorch has not been loaded yet."""
    if "torch" not in sys.modules and not st.button("Check against PyTorch", key="torch_check"):
        return
    with st.spinner("Loading PyTorch …"):
        from core.torch_reference import available, largest_difference

        if not available():
            st.info("PyTorch is not installed here, so there is nothing to check against.")
            return
        found = largest_difference(trace)
    st.caption(f"✓ {found}")
