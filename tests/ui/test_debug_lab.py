"""The debug lab in its starting state and through its controls."""

import json
from base64 import b64decode
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pytest

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.lab import CASES, ORDER, first_difference, on_sentence
from core.program.labels import cell_name
from stage.views import MASKED, NOT_A_NUMBER, stage_data
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
    assert data["step"] == found.array
    assert data["selected"] == ".".join([found.array, *map(str, found.cell)])
    apart = right.differs(wrong, found.array)
    assert apart.sum() == found.count
    shown = apart[found.cell[:-2]]
    assert data["compared"].startswith(f"{shown.sum()} of {shown.size} numbers")
    name = cell_name(wrong, found.array, found.cell)
    assert any(f"**{name}**" in text.value.replace("\\", "") for text in page.markdown)


@pytest.fixture(scope="module")
def with_nan() -> tuple[Any, Any]:
    """The right run and the one with a row of NaN."""
    return on_sentence(CASES["plain"], DEFAULT_TEXT)


def views(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Every matrix that a stage was told to draw."""
    focus = data["focus"]
    corner = [focus["left"], *chain(*(column.values() for column in focus["columns"]))]
    return [v for v in [*chain(*data["strip"]), *focus["row"], *corner] if v is not None]


@pytest.mark.parametrize("array", ["weights", "context", "output"])
def test_nan_is_a_text_a_change_and_a_look_of_its_own(with_nan: Any, array: str) -> None:
    right, wrong = with_nan
    cell = (0,) * wrong[array].ndim
    told = stage_data(wrong, array, cell, other=right)
    json.dumps(told, allow_nan=False)
    assert "nan" not in json.dumps(told)
    plain = {v["name"]: v for v in views(stage_data(right, array, cell))}
    for view in views(told):
        values = wrong[view["name"]]
        flat = np.isnan(values).ravel()
        levels, before = (np.frombuffer(b64decode(v["levels"]), np.uint8)
                          for v in (view, plain[view["name"]]))  # fmt: skip
        assert (levels[flat] == NOT_A_NUMBER).all(), view["name"]
        assert not (levels[~flat] == NOT_A_NUMBER).any()
        np.testing.assert_array_equal(levels[~flat], before[~flat])
        if flat.any() and view["text"]:
            was = "0" if view["name"] == "weights" else "0.00"
            shown = zip(flat, view["text"], view["changes"], strict=True)
            assert all((t, c) == ("NaN", f"was {was}") if f else not c for f, t, c in shown)
    size = wrong[array][..., 0, :].size
    assert told["compared"] == f"{size} of {wrong[array].size} numbers of {array} differ"


def test_a_hidden_key_and_nan_do_not_look_alike(with_nan: Any) -> None:
    (_, weights) = stage_data(with_nan[1], "weights", (0, 0, 0))["focus"]["row"]
    levels = np.frombuffer(b64decode(weights["levels"]), np.uint8).reshape(6, 6)
    assert (levels[0] == NOT_A_NUMBER).all()
    assert (levels[1:, 0] == MASKED).all()


def test_the_case_of_the_empty_row_says_nan_and_how_to_mend_it() -> None:
    page = opened(lab_case="10", lab_guess="plain")
    data = stage(page)
    assert data["selected"] == "weights.0.0.0"
    said = [text.value for text in page.markdown]
    assert any("the broken one **NaN**" in text for text in said)
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
    assert stage(page)["step"] == "masked"


def test_garbage_in_the_link_is_said_and_replaced() -> None:
    page = opened(lab_case="99", lab_on="P5", lab_guess="x", lab_step="Z", lab_cell="?")
    assert len(page.warning) == 5
    assert stage(page)["step"] == "masked"
