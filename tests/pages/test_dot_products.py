"""The dot-product page in its starting state, through its controls, and from its link."""

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core import InputError
from core.chapters.dot_products.similarity import RULES, similarity_run
from core.chapters.dot_products.vector_pair import P11_KEYS, P11_QUERY, VectorPair
from tests.sampling import some
from tests.ui import support
from tests.ui.support import changed, prose
from ui.components.arrows import arrows as draw_arrows
from ui.components.arrows import parse_vector, tenths_reader, vector_of, vector_text

opened = partial(support.opened_whole, "dot_products")


def told(page: AppTest) -> tuple[dict[str, Any], support.Told]:
    """What the arrows and the stage were told."""
    [[arrows]] = support.told(page, "two_arrows")
    return arrows, support.stage(page)


def test_the_untouched_page_shows_p11_and_what_it_says() -> None:
    arrows, stage = told(opened())
    assert (tuple(arrows["q"]), tuple(arrows["k"])) == (P11_QUERY, P11_KEYS[1])
    assert (stage.step, stage.selected) == ("scores", "scores.0.2.1")


def test_the_chart_of_rules_says_in_words_what_it_shows() -> None:
    _, rules = (chart.proto.alt for chart in opened().get("plotly_chart"))
    text = "The cat sat on the mat"
    said = dict(re.findall(r"(\w+): (\S+ from [^;.]+)", rules))
    assert list(said) == list(RULES)
    for rule, claim in said.items():
        share, token = claim.split(" from ")
        row = similarity_run(text, rule)["weights"][0, 2]
        largest = row[text.split().index(token)] if token != "each" else row.min()
        np.testing.assert_allclose((float(share), largest), row.max(), rtol=0, atol=0.005)


def test_a_link_opens_the_view_it_describes() -> None:
    page = opened(
        dot_q="2,-1.5", dot_k="-3,1", dot_rule="cosine", dot_step="Q_hat", dot_cell="Q_hat.0.1.2",
        dot_turn="45", dot_kz="-2", dot_text="one two three",
    )  # fmt: skip
    arrows, stage = told(page)
    assert (arrows["q"], arrows["k"]) == ([2, -1.5], [-3, 1])
    assert (stage.step, stage.selected) == ("Q_hat", "Q_hat.0.1.2")
    assert "k = (−3.0, 1.0, −2.0)" in prose(page)
    assert "Turning every value by 45° changes" in prose(page)
    assert not page.warning


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_on_the_stage_and_its_steps_can_be_walked(rule: str) -> None:
    page = opened(dot_rule=rule)
    for step in some(list(similarity_run("The cat sat on the mat", rule).steps), 2):
        _, stage = told(changed(page, dot_step=step))
        assert stage.step == step
        assert stage.texts(step).shape[0] == 6


def test_a_rule_without_the_step_on_show_goes_to_the_scores() -> None:
    page = changed(opened(dot_rule="cosine", dot_step="Q_hat"), dot_rule="dot")
    assert support.stage(page).step == "scores"
    assert dict(page.query_params) == {}


def test_turned_values_change_v_and_context_and_leave_the_weights() -> None:
    page = opened()
    page.button(key="dot_see_turn").click().run()
    assert page.session_state["dot_turn"] == 90
    stage = support.stage(page)
    assert stage.step == "context"
    assert stage.compared.startswith("12 of 12 numbers of context differ")
    assert page.query_params["dot_turn"] == "90"
    stage = support.stage(changed(page, dot_step="weights"))
    assert stage.compared.startswith("0 of 36 numbers of weights differ")
    said = next(text.value for text in page.markdown if "Values do not change" in text.value)
    assert "changes [V](#stage-V) and [context](#stage-context); [Q]" in said
    assert "[Q](#stage-Q), [K](#stage-K), [scores](#stage-scores) and [weights]" in said


