""" "This number": the selected cell's arithmetic, what it means and what it feeds."""

import streamlit as st

from core.explanations import Explanation
from ui.text import escape_markdown


def inspector(explanation: Explanation) -> None:
    """Show an explanation; its two texts can be copied."""
    block = r"\begin{aligned}" + r" \\ ".join(explanation.latex) + r"\end{aligned}"
    with st.container(key="arithmetic", border=True):
        st.markdown(f"**{escape_markdown(explanation.title)}**")
        st.markdown(escape_markdown(explanation.words))
        st.markdown(f"$$\n{block}\n$$")
        st.markdown(escape_markdown(explanation.feeds))
        with st.popover("Copy as LaTeX / as text", type="tertiary"):
            st.code(block, language="latex", wrap_lines=True)
            st.code("\n".join(explanation.plain), language=None, wrap_lines=True)
