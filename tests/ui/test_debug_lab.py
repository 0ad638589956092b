"""The debug lab in its starting state and through its controls."""

from functools import partial

import pytest

from core.bugs import BUGS, CASES, first_difference, on_sentence
from core.labels import cell_name
from core.setups import DEFAULT_TEXT
from tests.ui.support import opened as open_page
from tests.ui.support import stage

opened = partial(open_page, "debug_lab")


@pytest.mark.parametrize("number", range(1, len(CASES) + 1))
def test_every_case_opens_where_the_runs_part(number: int) -> None:
    page = opened(lab_case=str(number))
    right, wrong = on_sentence(BUGS[CASES[number - 1]], DEFAULT_TEXT)
    found = first_difference(right, wrong)
    assert found is not None
    data = stage(page)
    assert data["step"] == found.array
    assert data["selected"] == ".".join([found.array, *map(str, found.cell)])
    assert data["compared"]
    name = cell_name(wrong, found.array, found.cell)
    assert any(f"**{name}**" in text.value.replace("\\", "") for text in page.markdown)


def test_an_untouched_page_has_an_empty_link() -> None:
    assert dict(opened().query_params) == {}


def test_a_guess_is_marked_and_the_fix_is_shown() -> None:
    page = opened()
    assert not page.code or "mended" not in page.code[0].value
    page.radio(key="lab_guess").set_value("after").run()
    assert "You said the mask comes after softmax" in page.warning[0].value
    page.radio(key="lab_guess").set_value(CASES[0]).run()
    assert page.success[0].value.startswith("Right")
    lines = page.code[0].value
    assert "np.where(mask, scaled, 0.0)  # broken" in lines
    assert "np.where(mask, scaled, -np.inf)  # mended, numpy" in lines
    page.button_group(key="lab_case").set_value(2).run()
    assert page.session_state["lab_guess"] is None


def test_a_sentence_that_cannot_be_used_is_said() -> None:
    page = opened()
    page.text_input(key="lab_text").set_value("").run()
    assert "empty" in page.error[0].value
    assert stage(page)["step"] == "masked"


def test_garbage_in_the_link_is_said_and_replaced() -> None:
    page = opened(lab_case="99", lab_on="P5", lab_guess="x", lab_step="Z", lab_cell="?")
    assert len(page.warning) == 5
    assert stage(page)["step"] == "masked"
