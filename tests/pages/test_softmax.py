"""The page on softmax in its starting state and through its controls."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.chapters.softmax.normalising import CURVE
from tests.ui import support
from tests.ui.support import changed, charts, link_of, prose, stages, untouched, values

opened = partial(support.opened_whole, "softmax")
CHARTS = ("bars", "logits", "temperatures", "growth")


def specs(page: AppTest) -> dict[str, Any]:
    """What each chart shows; the last one is kept for later."""
    return dict(zip(CHARTS, charts(page), strict=False))


@pytest.mark.parametrize(("made", "temperature"), [("exp", "1"), ("exp", "2"), ("square", "1")])
def test_the_picture_goes_from_each_score_to_its_weight(made: str, temperature: str) -> None:
    page = opened(softmax_1="5", softmax_temperature=temperature, softmax_made=made)
    chart = specs(page)["bars"]
    entering = torch.tensor([5.0, 1, 0, -1]).double() / float(temperature)
    positive = entering.exp() if made == "exp" else entering**2
    for column, wanted in zip(
        chart["data"], (entering, positive, positive / positive.sum()), strict=True
    ):
        np.testing.assert_allclose(values(column["x"]), wanted, atol=1e-12)
    titles = [note["text"] for note in chart["layout"]["annotations"]]
    assert titles[0] == ("score" if temperature == "1" else "x = score / 2")
    x = "score" if temperature == "1" else "x"
    assert titles[1] == (f"{x}²" if made == "square" else f"e<sup>{x}</sup>")


def test_numbers_that_nothing_makes_positive_have_two_columns() -> None:
    data = specs(opened(softmax_made="none"))["bars"]["data"]
    np.testing.assert_allclose(values(data[0]["x"]), [2, 1, 0, -1])
    np.testing.assert_allclose(values(data[1]["x"]), [1, 0.5, 0, -0.5])
    assert len(data) == 2


@pytest.mark.parametrize("step", ["logits", "portions"])
def test_a_link_with_the_older_names_opens_what_it_did(step: str) -> None:
    named = {"logits": "scores", "portions": "weights"}
    page = opened(softmax_step=step, softmax_cell=f"{step}.0.0.3", softmax_cover=step)
    (stage, *_) = stages(page)
    assert stage.step == named[step]
    assert page.session_state.softmax_cell == f"{named[step]}.0.0.3"
    assert page.session_state.softmax_cover == named[step]
    assert not page.warning


def test_the_untouched_page_makes_four_weights_of_four_scores() -> None:
    shown = stages(untouched("softmax"))[0]
    told = np.array(shown.texts("weights"), dtype=float).ravel()
    np.testing.assert_allclose(told, torch.softmax(torch.tensor([2.0, 1, 0, -1]), 0), atol=0.005)
    assert shown.step == "weights"


def test_adding_changes_no_bar_and_multiplying_does() -> None:
    plain, added, times = (values(bar["y"]) for bar in specs(opened())["logits"]["data"])
    np.testing.assert_allclose(added, plain, rtol=0, atol=1e-12)
    assert times[0] > plain[0] + 0.1


def test_the_curves_are_pytorchs_softmax_at_each_temperature_and_the_line_is_the_stages() -> None:
    chart = specs(opened(softmax_temperature="4", softmax_1="5"))["temperatures"]
    for at in (0, 30, 60):
        wanted = torch.softmax(torch.tensor([5.0, 1, 0, -1]).double() / CURVE[at], 0)
        found = [values(line["y"])[at] for line in chart["data"]]
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert chart["layout"]["shapes"][0]["x0"] == 4


def test_a_way_that_is_chosen_is_on_the_stage_in_the_prose_and_in_the_link() -> None:
    page = changed(opened(), softmax_made="square", softmax_over="queries", softmax_2=2)
    assert "Squares ignore the sign" in prose(page)
    assert "Over the queries" in prose(page)
    link = link_of(page)
    assert link == {"softmax_made": "square", "softmax_over": "queries", "softmax_2": "2"}
    again = opened(**link)
    assert (specs(again), prose(again)) == (specs(page), prose(page))
