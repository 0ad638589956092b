"""The page in its starting state and through its controls."""

import re
from functools import partial
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from core.attention.examples.presets import PRESETS
from core.attention.masks import OFFERED
from core.program.labels import plainly
from tests.links import TOY
from tests.sampling import paired, some
from tests.ui.support import changed, cut, link_of, pressed, prose, sentence, stage, warned
from tests.ui.support import opened as open_page
from ui.chapters.walkthrough import sharing

OFFERED_SIZES = ("d_model", "seed", "kv_heads")
opened = partial(open_page, "walkthrough")


def test_a_link_that_names_the_first_step_alone_shows_toy_numbers() -> None:
    page = opened(**TOY)
    assert (stage(page).step, stage(page).selected) == ("X", "X.2.0")
    assert dict(page.query_params) == TOY
    example_left = changed(opened(), preset=None)
    assert dict(example_left.query_params) == TOY, "a bare address opens the example"
    assert stage(example_left) == stage(page)
    sentence(page).set_value("red green").run()
    assert dict(page.query_params) == {"text": "red green", **TOY}


@pytest.mark.parametrize("link", [{"seed": "1"}, {"present": "1"}, {"text": "a b"}, {"else": "1"}])
def test_a_link_without_a_step_means_the_scores(link: dict[str, str]) -> None:
    page = opened(**link)
    assert stage(page).step == "scores"
    assert dict(page.query_params) == link
    nonsense = opened(step="<b>", **link)
    assert stage(nonsense).step == "scores"
    assert "step is '<b>'" in warned(nonsense)[0]


@pytest.mark.parametrize(
    ("name", "step"), paired(some(list(PRESETS), 2), ["X", "scores", "masked", "weights", "output"])
)
def test_every_example_can_be_walked_and_its_settings_leave_the_link(name: str, step: str) -> None:
    own = PRESETS[name].settings
    page = opened(preset=name, step=step, compare="mask", mask=own["mask"])
    data = stage(page)
    assert data.step == step
    assert data.document["options"]["mask"] == own["mask"]
    assert data.texts(step).shape == PRESETS[name].run()[step].shape[-2:]
    assert "mask" not in page.query_params
    assert not page.warning


def test_what_a_link_says_lies_on_top_of_its_preset() -> None:
    page = opened(preset="P3", mask="none", scale="off", step="weights")
    data = stage(page)
    assert data.document["options"] == {"mask": "none", "scale": "off", "heads": "1"}
    assert data.texts("weights").tolist() == [["0.20"] * 5] * 5
    assert {"preset": "P3", "mask": "none", "scale": "off"}.items() <= link_of(page).items()
    assert "You have changed the mask and the scale of the example." in prose(page)
    page.button(key="as_it_opens").click().run()
    assert stage(page).texts("weights")[1].tolist() == ["0.50", "0.50", "0", "0", "0"]
    assert "You have changed" not in prose(page)
    assert link_of(page) == {"preset": "P3", "step": "weights"}


def test_a_preset_offers_what_its_matrices_allow_and_heads_that_leave_it() -> None:
    page = opened(preset="P3", heads="4")
    assert "matrices are for 1" in warned(page)[0]
    toggles = {toggle["key"]: toggle for toggle in stage(page).document["toggles"]}
    assert [value for value, _ in toggles["heads"]["options"]] == ["1", "2", "4", "8"]
    assert [value for value, _ in toggles["mask"]["options"]] == [*OFFERED]


LEAVES = [("words", "red green"), ("d_model", 12), ("seed", 3), ("kv_heads", 1)]
OWN_WORDS = [name for name, example in PRESETS.items() if example.row_of is None]
"""The examples that are for their own words alone."""


@pytest.mark.parametrize(("name", "leaves"), paired(some(OWN_WORDS, 3), LEAVES))
def test_what_an_example_has_no_matrices_for_leaves_it(name: str, leaves: tuple[str, Any]) -> None:
    way, value = leaves
    page = opened(text="my own words", preset=name, step="weights")
    own, before = PRESETS[name], stage(page)
    story = [own.title, cut(own.story), [], {}]
    assert sentence(page).value == " ".join(own.tokens)
    assert before.document["story"] == story
    if way == "words":
        sentence(page).set_value(value).run()
    else:
        changed(page, numbers_panel=True).number_input(key=way).set_value(value).run()
    assert not page.error
    tokens = ("red", "green") if way == "words" else own.tokens
    data = stage(page)
    assert page.session_state["preset"] is None
    assert sentence(page).value == " ".join(tokens)
    assert len(data.labels("weights")[0]) == len(tokens)
    assert data.document["story"] == ["", [""], [], {}]
    assert "no longer the example" in warned(page)[0]
    assert data.document["options"]["scale"] == ("on" if own.settings["scale"] else "off")
    fresh = stage(opened(**link_of(page)))
    assert (fresh.texts("weights") == data.texts("weights")).all()
    pressed(page, "Back to the example")
    assert stage(page).document["story"] == story
    link = {"text": "my own words", "preset": name, "step": "weights"}
    assert {key: link_of(page)[key] for key in link} == link
    assert {*link_of(page)} <= {*link, "cell", *OFFERED_SIZES}
    assert (stage(page).texts("weights") == before.texts("weights")).all()


