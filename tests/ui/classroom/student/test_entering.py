"""Into a room: one student a connection, in turn, with what keeps who is removed or away out."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.quotes import proves
from tests.ui.classroom.student.test_joining import NUMBER
from tests.ui.classroom.support import asked, press, ran, said, send, student
from tests.ui.support import opened
from ui.classroom import class_session
from ui.classroom.store import students
from ui.classroom.store.rates import Door, Found, Rate
from ui.classroom.store.rooms import Rooms
from ui.classroom.student import entering

WAITS = "Your teacher has not asked anything yet"


def says(page: AppTest, who: object) -> AppTest:
    """The browser says its id, in the connection that there is."""
    page.session_state["student_of_browser"] = {"student": {"id": who, "visit": "x"}}
    return ran(page)


def named(page: AppTest, name: str) -> AppTest:
    """The student gives a name."""
    page.text_input[0].set_value(name)
    press(page, "Join")
    return page


def test_a_connection_is_one_student_whatever_ids_it_reports(store: Rooms) -> None:
    code, key = asked(store, NUMBER)
    page = says(opened("join", room=code), "first")
    send(page, "1")
    for n in range(20):
        assert "Sent: 1" in said(says(page, f"id-{n}"))
    odd: list[object] = ["", "\0", 7, None, [], "x" * 65]
    for one in odd:
        says(page, one)
    assert [place.student for place in store.places(code, key)] == ["first"]
    assert store.answers(code, 1, 1) == ["1"]
    keeps_nothing = says(opened("join", room=code), "")
    for n in range(3):
        says(keeps_nothing, f"id-{n}")
    assert len(store.places(code, key)) == 2


def test_a_known_id_takes_over_its_place(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    code, key = asked(store, NUMBER)
    send(says(opened("join", room=code), "me"), "1")
    monkeypatch.setattr(entering, "DOOR", Door(Rate(0, 0)))
    assert "Sent: 1" in said(says(opened("join", room=code), "me"))
    assert len(store.places(code, key)) == 1


@proves("Keep this page open: you are in as soon as it is your turn")
@pytest.mark.usefixtures("one_address")
def test_who_waits_is_told_so_then_let_in(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    code, key = store.create(wants_names=True)
    now = [0.0]
    door = Door(Rate(1, 1, lambda: now[0]), lambda: now[0])
    monkeypatch.setattr(entering, "DOOR", door)
    assert WAITS in said(named(student(code, "other"), "Eve"))
    page = named(student(code, "me"), "Bob")
    assert "Many are joining from your network" in said(page)
    assert "me" not in store.names(code, key)
    now[0] += 1
    assert WAITS in said(ran(page))
    assert store.names(code, key)["me"] == "Bob"


def test_who_is_removed_is_told_so_and_can_be_let_back(store: Rooms) -> None:
    code, key = asked(store, NUMBER, wants_names=True)
    page = named(student(code), "Ada")
    send(page, "1")
    press(page, "Change")
    page.text_input[0].set_value("3")
    store.remove(code, key, ["me"])
    press(page, "Send")
    for one in (page, student(code)):
        assert f"Your teacher has removed you from class {code}" in said(one)
        assert not one.text_input
    assert store.answers(code, 1, 1) == []
    store.let_back(code, key)
    send(ran(page), "2")
    assert store.answers(code, 1, 1) == ["2"]


def test_whose_empty_place_was_given_up_comes_back_with_the_same_name(store: Rooms) -> None:
    code, key = store.create(wants_names=True)
    page = named(student(code), "Ada")
    store._clock = lambda: 1e12
    assert store.clear_empty(code, key) == 1
    ran(page)
    assert store.names(code, key) == {"me": "Ada"}
    other, its_key = store.create(wants_names=True)
    page.query_params["room"] = other
    ran(page)
    assert store.names(other, its_key) == {}, "another class asks for the name again"
    assert page.text_input


def test_a_free_place_lets_the_next_one_in(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(students, "MOST_STUDENTS", 1)
    code, key = store.create()
    store.join(code, "other")
    page = student(code)
    assert f"Class {code} has 1 students" in said(page)
    store.remove(code, key, ["other"])
    assert WAITS in said(ran(page))


@pytest.mark.usefixtures("one_address")
@pytest.mark.parametrize("wants_names", [False, True])
def test_who_finds_a_class_shut_is_told_so_and_comes_in_once_it_is_open_again(
    store: Rooms, monkeypatch: pytest.MonkeyPatch, wants_names: bool
) -> None:
    """And takes no turn at the door meanwhile, nor gives a name for nothing."""
    monkeypatch.setattr(entering, "DOOR", Door(Rate(1, 0)))
    code, key = store.create(wants_names=wants_names)
    store.let_in(code, key, False)
    page = student(code)
    for _ in range(3):
        assert f"Class {code} takes no new students now" in said(page)
        assert "ask your teacher to let students in again" in said(page)
        assert not page.text_input
        ran(page)
    store.let_in(code, key, True)
    ran(page)
    assert WAITS in said(named(page, "Ada") if wants_names else page)


@pytest.mark.parametrize("wants_names", [False, True])
def test_who_is_in_a_shut_class_goes_on_after_a_reload_too(store: Rooms, wants_names: bool) -> None:
    code, key = asked(store, NUMBER, wants_names=wants_names)
    page = named(student(code), "Ada") if wants_names else student(code)
    send(page, "1")
    store.let_in(code, key, False)
    for one in (ran(page), student(code)):
        assert "Sent: 1" in said(one)
        press(one, "Change")
        send(one, "2")
        assert "Sent: 2" in said(one)
        store.answer(code, 1, "me", "1")


@pytest.mark.usefixtures("one_address")
def test_guesses_of_one_lock_no_other_out(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    """The teacher opens the class in the same network: there its code is no guess any more."""
    monkeypatch.setattr(class_session, "LOOKS", Rate(at_once=3, each_second=0))
    found = Found()
    monkeypatch.setattr(class_session, "FOUND", found)
    for _ in range(4):
        guess = opened("join", room="777777")
    assert "Too many codes" in said(guess)
    code, _ = class_session.new_room()
    assert f"Class {code}" in said(student(code))
    elsewhere, _ = store.create()
    assert "Too many codes" in said(opened("join", room=elsewhere))
