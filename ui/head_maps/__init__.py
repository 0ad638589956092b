"""Weights of trained heads as small maps: cards to choose a head from, and a grid of all heads."""

import zlib
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

import stage
from core.models.captures import CapturedRun
from core.models.head_search import weights_of_all_heads
from stage.assets import module, sheet
from stage.component import palette
from ui.component_events import EVENTS
from ui.page_texts import component_texts

LEVELS = 65_535
_FOLDER = Path(__file__).parent
_THEME = Path(stage.__file__).parent / "theme.css"
_COLOURS = Path(stage.__file__).parent / "css_colours.js"


def map_script(name: str) -> str:
    """Return the module of a component of this folder."""
    parts = (EVENTS, _COLOURS, _FOLDER / "weight_canvas.js", _FOLDER / f"{name}.js")
    return module(*parts, texts=component_texts())


def map_sheet(name: str) -> str:
    """Return the style sheet of a component of this folder."""
    return "\n".join([palette("background"), sheet(_THEME, _FOLDER / f"{name}.css")])


@cache
def packed_run(run: CapturedRun) -> Mapping[str, Any]:
    """Return the weights of all heads of a run, packed."""
    return packed_maps(weights_of_all_heads(run))


def packed_maps(weights: Float[np.ndarray, "*heads T T"]) -> dict[str, Any]:
    """Return weights as a script unpacks them: compressed in base64, each a number from 0 to
    `LEVELS` in two bytes, the lower first.
    """
    levels = np.rint(weights * LEVELS).clip(0, LEVELS).astype("<u2")
    packed = b64encode(zlib.compress(levels.tobytes())).decode()
    return {"size": weights.shape[-1], "levels": packed}
