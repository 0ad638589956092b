"""Numbers of tokens on a logarithmic axis: their names above upright lines."""

import math
from collections.abc import Sequence
from typing import Any

CLOSE = 20
"""Two lines whose numbers differ by less than this factor have no room for a name each."""


def name_above(tokens: float, text: str, anchor: str = "center") -> dict[str, Any]:
    """Return a name above the chart, as an annotation of Plotly's."""
    place = {"x": math.log10(tokens), "yref": "paper", "y": 1, "yanchor": "bottom"}
    return {"text": text, "showarrow": False, "xanchor": anchor} | place


def names_above(places: Sequence[float], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return two names above their lines; if the lines are close, each name on its own side."""
    if max(places) >= CLOSE * min(places):
        return [name_above(x, name) for x, name in zip(places, names, strict=True)]
    sides = ("right", "left") if places[0] <= places[1] else ("left", "right")
    return [name_above(*named) for named in zip(places, names, sides, strict=True)]