@pytest.mark.parametrize(("turn", "differ"), [("0", ""), ("15", "12"), ("355", "12"), ("360", "0")])
def test_any_turn_that_the_slider_offers_is_said(turn: str, differ: str) -> None:
    page = opened(dot_turn=turn, dot_step="context")
    assert f"Turning every value by {int(turn) % 360 or 90}° changes" in prose(page)
    compared = support.stage(page).compared
    assert compared.startswith(f"{differ} of 12 numbers of context differ" if differ else "")
    assert bool(compared) == bool(differ)


def test_the_examples_move_the_arrows_and_the_link_says_so() -> None:
    page = opened(dot_q="2,2")
    page.button(key="dot_example_0").click().run()
    arrows, _ = told(page)
    assert (tuple(arrows["q"]), tuple(arrows["k"])) == (P11_QUERY, P11_KEYS[0])
    assert page.query_params["dot_k"] == "1,0"
    assert "dot_q" not in page.query_params


@pytest.mark.parametrize(
    "text", ["<img src=x> $\\frac{1}{0}$ *b* [a](b)", "a " * 64, "🙂 שלום", "x"]
)
def test_any_sentence_is_shown(text: str) -> None:
    page = opened(dot_text=text)
    told(page)
    assert not page.error


DROPS: list[tuple[Any, bool]] = [
    ({"q": [1, 0], "k": [3, 4]}, True), ({"q": [1, 0]}, False), ({"q": [1], "k": [3, 4]}, False),
    ({"q": [10**400, 0], "k": [3, 4]}, False), ({"q": [float("nan"), 0], "k": [3, 4]}, False),
    ({"q": "10", "k": [3, 4]}, True), ({"q": None, "k": [3, 4]}, False), (None, False),
    ("x", False), ([1, 2], False), ({"q": [9, 0], "k": [3, 4]}, False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "heard"), DROPS)
def test_told_arrows_are_checked(monkeypatch: pytest.MonkeyPatch, value: Any, heard: bool) -> None:
    callbacks: dict[str, Any] = {}
    monkeypatch.setattr("ui.components.arrows._arrows", lambda **given: callbacks.update(given))
    said = {"visit": "now", **value} if isinstance(value, dict) else value
    monkeypatch.setattr("streamlit.session_state", {"visit": "now", "a": {"drop": said}})
    dropped: list[VectorPair] = []
    draw_arrows("a", VectorPair(P11_QUERY, P11_KEYS[0]), dropped.append)
    callbacks["on_drop_change"]()
    assert bool(dropped) is heard


def test_arrows_in_links_are_read_as_they_are_written() -> None:
    for vector in ((3.0, 4.0), (-1.5, 0.0), (-0.0, 5.0)):
        assert parse_vector(vector_text(vector)) == tuple(x + 0 for x in vector)
        assert vector_of("dot_q", vector_text(vector)) == vector_text(vector)
    assert vector_text((-0.0, 1.0)) == "0,1"
    for bad in ("", "1", "1,2,3", "5.1,0", "1.25,0", "inf,0", "1;2", "a,b", "1e1,0"):
        with pytest.raises(InputError, match="write it as"):
            parse_vector(bad)
    assert tenths_reader(-5, 5)("dot_kz", "-2.5") == -2.5


@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=2),
    st.lists(st.integers(-9, 9), min_size=2, max_size=2),
    st.integers(1, 9),
)
def test_a_feature_of_k_alone_does_what_the_page_says(q: list[int], k: list[int], z: int) -> None:
    """It leaves the product, makes k longer, and brings the cosine closer to 0 where it is not."""
    flat, space = (
        VectorPair((*map(float, q), 0.0), (*map(float, k), third)) for third in (0.0, float(z))
    )
    assert space.dot == flat.dot
    assert space.lengths[1] > flat.lengths[1]
    if flat.cosine is not None:
        assert space.cosine is not None
        assert abs(space.cosine) < abs(flat.cosine) or space.cosine == flat.cosine == 0
