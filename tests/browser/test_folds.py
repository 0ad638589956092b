"""Named folds: what is in a closed one is drawn, and nobody waits for it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.page import box_of, fold_of, unfold
from tests.sampling import some


@pytest.mark.deep
def test_a_chart_in_a_closed_fold_keeps_nothing_below_it_from_sight(open_page: OpenPage) -> None:
    charts = re.compile("/static/js/PlotlyChart")  # what draws them never comes
    page = open_page("heads", prepare=lambda page: page.route(charts, lambda _: None), until=None)
    expect(fold_of(page, "How heads share")).to_be_visible()
    expect(page.get_by_text("To take away")).to_be_visible(timeout=15_000)


@pytest.mark.parametrize(
    ("link", "title"),
    some([
        ("heads?heads_part=split", "How heads share"), ("heads?heads_hand_head=2", "Two heads"),
        ("cost?cost_layout=packed", "Padded or packed"), ("cost?cost_part=work", "Published"),
        ("why-mask?mask_kind=blocks", "A gallery"), ("why-mask?mask_block=3", "Training task"),
        ("why-scale?scale_cell=weights.0.2.0", "The same sentence"),
    ], 7),
)  # fmt: skip
def test_a_link_opens_the_fold_it_is_of_alone(open_page: OpenPage, link: str, title: str) -> None:
    page = open_page(link)
    expect(fold_of(page, title)).to_have_attribute("open", "")
    opened = page.locator('[class*="st-key-fold_"] > * > details[open]')
    assert opened.count() == 1, opened.all_inner_texts()


@pytest.mark.deep
def test_a_stage_in_a_fold_is_whole_once_it_is_opened(open_page: OpenPage) -> None:
    page = open_page("heads")
    unfold(page, "Two heads")
    stage = page.locator(".st-key-heads_hand_stage").get_by_test_id("stage")
    expect(stage.locator('[data-part="focus"][data-matrix="weights"]')).to_be_visible()
    assert box_of(stage).width > 900
