"""The colours of charts: those of the stage where they show the same, and others beside them.

A figure is made in the colours of the light theme. `in_dark` gives each the one it has in the dark
theme; those that hold on either paper (3:1) stay. They are never the only sign: lines differ in
their dash, bars in their pattern, and each is named where it stands.
"""

import re
from typing import Any

import numpy as np
from jaxtyping import Float

from stage.document.colour_levels import LEVELS
from stage.hosts.assets import BROWSER

_SHEET = (BROWSER / "theme.css").read_text(encoding="utf-8")
_PAIRS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", _SHEET)
}
"""What the stage calls its colours, each as it is on light paper and on dark."""

WITHOUT, WITH = "#c77700", "#0f8f83"
"""Without what a chapter is about and with it, on every chart."""
NEUTRAL = "#808495"
PINK = "#c25b95"
BLUE = "#4a8fd8"
INK = "#16151f"
"""On filled areas, whatever the theme."""
_TEXTS = ("#1c1a28", "#f1eff8")
_CELL_TEXTS = ("#17152a", "#f6f5ff")
TEXT_COLOUR = _TEXTS[0]
"""What is written on the paper, and what is chosen on it."""
CELL_TEXT = _CELL_TEXTS[0]
"""What is written on a cell, as on the stage."""
PAPERS = ("#ffffff", "#171614")
_GRIDS = ("#e6eaf1", "#31333f")
GRID = _GRIDS[0]
"""The pale lines behind a chart."""

Scale = list[tuple[float, str]]

_TO_LMS = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])  # fmt: skip
_TO_LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])  # fmt: skip
"""From linear RGB to oklab by way of these two (B. Ottosson, "A perceptual color space", 2020)."""


def linear(colour: str) -> Float[np.ndarray, "3"]:
    """Return red, green and blue from 0 to 1, in proportion to light (WCAG 2, sRGB)."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return how far two colours are from each other, from 1 to 21 (WCAG 2)."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def mixed(colour: str, part: float, other: str) -> str:
    """Return so much of a colour in another, as `color-mix(in oklab, …)` does."""
    lab = part * _lab(colour) + (1 - part) * _lab(other)
    light = np.linalg.inv(_TO_LMS) @ (np.linalg.inv(_TO_LAB) @ lab) ** 3
    curve = np.where(
        light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055
    )
    return "#" + "".join(f"{round(255 * float(x)):02x}" for x in np.clip(curve, 0, 1))


def _lab(colour: str) -> Float[np.ndarray, "3"]:
    lab: Float[np.ndarray, 3] = _TO_LAB @ np.cbrt(_TO_LMS @ linear(colour))
    return lab


def _scale(low: str, high: str, theme: int) -> Scale:
    """The stage's levels from one of its colours by way of none to another."""
    empty = _PAIRS["empty"][theme]
    levels = range(-LEVELS if low else 0, LEVELS + 1)
    return [
        (
            n / (len(levels) - 1),
            mixed(_PAIRS[high if level > 0 else low or high][theme], abs(level) / LEVELS, empty),
        )
        for n, level in enumerate(levels)
    ]


_SIGNED = [_scale("negative", "positive", theme) for theme in (0, 1)]
_SHARES = [_scale("", "share", theme) for theme in (0, 1)]
SIGNED = _SIGNED[0]
"""Values around 0."""
SHARES = _SHARES[0]
"""Weights, from 0 to 1."""
QUERY, KEY, WEIGHTS = (_PAIRS[role][0] for role in ("query", "key", "weights"))
_IN_DARK = dict([_TEXTS, _CELL_TEXTS, PAPERS, _GRIDS, *_PAIRS.values()]) | {
    light: dark
    for scales in (_SIGNED, _SHARES)
    for (_, light), (_, dark) in zip(*scales, strict=True)
}


def in_dark(written: Any, is_colour: bool = False) -> Any:
    """Return what is written of a figure with each colour as it is in the dark theme."""
    if isinstance(written, dict):
        return {
            key: in_dark(value, key.endswith(("color", "colorscale")))
            for key, value in written.items()
        }
    if isinstance(written, list | tuple):
        return [in_dark(value, is_colour) for value in written]
    return _IN_DARK.get(written, written) if is_colour and isinstance(written, str) else written