def test_what_was_edited_in_an_example_comes_back_with_it_and_ones_sentence_too() -> None:
    page = changed(
        opened(text="my own words", preset="P1", scale="on"), edits={"X": np.ones((3, 4))}
    )
    edited = stage(page).texts("scores")
    changed(page, heads=2)
    assert sentence(page).value == "1 2 3"
    assert not page.session_state["edits"]
    assert not page.session_state["undo"]
    assert "and what was edited there" in warned(page)[0]
    pressed(page, "Back to the example")
    assert (stage(page).texts("scores") == edited).all()
    assert stage(page).document["options"] == {"mask": "causal", "scale": "on", "heads": "1"}
    changed(page, heads=2)
    pressed(page, "Back to my sentence")
    assert sentence(page).value == "my own words"
    assert stage(page).document["options"] == {"mask": "causal", "scale": "on", "heads": "2"}
    assert not {"Back to my sentence", "Back to the example"} & {b.label for b in page.button}


def test_the_story_of_an_example_says_what_of_it_was_changed() -> None:
    title, told, *_ = stage(opened(preset="P4", mask="none")).document["story"]
    assert title == PRESETS["P4"].title
    assert told == [
        "You have changed the mask. About the example as it opens: ",
        *("bank", " reads from ", "river"),
        ", which comes before it, and moves towards it.",
    ]
    assert "".join(told).endswith(plainly(PRESETS["P4"].story))


def test_a_control_changes_what_depends_on_it_and_nothing_else() -> None:
    page = opened(step="weights")
    before = stage(page)
    after = stage(changed(page, mask="none"))
    old, new = (data.document["arrays"] for data in (before, after))
    moved = {name for name in old if old[name]["levels"] != new[name]["levels"]}
    assert moved == {"mask", "masked", "weights", "context", "concat", "output"}


@pytest.mark.parametrize(("heads", "d_model"), some([(12, 48), (16, 64), (16, 16), (12, 12)], 3))
def test_as_many_heads_as_gpt_2_has_are_shown(heads: int, d_model: int) -> None:
    link = {"heads": str(heads), "d_model": str(d_model), "kv_heads": "4", "head": str(heads)}
    page = opened(**link, step="weights", cell=f"weights.{heads - 1}.2.1")
    assert not page.error
    assert not page.warning
    assert stage(page).selected == f"weights.{heads - 1}.2.1"
    assert stage(page).answer["view"]["slices"] == {"h": heads - 1}
    offered = {t["key"]: dict(t["options"]) for t in stage(page).document["toggles"]}["heads"]
    assert list(offered) == [str(n) for n in (4, 8, 12, 16) if d_model % n == 0]
    assert stage(opened(**link_of(page))) == stage(page)


def test_a_head_that_is_not_there_is_said() -> None:
    page = opened(head="5")
    assert "head is 5" in warned(page)[0]
    assert page.session_state["head"] == 2


def test_nothing_before_is_said() -> None:
    page = opened(compare="before")
    (said,) = [info.value.replace("\\", "") for info in page.info]
    assert said.startswith("There is nothing before this view yet")
    assert stage(page).compared == ""
    changed(page, seed=4)
    assert not page.info
    assert "differ" in stage(page).compared


@pytest.mark.parametrize(("compare", "step"), [("mask", "masked"), ("scale", "scaled")])
@pytest.mark.parametrize("link", [{}, {"mask": "none", "scale": "off"}])
def test_the_other_setting_differs_from_its_step_on(
    compare: str, step: str, link: dict[str, str]
) -> None:
    said = stage(opened(compare=compare, step=step, **link)).differences
    assert said is not None
    assert not said["said"]["scores"][0] or said["said"]["scores"][0].startswith("0 of")
    assert re.match(r"[1-9]\d* of \d+ numbers", said["said"][step][0])


def test_a_worksheet_has_the_key_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Mock(return_value="-")
    monkeypatch.setattr(sharing, "worksheet", sheet)
    page = changed(opened(), worksheet_panel=True)
    changed(page, sheet_key=sharing.SUMS)
    asked = [call.kwargs["sums"] for call in sheet.call_args_list]
    assert (sharing.SUMS, asked) == ("numbers and sums", [False, True])


def test_the_link_keeps_a_chosen_place_from_step_to_step() -> None:
    page = opened(step="masked", cell="masked.1.3.0")
    for step, cell in (("weights", "weights.1.3.0"), ("context", "context.1.3.0")):
        assert stage(changed(page, step=step, cell="")).selected == cell
        assert link_of(page) == {"step": step, "cell": cell, "head": "2"}
        assert stage(opened(**link_of(page))).selected == cell


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
def test_a_sentence_without_spaces_is_its_characters_and_says_so(text: str, said: bool) -> None:
    page = opened(text=text)
    assert stage(page).labels("scores")[0] == (list(text) if said else text.split())
    notes = [note.value for note in page.markdown if "script without spaces" in note.value]
    assert bool(notes) == said
