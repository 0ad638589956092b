"""The charts on dot products show the numbers that they are given."""

import numpy as np
import plotly.graph_objects as go

from core.chapters.dot_products.vector_pair import VectorPair, arc
from ui.chapters.dot_products.charts import rules_figure, rules_words, space_figure, space_words


def test_the_figure_in_space_draws_both_arrows_and_their_angle() -> None:
    pair = VectorPair((1.0, 2.0, 2.0), (0.0, 3.0, 4.0))
    figure = space_figure(pair, arc(pair.q, pair.k), 5)
    assert [(t.x[-1], t.y[-1], t.z[-1]) for t in figure.data[:2]] == [pair.q, pair.k]
    bow = figure.data[2]
    np.testing.assert_allclose(np.hypot(np.hypot(bow.x, bow.y), bow.z), 1.0)
    assert pair.printed["degrees"] in space_words(pair)
    assert isinstance(
        space_figure(VectorPair((0.0,) * 3, pair.k), arc((0.0,) * 3, pair.k), 5), go.Figure
    )


def test_the_chart_of_rules_shows_the_weights_on_a_scale_from_zero_to_one() -> None:
    weights = {"dot": np.array([0.25, 0.75]), "uniform": np.array([0.5, 0.5])}
    heat = rules_figure(weights, ["a", "b"], "a").data[0]
    np.testing.assert_array_equal(heat.z, [[0.5, 0.5], [0.25, 0.75]])
    assert (heat.zmin, heat.zmax) == (0, 1)
    assert list(heat.text[1]) == ["0.25", "0.75"]
    assert heat.customdata[1][1] == "a reads 75.00 % from b"
    assert rules_words(weights, ["a", "b"]) == "dot: 0.75 from b; uniform: 0.50 from each."
