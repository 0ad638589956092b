""" "This number": the selected cell's arithmetic, what it means and what it feeds.

A components-v2 component, because as Markdown the formula held up every change of the page. KaTeX
is a module that Streamlit serves with its front end, and so are its style sheet and fonts; without
the module the lines stand there as plain text.
"""

from pathlib import Path

import streamlit as st

from core.program.explanations import Explanation
from stage.assets import compact, module

_FOLDER = Path(__file__).parent


def katex_module() -> str:
    """The name of KaTeX among the modules of Streamlit's front end; "" if there is none."""
    modules = Path(st.__file__).parent / "static" / "static" / "js"
    return next((path.name for path in modules.glob("katex.*.js")), "")


_KATEX = katex_module()
_inspector = st.components.v2.component(
    "this_number",
    css=compact(_FOLDER / "inspector.css"),
    js=module(_FOLDER / "inspector.js"),
    isolate_styles=False,  # Streamlit's style sheet has KaTeX's rules
)


def inspector(explanation: Explanation, key: str = "arithmetic") -> None:
    """Show an explanation; its arithmetic can be copied as LaTeX and as text."""
    data = {
        "title": explanation.title,
        "words": explanation.words,
        "latex": r"\begin{aligned}" + r" \\ ".join(explanation.latex) + r"\end{aligned}",
        "plain": "\n".join(explanation.plain),
        "feeds": explanation.feeds,
        "katex": _KATEX,
    }
    _inspector(key=key, data=data)
