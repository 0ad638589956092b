""" "This number": the selected cell's arithmetic, what it means and what it feeds.

A components-v2 component around the stage's own `ThisNumber`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import streamlit as st

from core.program.explanations import Explanation
from stage.component import number_script, number_style_sheet

_inspector = st.components.v2.component(
    "this_number",
    css=number_style_sheet(),
    js=number_script(Path(__file__).parent / "inspector.js"),
)


def inspector(
    explanation: Explanation, key: str = "arithmetic", roles: Mapping[str, str] | None = None
) -> None:
    """Show an explanation; its arithmetic can be copied as LaTeX and as text.

    `roles` says which part an array plays, and so the colour of its name.
    """
    _inspector(key=key, data=asdict(explanation) | {"roles": dict(roles or {})})
