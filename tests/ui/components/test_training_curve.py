"""What goes to the browser of trainings: lines, ticks and maps, and which events come back."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import ui.components.training_curve as component
from tests.ui.components.head_maps.test_head_maps import is_near, unpacked
from tests.ui.support import told
from ui.components.training_curve import (
    MOST_POINTS,
    NAME_ROOM,
    ShownTraining,
    axis_ticks,
    curve_points,
    name_places,
)

STEPS = (0, 10, 40)
TOKENS = tuple("abcde")


def a_training(name: str = "", steps: int = 40, falls_to: float = 0.5) -> ShownTraining:
    """Three kept steps of one layer with two heads, and losses that fall evenly from 4."""
    weights = np.random.default_rng(0).random((3, 1, 2, 5, 5))
    heads = [[[None, ("induction", 10 * kept)]] for kept in range(3)]
    losses = np.linspace(4, falls_to, steps + 1)
    return ShownTraining(name, losses, ("a", "b", "c"), weights, heads, causal=True)


@given(st.integers(1, 2000), st.integers(0, 2**20))
def test_a_line_goes_through_the_means_of_neighbours(steps: int, seed: int) -> None:
    losses = np.random.default_rng(seed).random(steps) * 3
    x, y = curve_points(losses, steps - 1, float(losses.max()))
    each = -(-steps // MOST_POINTS)
    groups = [range(at, min(at + each, steps)) for at in range(0, steps, each)]
    assert len(x) == len(groups) <= MOST_POINTS
    last, most = max(steps - 1, 1), max(losses)
    for group, across, up in zip(groups, x, y, strict=True):
        assert across == pytest.approx(sum(group) / len(group) / last)
        assert up == pytest.approx(sum(losses[at] for at in group) / len(group) / most)


def test_a_few_losses_are_drawn_one_by_one() -> None:
    np.testing.assert_allclose(
        curve_points(np.array([4.0, 1.0, 2.0]), 4, 4.0), [[0, 0.25, 0.5], [1, 0.25, 0.5]]
    )


@pytest.mark.parametrize(
    ("most", "texts"),
    [
        (800, "0 200 400 600 800"), (600, "0 200 400 600"), (150, "0 50 100 150"),
        (3.68, "0 1 2 3"), (0.9, "0 0.2 0.4 0.6 0.8"), (1, "0 0.2 0.4 0.6 0.8 1"), (0, "0"),
    ],
)  # fmt: skip
def test_ticks_are_round_numbers_at_their_places(most: float, texts: str) -> None:
    ticks = axis_ticks(most)
    assert " ".join(text for _, text in ticks) == texts
    np.testing.assert_allclose([at * most for at, _ in ticks], [float(text) for _, text in ticks])


@pytest.mark.parametrize(
    ("ends", "places"),
    [
        ([0.4], [0.4]),
        ([0.4, 0.1], [0.4, 0.1]),
        ([0.1, 0.15], [0.1, 0.1 + NAME_ROOM]),
        ([0.15, 0.1], [0.1 + NAME_ROOM, 0.1]),
        ([0.2, 0.2], [0.2 + NAME_ROOM, 0.2]),
    ],
)
def test_names_are_at_the_ends_of_lines_and_apart(ends: list[float], places: list[float]) -> None:
    lines = [np.array([[0, 1], [1, end]]) for end in ends]
    np.testing.assert_allclose(name_places(lines), places)


def test_what_is_drawn_is_on_the_lines_and_in_the_order_of_the_steps() -> None:
    first, second = a_training("one"), a_training("two", falls_to=0.0)
    drawn = component._drawn([first, second], STEPS)
    assert drawn["places"] == [0, 0.25, 1]
    assert [text for _, text in drawn["ticks"]["loss"]] == ["0", "1", "2", "3", "4"]
    for one, training in zip(drawn["trainings"], (first, second), strict=True):
        np.testing.assert_allclose(one["dots"], training.losses[list(STEPS)] / 4, atol=1e-4)
        assert (one["name"], one["said"]) == (training.name, training.said)
        assert one["heads"] == training.heads
        assert one["maps"]["causal"]
        is_near(unpacked(one["maps"]), training.weights.reshape(-1, 5, 5))
    json.dumps(drawn)


def test_a_shorter_training_ends_where_it_was_stopped() -> None:
    whole, stopped = component._drawn([a_training(), a_training(steps=20)], STEPS)["trainings"]
    assert [one["line"][0][-1] for one in (whole, stopped)] == [1, 0.5]


@pytest.mark.parametrize("field", ["said", "weights", "heads"])
def test_each_kept_step_needs_all_that_is_shown_of_it(field: str) -> None:
    training = vars(a_training())
    with pytest.raises(ValueError, match="3"):
        ShownTraining(**training | {field: training[field][:2]})
    with pytest.raises(ValueError, match="2 steps"):
        component.training_curve("maps", [a_training()], STEPS[:2], TOKENS, 0, print, title="t")


def app() -> None:
    import streamlit as st

    from tests.ui.components.test_training_curve import STEPS, TOKENS, a_training
    from ui.components.training_curve import training_curve

    losses = st.number_input("steps", value=40)
    chosen = st.number_input("chosen", value=1)
    off = [(0, 1)] if st.checkbox("off") else []
    training = a_training(steps=int(losses))
    training_curve("maps", [training], STEPS, TOKENS, int(chosen), print, off=off, title="Steps")


def carried(page: AppTest) -> dict[str, Any]:
    """What was carried to the browser, by its name."""
    return {
        name: news for one in told(page, "attention_told") for name, news in one["news"].items()
    }


def test_only_other_trainings_are_sent_anew() -> None:
    page = AppTest.from_function(app).run()
    before = carried(page)
    assert before["state"]["about"] == before["drawn"]["about"]
    assert (before["drawn"]["title"], before["drawn"]["tokens"]) == ("Steps", list(TOKENS))
    page.number_input[1].set_value(2)
    page.checkbox[0].check()
    moved = carried(page.run())
    assert moved["drawn"] == before["drawn"]
    assert (moved["state"]["chosen"], moved["state"]["off"]) == (2, [[0, 1]])
    page.number_input[0].set_value(39)
    other = carried(page.run())
    assert other["state"]["about"] == other["drawn"]["about"] != before["drawn"]["about"]
