"""The debug lab in its starting state and through its controls."""

import json
from base64 import b64decode
from functools import partial
from typing import Any

import numpy as np
import pytest

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.lab import CASES, ORDER, first_difference, on_sentence
from core.program.labels import cell_name
from stage.differences import differences
from stage.document import MASKED, NOT_A_NUMBER, document
from tests.ui.support import opened as open_page
from tests.ui.support import stage

opened = partial(open_page, "debug_lab")


@pytest.mark.parametrize("number", range(1, len(ORDER) + 1))
def test_every_case_opens_where_the_runs_part(number: int) -> None:
    page = opened(lab_case=str(number))
    right, wrong = on_sentence(CASES[ORDER[number - 1]], DEFAULT_TEXT)
    found = first_difference(right, wrong)
    assert found is not None
    data = stage(page)
    assert data.step == found.array
    assert data.selected == ".".join([found.array, *map(str, found.cell)])
    apart = right.differs(wrong, found.array)
    assert apart.sum() == found.count
    shown = apart[found.cell[:-2]]
    assert data.compared.startswith(f"{shown.sum()} of {shown.size} numbers")
    name = cell_name(wrong, found.array, found.cell)
    assert any(f"**{name}**" in text.value.replace("\\", "") for text in page.markdown)


@pytest.fixture(scope="module")
def with_nan() -> tuple[Any, Any]:
    """The right run and the one with a row of NaN."""
    return on_sentence(CASES["plain"], DEFAULT_TEXT)


def levels(array: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(b64decode(array["levels"]), np.uint8)


def test_nan_is_a_text_a_change_and_a_look_of_its_own(with_nan: Any) -> None:
    right, wrong = with_nan
    opening = "weights", (0, 0, 0)
    told, plain = (document(run, opening)["arrays"] for run in (wrong, right))
    apart = differences(wrong, right)
    assert "nan" not in json.dumps([told, apart], allow_nan=False)
    for name, array in told.items():
        flat = np.isnan(wrong[name]).ravel() if wrong[name].dtype == float else np.zeros(1, bool)
        if not flat.any():
            assert (array["levels"], array["texts"]) == (
                plain[name]["levels"], plain[name]["texts"],
            )  # fmt: skip
            continue
        assert (levels(array)[flat] == NOT_A_NUMBER).all(), name
        np.testing.assert_array_equal(levels(array)[~flat], levels(plain[name])[~flat])
        was = "0" if name == "weights" else "0.00"
        shown = zip(flat, array["texts"].split(" "), apart["changes"][name], strict=True)
        assert all((t, c) == ("NaN", f"was {was}") if f else not c for f, t, c in shown)
        size = wrong[name][..., 0, :].size
        heads = wrong[name].size // wrong[name].shape[-2] // wrong[name].shape[-1]
        each = f"{size // heads} of {wrong[name].size // heads} numbers of {name} differ"
        assert apart["said"][name] == [each] * heads


def test_a_hidden_key_and_nan_do_not_look_alike(with_nan: Any) -> None:
    weights = document(with_nan[1], ("weights", (0, 0, 0)))["arrays"]["weights"]
    shown = levels(weights).reshape(6, 6)
    assert (shown[0] == NOT_A_NUMBER).all()
    assert (shown[1:, 0] == MASKED).all()


def test_the_case_of_the_empty_row_says_nan_and_how_to_mend_it() -> None:
    page = opened(lab_case="10", lab_guess="plain")
    data = stage(page)
    assert data.selected == "weights.0.0.0"
    said = [text.value for text in page.markdown]
    assert any("the broken one [**NaN**](#stage-weights.0.0.0)" in text for text in said)
    assert not any("nan" in text for text in said)
    assert page.success[0].value == "Right: softmax has no case for an empty row."
    assert list(page.radio(key="lab_guess").options) == [bug.name for bug in CASES.values()]
    assert CASES["plain"].mistake.why in said
    lines = page.code[0].value
    assert lines.index("def plain_softmax(") < lines.index("def softmax(")
    assert "weights = plain_softmax(masked)  # broken\nweights = softmax(masked)" in lines
    assert lines.endswith(f"{CASES['plain'].mistake.mended_torch}  # mended, PyTorch")
    assert dict(page.query_params) == {"lab_case": "10", "lab_guess": "plain"}


def test_an_untouched_page_has_an_empty_link() -> None:
    assert dict(opened().query_params) == {}


def test_a_guess_is_marked_and_the_fix_is_shown() -> None:
    page = opened()
    assert not page.code or "mended" not in page.code[0].value
    page.radio(key="lab_guess").set_value("after").run()
    assert "You said the mask comes after softmax" in page.warning[0].value
    page.radio(key="lab_guess").set_value(ORDER[0]).run()
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
    assert stage(page).step == "masked"


def test_garbage_in_the_link_is_said_and_replaced() -> None:
    page = opened(lab_case="99", lab_on="P5", lab_guess="x", lab_step="Z", lab_cell="?")
    assert len(page.warning) == 5
    assert stage(page).step == "masked"
