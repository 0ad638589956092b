"""Weights of trained heads as small maps: cards to choose a head from, and a grid of all heads."""

from stage.hosts.component import palette
from ui.components.component import THEME

PAINTED = f"{palette('background')}\n{THEME}"
"""The styles of the colours in which maps are painted."""
