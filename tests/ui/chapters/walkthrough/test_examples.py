"""The example that takes any sentence, on the page: what stays in it, what leaves it, ways back."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.examples.presets import PRESETS, preset
from core.attention.examples.river_bank_story import meanings, notes
from core.program.labels import plainly
from core.program.trace import Trace
from tests.ui.chapters.walkthrough.test_own_numbers import panel, pasted
from tests.ui.support import arriving, changed, choose_example, cut, pressed, sentence, stage
from tests.ui.support import opened as open_page

NAME = "river-bank"
RIVER = preset(NAME)
opened = partial(open_page, "walkthrough")


def query(page: AppTest) -> dict[str, str]:
    return {key: v for key, v in page.query_params.items() if key not in ("step", "cell")}


def numbers(page: AppTest) -> list[list[str]]:
    texts: list[list[str]] = stage(page).texts("output").tolist()
    return texts


def sizes_shown(page: AppTest, key: str, value: int) -> AppTest:
    return changed(page, numbers_panel=True).number_input(key=key).set_value(value).run()


def test_it_comes_first_among_the_examples_and_its_link_is_short() -> None:
    assert next(iter(PRESETS)) == NAME
    page = opened(seed="1")
    choose_example(page, NAME)
    assert sentence(page).value == "we sat by the river bank"
    assert query(page) == {"preset": NAME, "seed": "1"}
    data = stage(page)
    assert data.document["story"][:2] == ["", cut(RIVER.story)]
    assert "a real model learns them" in plainly(RIVER.story)
    assert data.document["axes"]["m"]["labels"] == list(RIVER.labels["m"])
    assert data.document["axes"]["h"]["labels"] == list(RIVER.labels["h"])


def test_it_opens_at_the_word_that_asks() -> None:
    assert stage(opened(preset=NAME)).selected == "scores.0.5.4"
    assert stage(opened()).selected == "X.5.6"
    assert stage(opened(preset=NAME, step="X")).selected == "X.5.0"  # as links before it meant
    assert stage(opened(preset=NAME, cell="scores.1.1.0")).selected == "scores.1.1.0"


SAID_FIRST: list[tuple[str, Any, dict[str, str]]] = [
    ("text", "red green", {"text": "red green", "step": "X"}),
    ("mask", "none", {"mask": "none", "step": "X", "cell": "X.5.6"}),
    ("step", "weights", {"step": "weights"}),
    ("step", "scores", {}),
    ("cell", "X.2.3", {"cell": "X.2.3", "step": "X"}),
    ("cover", "X", {"cover": "X", "step": "X", "cell": "X.5.6"}),
    ("seed", 3, {"seed": "3", "step": "X", "cell": "X.5.6"}),
]


@pytest.mark.parametrize(("key", "value", "said"), SAID_FIRST)
def test_a_bare_address_names_it_after_a_change(key: str, value: Any, said: dict[str, str]) -> None:
    page = opened().run()
    assert page.session_state["preset"] == NAME
    assert sentence(page).value == RIVER.text
    assert stage(page).document["story"][:2] == ["", cut(RIVER.story)]
    assert dict(page.query_params) == {}
    changed(page, before_cell=None, **{key: value})  # as the stage says of one that is untouched
    assert dict(page.query_params) == {"preset": NAME, **said}
    again = opened(**dict(page.query_params))
    assert stage(again) == stage(page)
    assert dict(again.query_params) == dict(page.query_params)


def test_back_at_its_beginning_the_address_still_names_it() -> None:
    page = opened()
    for step in ("weights", "X"):
        changed(page, before_cell=None, step=step)
    assert dict(page.query_params) == {"preset": NAME, "step": "X", "cell": "X.5.6"}
    assert stage(opened(**dict(page.query_params))) == stage(page)


def test_a_sentence_from_another_page_wins() -> None:
    brought = arriving("walkthrough", "a zebra saw the river bank")
    assert sentence(brought).value == "a zebra saw the river bank"
    assert brought.session_state["preset"] == NAME
    shown: Trace = brought.session_state["good"].trace
    np.testing.assert_array_equal(shown["X"][4], RIVER.run()["X"][4])
    wanted = {"preset": NAME, "text": "a zebra saw the river bank", "step": "X", "cell": "X.5.6"}
    assert dict(brought.query_params) == wanted


def test_only_what_a_person_wrote_goes_along_to_other_pages() -> None:
    """Else whoever comes from an untouched chapter would find its sentence in the example."""
    assert not open_page("why_mask").session_state["brought"]
    page = opened()
    assert not page.session_state["brought"]
    sentence(page).set_value("a cat ran").run()
    assert page.session_state["brought"] == {"sentence": "a cat ran"}
    pressed(page, "Back to the example “bank”")
    assert page.session_state["brought"] == {"sentence": RIVER.text}


def test_another_sentence_stays_in_the_example() -> None:
    page = opened(preset=NAME, step="output")
    sentence(page).set_value("We sat by the money bank").run()
    assert not page.warning
    assert page.session_state["preset"] == NAME
    assert query(page) == {"preset": NAME, "text": "We sat by the money bank"}
    trace = page.session_state["good"].trace
    assert RIVER.labels["m"][trace["output"][-1].argmax()] == "money"
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        np.testing.assert_array_equal(trace[name], RIVER.arrays[name])
    title, said, meanings_told, _ = stage(page).document["story"]
    assert not title
    assert said == cut(notes(trace))
    assert meanings_told == [cut(said) for said in meanings(trace)]
    assert numbers(opened(**dict(page.query_params))) == numbers(page)
    pressed(page, "Back to the example “bank”")
    assert sentence(page).value == RIVER.text
    assert query(page) == {"preset": NAME}


def test_words_without_a_row_by_hand_are_named() -> None:
    page = opened(preset=NAME, text="a zebra and a Dog sat by the quay")
    said = "".join(map(str, stage(page).document["story"][1]))
    assert "none was made for them by hand: zebra and quay." in said
    own = "".join(map(str, stage(opened(preset=NAME)).document["story"][1]))
    assert "drawn" not in own


@pytest.mark.parametrize(
    ("key", "value"), [("heads", 4), ("heads", 1), ("d_model", 12), ("kv_heads", 1), ("seed", 3)]
)
def test_another_size_leaves_it_with_a_message_and_back_restores_it(key: str, value: int) -> None:
    text = "we sat by the money bank"
    page = opened(preset=NAME, text=text, step="output", mask="none", scale="off")
    before = numbers(page)
    if key == "heads":
        changed(page, heads=value)
    else:
        page = sizes_shown(page, key, value)
    assert not page.error
    assert "no longer the example" in page.warning[0].value
    assert page.session_state["preset"] is None
    assert sentence(page).value == text
    assert stage(page).document["axes"]["m"]["labels"][0] == "1"
    left = page.session_state["good"]
    assert (left.preset, left.text, left.settings["mask"]) == ("", text, "none")
    assert numbers(page) != before
    pressed(page, "Back to the example “bank”")
    assert numbers(page) == before
    wanted = {"preset": NAME, "text": text, "mask": "none", "scale": "off"}
    assert query(page) == wanted | ({"seed": "3"} if key == "seed" else {})


def test_its_own_sizes_do_not_leave_it() -> None:
    page = sizes_shown(opened(preset=NAME, step="output"), "d_model", 8)
    page = sizes_shown(page, "kv_heads", 2)
    assert page.session_state["preset"] == NAME
    assert not page.warning


@pytest.mark.parametrize(("key", "own"), [("heads", 2), ("kv_heads", 2), ("d_model", 8)])
def test_a_link_that_asks_it_for_another_size_is_told(key: str, own: int) -> None:
    page = opened(preset=NAME, **{key: "4" if key != "kv_heads" else "1"})
    assert f"matrices are for {own}" in page.warning[0].value.replace("\\", "")
    assert numbers(page) == numbers(opened(preset=NAME))
    assert query(page) == {"preset": NAME}


@pytest.mark.parametrize(("name", "leaves"), [(NAME, False), (NAME, True), ("P1", False)])
def test_ones_own_sentence_comes_back_with_what_was_chosen_before(name: str, leaves: bool) -> None:
    """From an example, also after it was left."""
    own = {"text": "my own words", "d_model": "16", "mask": "window", "window": "4", "heads": "8"}
    page = opened(**own, scale="off")
    choose_example(page, name)
    assert sentence(page).value == PRESETS[name].text
    assert not [w for w in page.warning if "d" in w.value]
    if leaves:
        changed(page, heads=4)
    else:
        sentence(page).set_value("a cat ran").run()
    pressed(page, "Back to my sentence")
    assert sentence(page).value == "my own words"
    assert query(page) == own | {"scale": "off"}


def test_an_example_of_ones_own_is_lost_by_no_way_back() -> None:
    """A sentence was typed in the first example, and then made to flip by words of one's own."""
    page = opened()
    sentence(page).set_value("the elephant has a trunk").run()
    changed(page, examples_panel=True)
    fields = ("word", "cue_1", "name_1", "cue_2", "name_2", "text")
    values = ("trunk", "elephant", "animal", "car", "luggage", "the elephant has a trunk")
    for field, value in zip(fields, values, strict=True):
        page.text_input(key=f"own_{field}").set_value(value)
    pressed(page, "Show my example")
    made = numbers(page)
    page.button(key="flip").click().run()
    assert sentence(page).value == "the car has a trunk"
    assert not buttons(page)
    choose_example(page, "bat")
    pressed(page, "Back to my sentence")
    assert sentence(page).value == "the car has a trunk"
    page.button(key="flip").click().run()
    assert numbers(page) == made
    assert not buttons(page)


