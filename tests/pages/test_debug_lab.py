"""The debug lab in its starting state and through its controls."""

import json
from base64 import b64decode
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.lab import CASES, NUMBERS, lab_runs, lines_of_numpy, order, parting
from core.program.labels import cell_id, cell_name
from stage.document.colour_levels import MASKED, NOT_A_NUMBER
from stage.document.document import document
from stage.document.other_runs import differences
from tests.sampling import some
from tests.ui.support import Told, link_of, opened_case, refused, stage, told, untouched, warned
from tests.ui.support import opened as open_page
from ui.page.prose import typeset_symbols

opened = partial(open_page, "debug_lab")


def said(page: AppTest) -> list[str]:
    """Every text that the page says beside its stage."""
    kinds = ("title", "header", "markdown", "success", "warning", "error", "code", "caption")
    return [part.value for kind in kinds for part in getattr(page, kind)]


def unmarked(text: str) -> str:
    """A text without its escapes and marks of emphasis."""
    return text.replace("\\", "").replace("*", "")


def without_numbers(page: AppTest) -> tuple[Any, ...]:
    """What a page sends, all of it, without the numbers of its run and of its case."""
    made: Told = stage(page)
    given = json.loads(json.dumps([made.document, made.answer, made.config]))
    whole, answer, _ = given
    assert answer.pop("id") == whole.pop("id")
    assert answer.pop("visit")
    for array in whole["arrays"].values():
        del array["levels"], array["texts"]
    for part in ("rows", "plain"):
        del answer["explained"][part]
    labels = [[button.label, button.key, button.disabled] for button in page.button]
    options = page.selectbox(key="lab_guess").options, page.button_group(key="lab_case").options
    assert (made.differences, made.mistaken, answer["table"]["table"]) == (None, None, None)
    return given, said(page), labels, options, [m["stage"] for m in told(page, "attention_told")]


@pytest.mark.parametrize("step", some(["", "weights", "Q", "output"], 2))
def test_before_the_guess_nothing_but_numbers_differs_between_cases(step: str) -> None:
    link = {"lab_step": step, "lab_cover": "masked"} if step else {}
    pages = [opened(lab_case=str(number), **link) for number in NUMBERS]
    first, *others = map(without_numbers, pages)
    for other in others:
        assert other == first
    numbers = {json.dumps(stage(page).document["arrays"]) for page in pages}
    assert len(numbers) == len(NUMBERS)
    words = json.dumps(first[1:], ensure_ascii=False)
    assert all(words.count(case.name) == 1 for case in CASES.values())


@pytest.mark.parametrize("number", some(list(NUMBERS), 3))
def test_a_case_is_closed_before_the_guess_and_opens_with_its_name(number: int) -> None:
    name = NUMBERS[number]
    runs = lab_runs(DEFAULT_TEXT)
    page = opened(lab_case=str(number), lab_step="scaled", lab_cell="scaled.0.2.1")
    data = stage(page)
    assert data.document == document(runs.disguised[name], ("Q_all", (0, 0)), doubted=True)
    assert data.answer["explained"]["said"][0].startswith("Closed until the mistake is revealed")
    assert len(data.answer["explained"]["plain"]) == 1
    page.selectbox(key="lab_guess").set_value(name).run()
    data = stage(page)
    found = parting(runs, name)
    opening = found.array, found.cell
    assert (data.step, data.selected) == (found.array, cell_id(*opening))
    assert data.document == document(runs.broken[name], opening, doubted=True, code=True)
    assert data.differences is not None
    assert data.mistaken is None
    apart = runs.right.differs(runs.broken[name], found.array)
    shown = apart[found.cell[:-2]]
    assert data.compared.startswith(f"{shown.sum()} of {shown.size} numbers")
    called = typeset_symbols(CASES[name].name)
    assert opened_case(page)[0] == f"Right. Case {order().index(number) + 1}: {called}"
    texts = [text.replace("\\", "") for text in said(page)]
    cell = cell_name(runs.broken[name], *opening)
    assert any(f"first wrong cell is {cell}: " in unmarked(text) for text in texts)
    why = typeset_symbols(CASES[name].why).replace("\\", "")
    assert any(why in text for text in texts)
    for lines in (CASES[name].mistake.torch, lines_of_numpy(runs, name)):
        assert f"# broken\n{lines.broken}" in texts
        assert f"# fixed\n{lines.mended}" in texts
        assert not lines.helper or lines.helper.strip() in texts
    assert {"lab_guess": name}.items() <= dict(page.query_params).items()


