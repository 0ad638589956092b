"""Weights of trained heads as small maps: cards to choose a head from, and a grid of all heads."""

from pathlib import Path

from stage.hosts.assets import BROWSER, module, sheet
from stage.hosts.component import palette
from ui.components.component_events import EVENTS
from ui.page_texts import component_texts

_FOLDER = Path(__file__).parent
_THEME = BROWSER / "theme.css"
_COLOURS = BROWSER / "draw/css_colours.js"


def map_script(*names: str) -> str:
    """Return the module of a component of this folder, made of these scripts, in order."""
    parts = (_FOLDER / f"{name}.js" for name in ("weight_canvas", *names))
    return module(EVENTS, _COLOURS, *parts, texts=component_texts())


def map_sheet(name: str) -> str:
    """Return the style sheet of a component of this folder."""
    return "\n".join([palette("background"), sheet(_THEME, _FOLDER / f"{name}.css")])
