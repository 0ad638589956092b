"""What every page takes from its link."""

import pytest

from core.path import PATH
from tests.sampling import three
from tests.ui.support import PAGE_NAMES, opened, stage, untouched, warned


@pytest.mark.parametrize("page", PAGE_NAMES)
def test_an_untouched_page_says_nothing_amiss_and_leaves_its_address_bare(page: str) -> None:
    shown = untouched(page)
    assert [*shown.exception, *shown.error, *shown.warning] == []
    assert dict(shown.query_params) == {}


@pytest.mark.parametrize("page", three(PAGE_NAMES))
def test_a_projectors_view_that_makes_no_sense_is_said(page: str) -> None:
    (said,) = warned(opened(page, present="<b>banana</b>"))
    assert "present is '<b>banana</b>'" in said
    assert "choose 0, 1" in said


@pytest.mark.parametrize(("present", "large"), [("1", True), ("0", False)])
def test_the_link_asks_for_the_projectors_view(present: str, large: bool) -> None:
    shown = opened("walkthrough", present=present)
    assert not shown.warning
    assert stage(shown).config["present"] is large
    preamble = any("See how, step by step" in text.value for text in shown.markdown)
    assert preamble is not large


@pytest.mark.parametrize("page", three(list(PATH), 1))
def test_widgets_are_not_set_to_what_they_are(page: str) -> None:
    """A widget that the server sets is drawn once more in the browser."""
    shown = opened(page).run()
    assert not shown.exception
    sent = [*shown.button_group, *shown.selectbox, *shown.number_input, *shown.text_input]
    assert sent
    assert not [widget.key for widget in sent if widget.proto.set_value]
