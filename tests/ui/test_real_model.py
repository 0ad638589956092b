"""The fold of a real head: the line that names it, its link, and that nothing is read before."""

import re

import pytest
from streamlit.testing.v1 import AppTest

import core.models.captures as captures
from core.models.captures import captured_heads, load_capture
from tests.ui.support import closed_folds, opened, opened_whole, stages
from ui.real_model import gallery_link, named_head

PAGES = {"why_scale": "scale_real", "why_mask": "mask_real", "word_order": "order_real"}
"""The chapters that show a real head, and how the keys of it begin."""


def plain(markdown: str) -> str:
    return re.sub(r"\\(.)", r"\1", markdown)


@pytest.mark.parametrize("name", captured_heads())
def test_a_head_is_named_from_1_and_by_its_index(name: str) -> None:
    run, head = captured_heads()[name]
    line = plain(named_head(load_capture(name)))
    found = re.fullmatch(
        r"(.*), layer (\d+), head (\d+) :gray\[\(index (\d+), (\d+)\)\], on “(.*)”", line
    )
    assert found
    assert found[1] == run.model
    assert [int(n) for n in found.groups()[1:5]] == [
        head.layer + 1, head.head + 1, head.layer, head.head,
    ]  # fmt: skip
    assert found[6] == " ".join(run.prompt.split())


def test_its_link_leads_to_it_in_the_gallery() -> None:
    link = gallery_link(load_capture("smollm2-even"))
    assert re.fullmatch(r"\[[^\]]+\]\(real-heads\?real_capture=smollm2-even\)", link)


@pytest.mark.parametrize(("page", "prefix"), PAGES.items())
def test_no_capture_is_read_before_its_fold_is_open(
    page: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object, **options: object) -> None:
        raise AssertionError("a capture is read")

    for cached in (captures.load_capture, captures.captured_heads, captures.captured_runs):
        cached.cache_clear()
    monkeypatch.setattr(captures, "safe_open", refused)
    untouched = opened(page)
    assert not untouched.exception
    assert f"fold_{prefix}" in closed_folds(untouched)
    assert opened_whole(page).exception


@pytest.mark.parametrize(("page", "prefix"), PAGES.items())
def test_open_it_has_a_stage_on_the_head(page: str, prefix: str) -> None:
    shown = opened_whole(page)
    assert not shown.exception
    (told,) = (one for one in stages(shown) if one.config["stage"] == f"{prefix}_stage")
    assert told.step == "weights"
    assert len(told.document["arrays"]["weights"]["shape"]) == 3


@pytest.mark.parametrize(("page", "prefix"), PAGES.items())
def test_a_link_to_a_step_of_it_opens_the_fold(page: str, prefix: str) -> None:
    shown: AppTest = opened(page, **{f"{prefix}_step": "scores"})
    (told,) = (one for one in stages(shown) if one.config["stage"] == f"{prefix}_stage")
    assert told.step == "scores"
