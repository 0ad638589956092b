"""What does not fit gives way, and the link says the same as the view."""

from functools import partial
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.setups import Setup
from tests.links import TOY
from tests.quotes import proves
from tests.ui import support
from tests.ui.support import changed, link_of, refused, stage, warned
from ui.chapters.walkthrough.keys import packed_edits

opened = partial(support.opened, "walkthrough")
TEXT = "red green blue"


def link(page: AppTest) -> dict[str, str]:
    """What a link says but for its step, which each names."""
    return {key: value for key, value in link_of(page).items() if key != "step"}


def edited_x(text: str = "The cat sat on the mat", **settings: Any) -> np.ndarray:
    matrix = np.array(Setup(text=text, **settings).trace["X"])
    matrix[0, 0] = 1.75
    return matrix


def again(page: AppTest) -> None:
    """The address describes the view: opened anew it shows the same, and nothing is wrong."""
    other = opened(**link(page))
    assert not other.error
    assert not other.warning
    assert stage(other) == stage(page)
    assert link(other) == link(page)


LINKS = [
    ({"text": TEXT, "mask": "none", "heads": "3"}, {"text": TEXT, "mask": "none"},
     ["3 heads cannot share d_model = 8 evenly: choose 1, 2, 4 or 8"]),
    ({"text": TEXT, "d_model": "7"}, {"text": TEXT},
     ["2 heads cannot share d_model = 7 evenly: choose 1 or 7"]),
    ({"kv_heads": "3", "heads": "4", "text": TEXT}, {"heads": "4", "text": TEXT},
     ["3 key/value heads cannot serve 4 heads evenly: choose 1, 2 or 4"]),
    ({"heads": "17", "text": TEXT}, {"text": TEXT},
     ["heads is '17'; it must be a whole number from 1 to 16: choose one"]),
    ({"text": "", "heads": "4"}, {"heads": "4"},
     ["The sentence is empty; it needs at least one word: type a word"]),
    ({"text": TEXT, "heads": "3", "d_model": "7", "seed": "5"}, {"text": TEXT, "seed": "5"},
     ["3 heads cannot share d_model = 8", "2 heads cannot share d_model = 7"]),
    ({"text": TEXT, "m": packed_edits({"W_Q": np.ones((2, 9, 4))})}, {"text": TEXT}, ["W_Q"]),
    ({"m": packed_edits({"X": edited_x(), "W_Q": np.ones((2, 9, 4))})},
     {"m": packed_edits({"X": edited_x()})}, ["W_Q"]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "kept", "complaints"), LINKS)
def test_of_a_link_only_what_does_not_fit_is_replaced(
    given: dict[str, str], kept: dict[str, str], complaints: list[str]
) -> None:
    page = opened(**given)
    assert not page.error
    messages = warned(page)
    assert len(messages) == len(complaints)
    for message, complaint in zip(messages, complaints, strict=True):
        assert message.startswith("In the link: ")
        assert complaint in message
        assert message.endswith("The default is used instead.")
    assert link(page) == kept
    again(page)


@pytest.mark.parametrize(
    ("bad", "shown"),
    [
        ({"heads": 5}, "heads = 4, as it last worked"),
        ({"kv_heads": 3}, "the default of key/value heads, as it last worked"),
        ({"d_model": 6}, "d_model = 12, as it last worked"),
        ({"text": " "}, "the sentence, as it last worked"),
    ],
)
def test_the_address_is_that_of_the_view_whatever_is_typed(bad: dict[str, Any], shown: str) -> None:
    page = opened(text=TEXT, heads="4", d_model="12", scale="off", mask="window")
    before, address = stage(page), link(page)
    changed(page, **bad)
    (message,) = refused(page)
    assert message.endswith(f"Shown below: {shown}.")
    assert stage(page) == before
    assert link(page) == address
    changed(page, seed=7)
    assert len(page.error) == 1
    assert link(page) == address | {"seed": "7"}
    again(page)


def test_two_controls_that_are_unusable_are_both_said() -> None:
    page = changed(opened(text=TEXT), text="", heads=3)
    heads, sentence = refused(page)
    assert heads.startswith("3 heads cannot share d_model = 8 evenly")
    assert heads.endswith("Shown below: heads = 2, as it last worked.")
    assert sentence.startswith("The sentence is empty")
    assert link(page) == {"text": TEXT}