def test_from_example_to_example_ones_sentence_waits() -> None:
    page = opened(text="my own words")
    for name in ("P4", NAME, "P3", NAME):
        choose_example(page, name)
        assert sentence(page).value == PRESETS[name].text
        own = {} if name == NAME else {"text": "my own words"}
        assert query(page) == {"preset": name} | own
    pressed(page, "Back to my sentence")
    assert sentence(page).value == "my own words"


def test_edits_lie_on_top() -> None:
    page = changed(opened(preset=NAME), edits={"X": np.ones((6, 8))})
    np.testing.assert_array_equal(page.session_state["good"].trace["X"], 1)
    assert "You have changed the numbers" in "".join(stage(page).document["story"][1])


def test_an_empty_sentence_is_refused_and_the_last_stays() -> None:
    page = opened(preset=NAME, text="a cat ran", step="output")
    before = numbers(page)
    sentence(page).set_value(" ").run()
    assert "empty" in page.error[0].value
    assert numbers(page) == before
    assert page.session_state["preset"] == NAME
    link = opened(preset=NAME, text=" ")
    assert sentence(link).value == RIVER.text
    assert "empty" in link.warning[0].value


def chosen_numbers(page: AppTest, value: str) -> None:
    controls = changed(page, numbers_panel=True).segmented_control
    next(c for c in controls if c.label == "Numbers").set_value(value).run()
    assert not page.exception


