"""Equal free texts are one with its count; texts are found, and several are let through at once."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.quotes import proves
from tests.ui.claims import drawn
from tests.ui.classroom.support import answered, asked, said
from tests.ui.classroom.teacher.test_free_texts import LINK, OTHER, SECRET, texts_of
from tests.ui.support import opened
from ui.classroom.store.given_texts import same_text
from ui.classroom.store.rooms import Rooms
from ui.classroom.teacher import free_texts
from ui.classroom.teacher.free_texts import FEW, FIND

RIVER = ("the river", "The river ", "the  RIVER", "the river.", "the river")
LONG, RTL, RUDE = "long words " * 18, "\u202eturned", "something rude"


@proves("Texts are one if they differ only in capital letters, spaces or a full stop at the end")
@given(st.text(max_size=30).filter(lambda text: " ".join(text.split()).strip(" .")))
def test_texts_are_equal_but_for_capitals_spaces_stops_and_stored_accents(text: str) -> None:
    same = same_text(text)
    for other in (f"  {text}\t", text.casefold(), unicodedata.normalize("NFC", text), f"{text}. "):
        assert same_text(other) == same
    for mark in "!x?é\u202e":
        assert same_text(f"{text}{mark}") != same


@pytest.mark.parametrize(
    ("one", "other"),
    [("x²", "x2"), ("a b", "ab"), ("\u202eabc", "abc"), ("why?", "why"), ("..", ".")],
)
def test_texts_that_may_mean_another_thing_are_two(one: str, other: str) -> None:
    assert same_text(one) != same_text(other)


@proves("{text} · {times} students · new | {text} × {times}")
def test_equal_texts_are_one_with_its_count_on_both_screens(store: Rooms) -> None:
    code, key = asked(store, LINK, *RIVER, OTHER)
    window, projector = opened("room", room=code, key=key), opened("room", room=code)
    assert texts_of(window) == ["the river · **5** students", OTHER]
    assert "6 texts, 2 different" in said(window)
    window.checkbox[0].set_value(True).run()
    assert "- the river **×\u00a05**" in said(projector.run()).splitlines()
    assert OTHER not in said(projector)
    answered(store, code, "late", "THE RIVER")
    assert "- the river **×\u00a06**" in said(projector.run()).splitlines(), "it was read"
    for n in (0, 1):
        store.answer(code, 1, f"s{n}", RUDE)
    assert "- the river **×\u00a04**" in said(projector.run()).splitlines()
    assert RUDE not in said(projector)
    assert texts_of(window.run())[0] == f"{RUDE} · **2** students · *new*"
    window.checkbox[1].set_value(False).run()
    assert "river" not in said(projector.run()).split("answered")[0].replace("river bank", "")


@proves("""
    {found} of {different} different texts found | Show {count} below Show the texts below | Hide
    {count} below Hide the texts below
""")
def test_several_texts_are_let_through_at_once_and_only_those_that_were_read(store: Rooms) -> None:
    texts = [*RIVER, "by the riverside", SECRET, OTHER, LONG, RTL, RUDE]
    code, key = asked(store, LINK, *texts)
    window, projector = opened("room", room=code, key=key), opened("room", room=code)
    different = len({*map(same_text, texts)})
    assert different > FEW
    window.text_input(key=FIND).set_value("River").run()
    assert f"2 of {different} different texts found" in said(window)
    assert texts_of(window) == ["the river · **5** students", "by the riverside"]
    answered(store, code, "late", "rude river")
    assert window.button(key="room_show_texts").label == "Show 2 texts below"
    window.button(key="room_show_texts").click().run()
    assert store.texts_let_through(code, 1, 1) == [("the river", 5), ("by the riverside", 1)]
    shown = said(projector.run())
    assert "by the riverside" in shown
    for hidden in (RUDE, "rude river", SECRET, OTHER):
        assert hidden not in shown
    window.text_input(key=FIND).set_value("side").run()
    window.button(key="room_hide_texts").click().run()
    assert store.texts_let_through(code, 1, 1) == [("the river", 5)]
    window.text_input(key=FIND).set_value("nobody wrote this").run()
    assert texts_of(window) == []
    assert window.button(key="room_show_texts").disabled


@proves("{more} not listed. Find them above, or press Download all answers")
def test_what_is_not_listed_is_found_by_the_field_above(
    store: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_texts, "MOST_LISTED_TEXTS", FEW)
    code, key = asked(store, LINK, *(f"text {n}" for n in range(FEW + 2)))
    window = opened("room", room=code, key=key)
    window.text_input(key=FIND).set_value("text").run()
    order = [*drawn(window.main, ("text_input", "caption"))]
    (more,) = (text for text in order if "not listed" in text)
    assert more.startswith("2 more texts are not listed")
    assert order.index("text") < order.index(more)
    assert "Download all answers (.csv)" in [
        one.proto.label for one in window.get("download_button")
    ]
    window.text_input(key=FIND).set_value(f"{FEW + 1}").run()
    assert texts_of(window) == [f"text {FEW + 1}"]
