"""The page in its starting state and through its controls."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from core.attention.masks import MASKS
from core.attention.presets import PRESETS
from core.attention.setups import Setup
from core.program.labels import plainly
from tests.links import TOY
from tests.sampling import paired, some
from tests.ui.support import choose_example, cut, stage
from tests.ui.support import opened as open_page

EYE = np.eye(2)
SIZES = ("d_model", "seed", "kv_heads")
opened = partial(open_page, "walkthrough")


def sentence(page: AppTest) -> TextInput:
    (found,) = [field for field in page.text_input if field.label == "Sentence"]
    return found


def test_a_bare_address_opens_the_first_step_and_stays_bare() -> None:
    page = opened()
    data = stage(page)
    assert (data.step, data.selected) == ("X", "X.5.6")
    assert not page.error
    assert not page.warning
    assert dict(page.query_params) == {}
    page.run()
    assert dict(page.query_params) == {}


def test_a_link_that_names_the_first_step_alone_shows_toy_numbers() -> None:
    page = opened(**TOY)
    data = stage(page)
    assert (data.step, data.selected) == ("X", "X.2.0")
    assert dict(page.query_params) == TOY
    sentence(page).set_value("red green").run()
    assert dict(page.query_params) == {"text": "red green", **TOY}


@pytest.mark.parametrize("link", [{"seed": "1"}, {"present": "1"}, {"text": "a b"}, {"else": "1"}])
def test_a_link_without_a_step_means_the_scores(link: dict[str, str]) -> None:
    page = opened(**link)
    assert stage(page).step == "scores"
    assert dict(page.query_params) == link


def test_a_step_that_makes_no_sense_is_said_and_gives_the_scores() -> None:
    page = opened(step="<b>")
    assert stage(page).step == "scores"
    assert "step is '<b>'" in page.warning[0].value.replace("\\", "")


@pytest.mark.parametrize(
    ("name", "step"), paired(list(PRESETS), ["X", "scores", "masked", "weights", "output"])
)
def test_every_example_can_be_walked_through(name: str, step: str) -> None:
    data = stage(opened(preset=name, step=step, compare="mask"))
    assert data.step == step
    assert data.texts(step).shape == PRESETS[name].run()[step].shape[-2:]


def test_a_preset_opens_with_its_own_settings_and_its_link_names_none_of_them() -> None:
    page = opened(preset="P5-next-unmasked", mask="none", scale="off", heads="1")
    assert stage(page).document["options"] == {"mask": "none", "scale": "off", "heads": "1"}
    assert dict(page.query_params) == {"preset": "P5-next-unmasked"}
    assert not page.warning


def test_what_a_link_says_lies_on_top_of_its_preset() -> None:
    page = opened(preset="P3", mask="none", scale="off", step="weights")
    data = stage(page)
    assert data.document["options"] == {"mask": "none", "scale": "off", "heads": "1"}
    assert data.texts("weights").tolist() == [["0.20"] * 5] * 5
    assert {"preset": "P3", "mask": "none", "scale": "off"}.items() <= dict(
        page.query_params
    ).items()
    assert "You have changed the mask and the scale of the example." in said(page)
    page.button(key="as_it_opens").click().run()
    assert stage(page).texts("weights")[1].tolist() == ["0.50", "0.50", "0", "0", "0"]
    assert "You have changed" not in said(page)
    assert dict(page.query_params) == {"preset": "P3", "step": "weights"}


def test_another_preset_begins_with_its_own_settings() -> None:
    page = opened(preset="P3", text="my own words", mask="window", window="2")
    for name in ("P9b", "P5-next-unmasked"):
        choose_example(page, name)
        own = PRESETS[name].settings
        assert stage(page).document["options"]["mask"] == own["mask"]
        assert dict(page.query_params) == {"preset": name, "text": "my own words"}
    pressed(page, "Back to my sentence")
    assert stage(page).document["options"] == {"mask": "causal", "scale": "on", "heads": "2"}
    assert dict(page.query_params) == {"text": "my own words"}


def test_a_preset_offers_what_its_matrices_allow_and_heads_that_leave_it() -> None:
    page = opened(preset="P3", heads="4")
    assert "matrices are for 1" in page.warning[0].value
    toggles = {toggle["key"]: toggle for toggle in stage(page).document["toggles"]}
    assert [value for value, _ in toggles["heads"]["options"]] == ["1", "2", "4", "8"]
    assert [value for value, _ in toggles["mask"]["options"]] == [*MASKS]


LEAVES = [("words", "red green"), ("d_model", 12), ("seed", 3), ("kv_heads", 1)]
OWN_WORDS = [name for name, example in PRESETS.items() if example.row_of is None]
"""The examples that are for their own words alone."""


@pytest.mark.parametrize(("name", "leaves"), paired(some(OWN_WORDS, 3), LEAVES))
def test_an_example_is_left_by_what_it_has_no_matrices_for(
    name: str, leaves: tuple[str, Any]
) -> None:
    way, value = leaves
    page = opened(text="my own words", preset=name, step="weights")
    own, before = PRESETS[name], stage(page)
    assert sentence(page).value == " ".join(own.tokens)
    assert stage(page).document["story"] == [own.title, cut(own.story), [], {}]
    if way == "words":
        sentence(page).set_value(value).run()
    else:
        page.session_state["numbers_panel"] = True
        page.run()
        page.number_input(key=way).set_value(value).run()
    assert not page.exception
    assert not page.error
    tokens = ("red", "green") if way == "words" else own.tokens
    data = stage(page)
    assert page.session_state["preset"] is None
    assert sentence(page).value == " ".join(tokens)
    assert len(data.labels("weights")[0]) == len(tokens)
    assert data.document["story"] == ["", [""], [], {}]
    assert "no longer the example" in page.warning[0].value
    assert data.document["options"]["scale"] == ("on" if own.settings["scale"] else "off")
    fresh = stage(opened(**dict(page.query_params)))
    assert (fresh.texts("weights") == data.texts("weights")).all()
    pressed(page, "Back to the example")
    assert stage(page).document["story"] == [own.title, cut(own.story), [], {}]
    assert dict(page.query_params) == {
        "text": "my own words", "preset": name, "step": "weights", **cell_of(page),
    }  # fmt: skip
    assert (stage(page).texts("weights") == before.texts("weights")).all()


def pressed(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click().run()


def cell_of(page: AppTest) -> dict[str, Any]:
    return {key: value for key, value in page.query_params.items() if key in ("cell", *SIZES)}


def test_what_was_edited_in_an_example_comes_back_with_it_and_ones_sentence_too() -> None:
    page = opened(text="my own words", preset="P1", scale="on")
    page.session_state["edits"] = {"X": np.ones((3, 4))}
    page.run()
    edited = stage(page).texts("scores")
    page.session_state["heads"] = 2
    page.run()
    assert sentence(page).value == "1 2 3"
    assert not page.session_state["edits"]
    assert not page.session_state["undo"]
    assert "and what was edited there" in page.warning[0].value
    pressed(page, "Back to the example")
    assert (stage(page).texts("scores") == edited).all()
    assert stage(page).document["options"] == {"mask": "causal", "scale": "on", "heads": "1"}
    page.session_state["heads"] = 2
    page.run()
    pressed(page, "Back to my sentence")
    assert sentence(page).value == "my own words"
    assert stage(page).document["options"] == {"mask": "causal", "scale": "on", "heads": "2"}
    labels = [button.label for button in page.button]
    assert "Back to my sentence" not in labels
    assert "Back to the example" not in labels


def test_one_click_leads_back_to_ones_own_sentence() -> None:
    page = opened(text="my own words", mask="none")
    choose_example(page, "P4")
    assert len(stage(page).labels("scores")[0]) == 2
    pressed(page, "Back to my sentence")
    assert sentence(page).value == "my own words"
    assert {"text": "my own words", "mask": "none"}.items() <= dict(page.query_params).items()
    assert "preset" not in page.query_params


def test_the_story_of_an_example_says_what_of_it_was_changed() -> None:
    page = opened(preset="P4", mask="none")
    title, said, *_ = stage(page).document["story"]
    assert title == PRESETS["P4"].title
    assert said == [
        "You have changed the mask. About the example as it opens: ",
        *("bank", " reads from ", "river"),
        ", which comes before it, and moves towards it.",
    ]
    assert "".join(said).endswith(plainly(PRESETS["P4"].story))


def said(page: AppTest) -> str:
    return " ".join(text.value for text in page.markdown)


def test_a_control_changes_what_depends_on_it_and_nothing_else() -> None:
    page = opened(step="weights")
    before = stage(page)
    page.session_state["mask"] = "none"
    after = stage(page.run())
    old, new = (data.document["arrays"] for data in (before, after))
    changed = {name for name in old if old[name]["levels"] != new[name]["levels"]}
    assert changed == {"mask", "masked", "weights", "context", "concat", "output"}


def test_heads_that_do_not_fit_keep_the_last_view() -> None:
    page = opened(text="one two three", seed="4")
    before = stage(page)
    page.session_state["heads"] = 7
    page.run()
    assert "7 heads" in page.error[0].value.replace("\\", "")
    assert stage(page) == before


@pytest.mark.parametrize(("heads", "d_model"), [(12, 48), (16, 64), (16, 16), (12, 12)])
def test_as_many_heads_as_gpt_2_has_are_shown(heads: int, d_model: int) -> None:
    link = {"heads": str(heads), "d_model": str(d_model), "kv_heads": "4", "head": str(heads)}
    page = opened(**link, step="weights", cell=f"weights.{heads - 1}.2.1")
    assert not page.error
    assert not page.warning
    assert stage(page).selected == f"weights.{heads - 1}.2.1"
    assert stage(page).answer["view"]["slices"] == {"h": heads - 1}
    offered = {t["key"]: dict(t["options"]) for t in stage(page).document["toggles"]}["heads"]
    assert list(offered) == [str(n) for n in (4, 8, 12, 16) if d_model % n == 0]
    again = opened(**{key: str(value) for key, value in page.query_params.items()})
    assert stage(again) == stage(page)


def test_more_heads_than_there_may_be_are_said() -> None:
    page = opened(heads="17")
    said = page.warning[0].value.replace("\\", "")
    assert "heads is '17'; it must be a whole number from 1 to 16: choose one" in said
    page = opened(**TOY)
    page.session_state["heads"] = 12
    page.run()
    said = page.error[0].value.replace("\\", "")
    assert "12 heads cannot share d_model = 8 evenly: choose 1, 2, 4 or 8" in said


def test_edits_lie_on_top_and_say_so_when_they_do_not_fit() -> None:
    page = opened(**TOY)
    edited = np.array(Setup().trace["X"])
    edited[0, 0] = 1.5
    page.session_state["edits"] = {"X": edited}
    assert "m" in stage_query(page.run())
    page.session_state["text"] = "three words now"
    page.run()
    assert not page.exception
    page.session_state["heads"] = 4
    page.run()
    assert not page.exception


def stage_query(page: AppTest) -> dict[str, Any]:
    assert not page.exception
    return dict(page.query_params)


def test_given_scores_start_the_run_and_a_badge_says_so() -> None:
    page = opened(heads="1")
    page.session_state["edits"] = {"scores": np.zeros((1, 6, 6))}
    data = stage(page.run())
    assert data.document["badge"] == "starts from given scores"
    page.session_state["step"] = "weights"
    assert stage(page.run()).texts("weights")[-1].tolist() == ["0.17"] * 6


def test_ones_own_sentence_comes_back_with_what_was_chosen_before() -> None:
    page = opened(text="my own words", mask="window", window="4", heads="4", scale="off")
    choose_example(page, "P1")
    assert page.session_state["heads"] == 1
    pressed(page, "Back to my sentence")
    chosen = {key: page.session_state[key] for key in ("mask", "window", "heads", "scale")}
    assert chosen == {"mask": "window", "window": 4, "heads": 4, "scale": "off"}
    assert not page.exception


def test_a_head_that_is_not_there_is_said() -> None:
    page = opened(head="5")
    assert "head is 5" in page.warning[0].value
    assert page.session_state["head"] == 2


def test_nothing_before_is_said() -> None:
    page = opened(compare="before")
    (said,) = [info.value.replace("\\", "") for info in page.info]
    assert said.startswith("There is nothing before this view yet")
    assert stage(page).compared == ""
    page.session_state["seed"] = 4
    page.run()
    assert not page.info
    assert "differ" in stage(page).compared


def test_matrices_too_large_for_a_link_are_said_to_be_lost() -> None:
    page = opened(**TOY)
    draw = np.random.default_rng(1)
    page.session_state["edits"] = {"X": draw.normal(size=(64, 64))}
    page.session_state["d_model"] = 64
    page.run()
    assert any("too long for a link" in warning.value for warning in page.warning)
    assert "m" not in page.query_params


def test_the_link_keeps_a_chosen_place_from_step_to_step() -> None:
    page = opened(step="masked", cell="masked.1.3.0")
    for step, cell in (("weights", "weights.1.3.0"), ("context", "context.1.3.0")):
        page.session_state["step"], page.session_state["cell"] = step, ""
        assert stage(page.run()).selected == cell
        assert dict(page.query_params) == {"step": step, "cell": cell, "head": "2"}
        again = opened(**page.query_params)
        assert stage(again).selected == cell


@pytest.mark.parametrize(
    ("link", "step", "says"),
    [
        ({"mask": "none"}, "masked", "every key is visible"),
        ({}, "masked", "becomes −∞"),
        ({"scale": "off"}, "scaled", "do not change"),
        ({"scale": "0.5"}, "scaled", "Times 0.5"),
        ({}, "scaled", "nearly all weight to one key"),
    ],
)
def test_a_step_says_what_its_setting_does(link: dict[str, str], step: str, says: str) -> None:
    phases = stage(opened(step=step, **link)).document["phases"]
    assert says in next(phase["summary"] for phase in phases if step in phase["names"])


@pytest.mark.parametrize(("text", "said"), [("猫が座った", True), ("The cat sat", False)])
def test_a_sentence_without_spaces_is_its_characters_and_that_is_said(
    text: str, said: bool
) -> None:
    page = opened(text=text)
    assert stage(page).labels("scores")[0] == (list(text) if said else text.split())
    notes = [note.value for note in page.markdown if "script without spaces" in note.value]
    assert bool(notes) == said