def test_nan_is_a_text_a_change_and_a_look_of_its_own() -> None:
    def levels(array: dict[str, Any]) -> np.ndarray:
        return np.frombuffer(b64decode(array["levels"]), np.uint8)

    runs = lab_runs(DEFAULT_TEXT)
    right, wrong = runs.right, runs.broken["plain"]
    told, plain = (document(run, ("weights", (0, 0, 0)))["arrays"] for run in (wrong, right))
    apart = differences(wrong, right)
    assert "nan" not in json.dumps([told, apart], allow_nan=False)
    for name, array in told.items():
        flat = np.isnan(wrong[name]).ravel() if wrong[name].dtype == float else np.zeros(1, bool)
        if not flat.any():
            kept = plain[name]
            assert (array["levels"], array["texts"]) == (kept["levels"], kept["texts"])
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
    first_head = levels(told["weights"]).reshape(2, 6, 6)[0]
    assert (first_head[0] == NOT_A_NUMBER).all()
    assert (first_head[1:, 0] == MASKED).all(), "a hidden key looks like NaN"


def test_an_untouched_page_opens_the_first_case() -> None:
    page = untouched("debug_lab")
    first = lab_runs(DEFAULT_TEXT).disguised[NUMBERS[order()[0]]]
    assert stage(page).document == document(first, ("Q_all", (0, 0)), doubted=True)
    cases = page.button_group(key="lab_case")
    assert list(cases.options) == [str(n + 1) for n in range(len(NUMBERS))]
    assert cases.value == order()[0]


def test_links_of_before_open_the_case_that_they_meant() -> None:
    page = opened(lab_case="10", lab_guess="plain", lab_on="P6")
    assert opened_case(page)[0] == "Right. Case 1: softmax has no case for an empty row"
    assert any("**[NaN](#stage-weights.0.0.0)** instead of" in text for text in said(page))
    assert [warning[:11] for warning in warned(page)] == ["In the link"]


def test_a_guess_is_refuted_and_the_case_stays_closed() -> None:
    page = opened(lab_case="1")
    closed = stage(page).document
    page.selectbox(key="lab_guess").set_value("after").run()
    assert "masked\\[*The*, *The*\\] of head 1 would" in page.warning[0].value
    assert unmarked(page.warning[0].value) == (
        "Not here. With the mistake “the mask comes after softmax”, masked[The, The] of head 1 "
        "would be −∞. Here it is 0."
    )
    assert link_of(page) == {"lab_case": "1", "lab_guess": "after"}
    for shown in (page, opened(**link_of(page))):
        assert warned(shown) == warned(page)
        assert stage(shown).document == closed
        assert not shown.code
        assert not opened_case(shown)


def test_a_step_and_a_cell_are_found_where_one_looks() -> None:
    page = opened(lab_case="1", lab_step="weights")
    page.button(key="lab_this_step").click().run()
    assert "but its step is correct" in page.warning[0].value
    page = opened(lab_case="1", lab_step="masked", lab_cell="masked.0.1.3")
    assert page.button(key="lab_this_step").label == "1. The first wrong step: Mask"
    page.button(key="lab_this_step").click().run()
    page.button(key="lab_this_cell").click().run()
    right = [unmarked(text.value) for text in page.success]
    assert right == [
        "Right: 42 of 72 numbers of masked (21 of 36 in head 1 and 21 of 36 in head 2) are wrong, "
        "and every earlier number is correct.",
        "Right: in the correct run, masked[cat, on] of head 1 = −∞. Here it is 0.",
    ]
    link = link_of(page)
    assert {"lab_stop": "masked", "lab_found": "masked.0.1.3"}.items() <= link.items()
    assert [text.value for text in opened(**link).success] == [t.value for t in page.success]
    assert not opened_case(page)
    assert opened(lab_found="scores.9.9.9").title


def test_it_is_shown_and_closed_again() -> None:
    page = opened(lab_case="5")
    page.button(key="lab_show").click().run()
    assert opened_case(page)[0] == "Case 2: the mask is written into a view"
    assert dict(page.query_params) == {"lab_case": "5", "lab_told": "yes"}
    assert stage(page).step == "scaled"
    page.button(key="lab_close").click().run()
    assert not opened_case(page)
    assert dict(page.query_params) == {"lab_case": "5"}
    assert stage(page).step == "Q_all"


def test_another_case_and_another_sentence_begin_anew() -> None:
    page = opened(lab_case="1", lab_told="yes", lab_stop="Q", lab_found="Q.0.0.0")
    page.button_group(key="lab_case").set_value(2).run()
    assert dict(page.query_params) == {"lab_case": "2"}
    assert not opened_case(page)
    page.selectbox(key="lab_guess").set_value("reshape").run()
    page.text_input(key="lab_text").set_value("red hat red").run()
    assert dict(page.query_params) == {"lab_case": "2", "lab_text": "red hat red"}
    assert not opened_case(page)


def test_a_sentence_that_shows_too_little_is_said() -> None:
    page = opened(lab_case="1")
    before = stage(page).document
    page.text_input(key="lab_text").set_value("a a a").run()
    assert "shows too little" in refused(page)[0]
    assert stage(page).document == before
