"""The teacher takes students out of a class: many at once, and those who are not there."""

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from tests.quotes import proves
from tests.ui.classroom.support import asked, press, ran, said
from tests.ui.support import opened
from ui.classroom.store.rooms import Rooms

LINK = "softmax?question=softmax-ratio.3"


def window(code: str, key: str) -> AppTest:
    """The teacher's window, with its students open."""
    page = opened("room", room=code, key=key)
    assert not page.multiselect, "nothing is read before they are open"
    page.session_state["room_students"] = True
    return ran(page)


@proves("""
    {number} · {name} · joined {time} | your answers are deleted, and this browser cannot join again
""")
def test_students_are_removed_many_at_once_and_let_back(store: Rooms) -> None:
    code, key = asked(store, LINK, wants_names=True)
    for n, name in enumerate(("Ada", "Ada", "עדה 2", "Eve")):
        store.join(code, f"s{n}", name)
        store.answer(code, 1, f"s{n}", str(n))
    page = window(code, key)
    assert "4 students, 4 of them here now." in said(page)
    labels = [label.partition(" · joined")[0] for label in page.multiselect[0].options]
    assert labels == ["1 · Ada", "2 · Ada", "3 · \u2068עדה 2\u2069", "4 · Eve"]
    assert next(one for one in page.button if one.label == "Remove students").disabled
    page.multiselect[0].set_value(["s1", "s3"])
    ran(page)
    store.join(code, "s4", "Zoe")
    ran(page)
    assert page.multiselect[0].value == ["s1", "s3"], "they stay chosen while others come"
    assert "Remove 2 students" in [one.label for one in page.button]
    store.remove(code, key, ["s3"])
    assert ran(page).multiselect[0].value == ["s1"], "who has gone meanwhile does not"
    press(page, "Remove 1 student")
    assert store.answers(code, 1, 1) == ["0", "2"]
    assert [one.student for one in store.places(code, key)] == ["s0", "s2", "s4"]
    assert page.multiselect[0].value == []
    with pytest.raises(InputError):
        store.join(code, "s1", "Ada")
    press(page, "Let 2 removed students join again")
    assert store.removed(code, key) == 0
    assert not [one for one in page.button if "join again" in one.label]


def test_a_press_lets_nobody_else_in_and_another_lets_students_in_again(store: Rooms) -> None:
    code, key = store.create()
    page = window(code, key)
    press(page, "Let nobody else in")
    assert "nobody else can join" in said(page)
    with pytest.raises(InputError, match="no new students"):
        store.join(code, "s0")
    press(page, "Let students in again")
    assert "nobody else can join" not in said(page)
    store.join(code, "s0")
    store.close_room(code, key)
    assert not [one for one in ran(page).button if "in" in one.label.split()]


@proves("{count}, {there} of them here now. {empty} empty")
def test_empty_places_are_cleared_by_a_press(store: Rooms) -> None:
    code, key = store.create()
    for n in range(3):
        store.join(code, f"s{n}")
    page = window(code, key)
    assert next(one for one in page.button if one.label == "Clear empty places").disabled
    clock = store._clock
    store._clock = lambda: clock() + 60
    assert store.is_here(code, "s1")
    assert "3 students, 1 of them here now. 2 places are empty." in said(ran(page))
    press(page, "Clear empty places")
    assert [one.student for one in store.places(code, key)] == ["s1"]
