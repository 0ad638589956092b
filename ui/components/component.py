"""A component of a page: a script with all that it imports, and the sheet of the same name."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from core.texts.text_file import Plain, TextFile
from stage.hosts.assets import BROWSER, compact, module, sheet
from ui.components.script_files import script_files
from ui.page_texts import component_texts

THEME = compact(BROWSER / "theme.css")
"""The colours of the stage, for a component that paints with them."""
BARS = compact(Path(__file__).with_name("buttons.css"))
"""The looks of what buttons.js makes."""


def component(
    script: Path,
    name: str = "",
    *,
    html: str | None = None,
    before: str = "",
    texts: TextFile[Plain] | None = None,
    given: Mapping[str, object] = MappingProxyType({}),
) -> ComponentRenderer:
    """Register a component, by the name of its script if no other is given, and return it.

    `before` are styles that its sheet builds on. Its script has the texts of components as `TEXTS`
    if no others are named, and what else is given as constants of these names.
    """
    own = [sheet(path)] if (path := script.with_suffix(".css")).exists() else []
    css = "\n".join([before, *own]).strip()
    return registered(
        name or script.stem, module(script, texts or component_texts(), given), css, html
    )


def registered(name: str, script: str, css: str, html: str | None = None) -> ComponentRenderer:
    """Register a component by the text of its module and style sheet, and return it.

    What has HTML of its own is seen before its module runs, so its styles go along with it.
    """
    if html:
        js, sent = script_files.delivered(name, script, "")[0], css
    else:
        js, sent = script_files.delivered(name, script, css)
    return st.components.v2.component(name, html=html, css=sent or None, js=js)
