""" "This number": the selected cell's arithmetic, what it means and what it feeds."""

import streamlit as st

from core.explanations import Explanation
from ui.text import escape_markdown


def inspector(explanation: Explanation, key: str = "arithmetic") -> None:
    """Show an explanation; its two texts can be copied."""
    block = r"\begin{aligned}" + r" \\ ".join(explanation.latex) + r"\end{aligned}"
    texts = (explanation.title, explanation.words, explanation.feeds)
    title, words, feeds = map(escape_markdown, texts)
    with st.container(key=key, border=True):
        st.markdown(f"**{title}**\n\n{words}\n\n$$\n{block}\n$$\n\n{feeds}")
        with st.popover(
            "Copy as LaTeX / as text", type="tertiary", key=f"{key}_copy", on_change="rerun"
        ) as panel:
            if panel.open:
                st.code(block, language="latex", wrap_lines=True)
                st.code("\n".join(explanation.plain), language=None, wrap_lines=True)
