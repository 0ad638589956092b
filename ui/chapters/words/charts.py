"""Charts of vectors in two dimensions: words as they are learned, and a mean among its values."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from core.chapters.words.vectors import VALUES
from core.program.numbers.rounding import decimal_text
from core.pytorch.word2vec import TOPICS, Learned, in_their_topic, learned_vocabulary
from ui.charts.colours import BLUE, NEUTRAL, WITH, WITHOUT
from ui.charts.framing import NO_NAME, Chart, framed, kept, titled_axis
from ui.charts.names import key_above
from ui.page_texts import chart_texts

TEXTS = chart_texts("words")
LOOKS = {"water": (BLUE, "circle"), "money": (WITHOUT, "square"), "game": (WITH, "diamond")}
"""Colour and mark of each topic."""
SIGNS = {"circle": "●", "square": "■", "diamond": "◆"}


@kept
def learned_figure(learned: Learned) -> Chart:
    """The words of the topics where their vectors point."""
    words = learned_vocabulary()
    marks = [
        go.Scatter(
            x=rows[:, 0], y=rows[:, 1], mode="markers+text", text=list(TOPICS[topic]), name=topic,
            textposition="top center", cliponaxis=False,
            marker={"color": colour, "symbol": symbol, "size": 10},
            hovertemplate="%{text}: (%{x:.2f}, %{y:.2f})" + NO_NAME,
        )
        for topic, (colour, symbol) in LOOKS.items()
        for rows in (learned.vectors[[words.index(word) for word in TOPICS[topic]]],)
    ]  # fmt: skip
    widest = max(float(np.abs(learned.vectors).max()) * 1.15, 0.5)
    axis = {"range": [-widest, widest], "zeroline": True, "constrain": "domain"}
    together = in_their_topic(learned.vectors)
    topics = ((SIGNS[symbol], colour, topic) for topic, (colour, symbol) in LOOKS.items())
    return framed(
        marks,
        TEXTS("learned_alt", steps=learned.step, together=together),
        height=420,
        annotations=[key_above(*topics)],
        xaxis=axis | _feature(1),
        yaxis=axis | _feature(2) | {"scaleanchor": "x"},
    )


@kept
def mean_figure(weights: Float[np.ndarray, "4"], mean: Float[np.ndarray, "2"]) -> Chart:
    """Four values as points as large as their weights, and their mean among them."""
    corners = [*range(len(VALUES)), 0]
    hull = go.Scatter(
        x=VALUES[corners, 0], y=VALUES[corners, 1], mode="lines", hoverinfo="skip",
        line={"color": NEUTRAL, "dash": "dot"},
    )  # fmt: skip
    points = go.Scatter(
        x=VALUES[:, 0], y=VALUES[:, 1], mode="markers+text", name="v",
        text=[f"v{n + 1}" for n in range(len(VALUES))], cliponaxis=False,
        textposition=["bottom left", "bottom right", "top right", "top left"],
        marker={"color": BLUE, "size": 8 + 40 * weights},
        hovertemplate="%{text}: (%{x}, %{y})" + NO_NAME,
    )  # fmt: skip
    middle = go.Scatter(
        x=[mean[0]], y=[mean[1]], mode="markers+text", name=TEXTS("their_mean"),
        text=[TEXTS("their_mean")], textposition="top center", cliponaxis=False,
        marker={"color": WITHOUT, "size": 15, "symbol": "x"},
        hovertemplate="%{text}: (%{x:.2f}, %{y:.2f})" + NO_NAME,
    )  # fmt: skip
    axis = {"constrain": "domain", "dtick": 1}
    printed = ", ".join(decimal_text(float(w)) for w in weights)
    x, y = (decimal_text(float(at)) for at in mean)
    return framed(
        [hull, points, middle],
        TEXTS("mean_alt", weights=printed, x=x, y=y),
        height=340,
        xaxis=axis | _feature(1) | {"range": [-0.8, 4.8]},
        yaxis=axis | _feature(2) | {"range": [-0.9, 3.9], "scaleanchor": "x"},
    )


def _feature(number: int) -> dict[str, Any]:
    """Return the title of an axis."""
    return titled_axis(TEXTS("feature", number=number))