def test_an_edit_is_shown_at_once_while_a_control_is_unusable() -> None:
    page = changed(opened(**TOY), heads=6)
    changed(page, edits={"X": edited_x()})
    assert "with your own X" in stage(page).document["badge"]
    assert refused(page)[0].startswith("6 heads cannot share d_model = 8")
    assert link(page) == {"m": packed_edits({"X": edited_x()})}
    again(page)


@proves("Reset takes all edits back")
@pytest.mark.parametrize(("heads", "badge"), [(6, "starts from given scores"), (4, "")])
def test_reset_takes_edits_back_also_while_they_wait(heads: int, badge: str) -> None:
    page = changed(opened(**TOY), edits={"scores": np.zeros((2, 6, 6))})
    assert stage(page).document["badge"] == "starts from given scores"
    changed(page, heads=heads)
    assert stage(page).document["badge"] == badge
    assert len(page.error) == 1
    page.button(key="reset_edits").click().run()
    assert stage(page).document["badge"] == ""
    assert len(page.error) == (heads == 6), "that an edit waits is said no longer"
    assert link(page) == ({} if heads == 6 else {"heads": "4"})


@proves("Your edited {names} {?} not fit: {error}. {?} kept, and used again when the settings fit")
def test_edits_that_do_not_fit_wait_and_the_others_stay() -> None:
    page = changed(opened(**TOY), edits={"X": edited_x(), "scores": np.zeros((2, 6, 6))})
    changed(page, heads=4)
    (message,) = refused(page)
    assert message.startswith("Your edited scores does not fit: ")
    assert stage(page).document["badge"] == "with your own X"
    assert link(page) == {"heads": "4", "m": packed_edits({"X": edited_x()})}
    again(page)
    changed(page, heads=2)
    assert not page.error
    assert stage(page).document["badge"] == "starts from given scores; with your own X"


def test_edits_are_packed_once_and_not_at_every_change(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = Mock(wraps=packed_edits)
    monkeypatch.setattr("ui.chapters.walkthrough.view.packed_edits", packed)

    def times() -> int:
        return [set(call.args[0]) for call in packed.call_args_list].count({"X"})

    page = changed(opened(**TOY), edits={"X": edited_x()})
    changed(changed(page, step="weights"), seed=3)
    assert times() == 1
    changed(page, heads=3)
    assert times() <= 2


def test_what_worked_with_an_edit_alone_falls_back_when_it_is_gone() -> None:
    page = changed(opened(text=TEXT), edits={"X": edited_x(heads=3, d_model=9)}, heads=3)
    assert not page.error
    page.button(key="reset_edits").click().run()
    assert refused(page)[0].startswith("3 heads cannot share d_model = 8 evenly")
    assert link(page) == {"text": TEXT}
    again(page)


@pytest.mark.parametrize("edited", [False, True])
def test_what_an_example_loses_when_it_is_left_is_said_where_it_does(edited: bool) -> None:
    page = opened(preset="P4")
    if edited:
        changed(page, edits={"X": np.ones((2, 3))})
    changed(page, heads=2)
    (message,) = warned(page)
    assert message.endswith(
        "have replaced its own and what was edited there." if edited else "have replaced its own."
    )
    assert not page.session_state.edits


def test_a_mask_that_was_drawn_in_an_example_is_not_said_to_be_lost() -> None:
    page = changed(opened(preset="P9b"), edits={"mask": np.eye(3, dtype=bool)})
    changed(page, heads=2)
    assert warned(page)[0].endswith("have replaced its own.")
    assert page.session_state.mask == "custom"
    again(page)
    np.testing.assert_array_equal(page.session_state.good.trace["mask"], np.eye(3))


@proves("""
    the limit is {limit} characters. When the page is loaded again, {lost} will be lost. Download
    the matrices (.npz) to keep them
""")
def test_matrices_are_to_be_downloaded_where_it_is_they_that_are_lost() -> None:
    page = changed(opened(**TOY), text="a" * 9_000)
    (message,) = warned(page)
    assert "the sentence will be lost" in message
    assert "Download" not in message
    many = np.random.default_rng(1).normal(size=(64, 64))
    page = changed(opened(**TOY), edits={"X": many}, d_model=64)
    assert "too long for a link" in warned(page)[0]
    assert "Download the matrices (.npz) to keep them." in warned(page)[0]
    assert "m" not in link(page)