def test_numbers_are_made_by_hand_or_random_for_the_same_words_and_rules() -> None:
    page = opened(preset=NAME, text="we sat by the money bank", mask="none", step="output")
    before = numbers(page)
    chosen_numbers(page, "random")
    assert query(page) == {"text": "we sat by the money bank", "mask": "none"}
    assert numbers(page) != before
    assert any("random unless you enter your own" in text.value for text in page.markdown)
    chosen_numbers(page, "made by hand")
    assert query(page) == {"preset": NAME, "text": "we sat by the money bank", "mask": "none"}
    assert numbers(page) == before
    assert any("weight matrices were chosen for it" in text.value for text in page.markdown)


def buttons(page: AppTest) -> set[str]:
    return {b.label for b in page.button if b.label.startswith("Back to")}


def test_ways_back_stand_there_only_where_they_lead_somewhere() -> None:
    page = opened()
    assert not buttons(page)
    sentence(page).set_value("a cat ran").run()
    assert buttons(page) == {"Back to the example “bank”"}
    pressed(page, "Back to the example “bank”")
    assert sentence(page).value == RIVER.text
    assert not buttons(page)
    assert not buttons(opened(preset="P3"))
    sentence(page).set_value("a cat ran").run()
    choose_example(page, "P3")
    assert buttons(page) == {"Back to my sentence"}
    pressed(page, "Back to my sentence")
    assert sentence(page).value == "a cat ran"
    assert page.session_state["preset"] == NAME


def test_numbers_of_ones_own_that_do_not_fit_it_leave_it() -> None:
    page = pasted(panel(), "1 0 0 0\n0 1 0 0\n0 0 1 0")
    assert not page.error
    assert "no longer the example" in page.warning[0].value
    np.testing.assert_array_equal(page.session_state["good"].trace["X"], np.eye(3, 4))


def test_shown_as_it_opens_it_is_at_its_first_step_again() -> None:
    page = opened(preset=NAME, scale="off", step="weights", head="2", cell="weights.1.2.1")
    next(b for b in page.button if b.label == "Reset the example").click().run()
    assert page.query_params["step"] == "X"
    untouched = opened(preset=NAME, step="X", cell="X.5.6")
    for key in ("scale", "head", "cell", "step", "text"):
        assert page.session_state[key] == untouched.session_state[key], key
