"""A lesson of a teacher's own in a room: who gets what of it, and for how long."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.files.lesson import MAX_LESSON_BYTES, Lesson, write_lesson
from tests.ui.classroom.support import asked_now, bytes_kept, said
from tests.ui.support import changed, opened, told, unopened
from ui.classroom import class_session
from ui.classroom.class_session import OWN_ROOM
from ui.classroom.questions.asked import asked_question
from ui.classroom.store.rates import Rate
from ui.classroom.store.room import name_in_links, room_in_name
from ui.classroom.store.rooms import KEPT, Rooms
from ui.lessons.course import ScenePosition
from ui.lessons.folder import is_in_folder
from ui.lessons.shelf import lesson_in_room, read_own, scene_named

SCENE = """
[[scene]]
title = "S{n}"
link = "?preset=P4&step=scores&cell=scores.0.1.{n}&cover=scores"
minutes = 1
say = "W{n}"
do = "TASK{n}"
answer = "ANSWER{n}"
note = "NOTE{n}"
"""
LESSON = read_own(('title = "T"\n' + SCENE.format(n=0) + SCENE.format(n=1)).encode())
SECRET = ("ANSWER", "NOTE")


def given(store: Rooms, lesson: Lesson = LESSON) -> tuple[str, str]:
    code, key = store.create()
    store.put_lesson(code, key, write_lesson(lesson))
    return code, key


def scene_of_session(code: str, **state: object) -> AppTest:
    return changed(unopened("walkthrough", lesson=f"{name_in_links(code)}.1"), **state)


def test_anybody_with_the_code_reads_the_lesson_without_answers_and_notes(store: Rooms) -> None:
    code, key = given(store)
    for page in (scene_of_session(code), scene_of_session(code, **{OWN_ROOM: (code, "x" * 22)})):
        assert "W0" in said(page)
        assert "TASK0" in said(page)
        assert not any(word in said(page) for word in SECRET)
    teachers = said(scene_of_session(code, **{OWN_ROOM: (code, key)}))
    assert "ANSWER0" in teachers
    assert "NOTE0" in teachers
    assert not any(word in write_lesson(lesson_in_room(name_in_links(code))) for word in SECRET)


def test_its_name_is_none_of_a_file_s_and_of_no_other_room_s(store: Rooms) -> None:
    code, key = given(store)
    other, _ = store.create()
    name = name_in_links(code)
    assert room_in_name(name) == code
    assert not any(map(room_in_name, ("own", "class", code, "~", "~a", f"{name}x")))
    assert not is_in_folder(name)
    with pytest.raises(InputError, match="has no lesson"):
        scene_named(f"{name_in_links(other)}.1")
    assert "has no lesson" in said(scene_of_session(other))
    assert lesson_in_room(name, key) == LESSON


def test_a_room_has_one_lesson_which_its_teacher_puts_there(store: Rooms) -> None:
    code, key = given(store)
    store.put_lesson(code, key, write_lesson(LESSON))
    with pytest.raises(InputError, match="not"):
        store.put_lesson(code, "x" * 22, write_lesson(LESSON))
    with pytest.raises(InputError, match="200,000"):
        store.put_lesson(*store.create(), "#" * (MAX_LESSON_BYTES + 1))
    assert store.lesson(code) == write_lesson(LESSON).encode()


def test_it_is_read_in_a_closed_room_and_goes_with_the_room(store: Rooms, store_file: Path) -> None:
    code, key = given(store)
    store.close_room(code, key)
    assert "W0" in said(scene_of_session(code))
    with pytest.raises(InputError, match="closed"):
        store.put_lesson(code, key, write_lesson(LESSON))
    store.delete_room(code, key)
    assert store.lesson(code) is None
    assert "has no lesson" in said(scene_of_session(code))
    assert b"ANSWER0" not in bytes_kept(store_file)
    old, _ = given(store)
    with store._database.writing() as connection:
        connection.execute("UPDATE rooms SET used = 0")
    store.forget_old(KEPT + 1)
    assert store.lesson(old) is None


def test_a_scene_is_asked_with_notes_for_the_teacher_alone_and_then_the_next(store: Rooms) -> None:
    code, key = given(store)
    link = ScenePosition(name_in_links(code), LESSON, 0).asked
    assert asked_question(link) == asked_question(LESSON.scenes[0].link)
    store.ask(code, key, link)
    window = opened("room", room=code, key=key)
    assert "ANSWER0" in said(window)
    assert "NOTE0" in said(window)
    projected = said(opened("room", room=code))
    assert "TASK0" in projected
    assert not any(word in projected for word in SECRET)
    window.button(key="room_next").click().run()
    assert asked_now(store, code).link == ScenePosition(name_in_links(code), LESSON, 1).asked
    assert "NOTE1" in said(window)


@pytest.mark.usefixtures("one_address")
def test_guesses_at_codes_of_lessons_count(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _ = given(store)
    monkeypatch.setattr(class_session, "LOOKS", Rate(at_once=2, each_second=0))
    assert "W0" in said(scene_of_session(code))
    assert "has no lesson" in said(scene_of_session("GGGGGG"))
    assert "Too many codes" in said(scene_of_session(code))


def test_once_given_a_lesson_of_ones_own_is_led_under_its_room_s_name(store: Rooms) -> None:
    code, key = given(store)
    name = name_in_links(code)
    page = changed(unopened("walkthrough", lesson="own.1"), own_lesson=LESSON)
    assert page.query_params["lesson"] == "own.1"
    changed(page, **{OWN_ROOM: (code, key)}, lesson_given=(LESSON, name))
    assert page.query_params["lesson"] == f"{name}.1"
    assert "own" not in page.query_params
    assert "ANSWER0" in said(page)
    assert f"Class **{code}** has the lesson" in said(page)
    ((way,),) = told(page, "lesson")
    led = [scene["address"].rpartition("=")[2] for scene in way["scenes"]]
    assert led == [f"{name}.1", f"{name}.2"]
    store.delete_room(code, key)
    page.query_params["lesson"] = "own.2"
    assert page.run().query_params["lesson"] == "own.2"
    assert "W1" in said(page)


def test_after_a_reload_a_teacher_is_told_where_the_notes_are(store: Rooms) -> None:
    code, key = given(store)
    sentence = f"in the browser that gave it to class **{code}**"
    assert sentence in said(scene_of_session(code))
    assert sentence not in said(scene_of_session(code, **{OWN_ROOM: (code, key)}))
    students = opened("walkthrough", lesson=f"{name_in_links(code)}.1", role="student")
    assert sentence not in said(students)


def test_a_lesson_can_be_replaced_until_a_scene_of_it_is_asked(store: Rooms) -> None:
    code, key = given(store)
    name = name_in_links(code)
    title = "title = 'T'\n[[scene]]\ntitle = 'S'\nlink = '?preset=P4&step=scores'\nminutes = 1\n"
    first, corrected = (f"{title}say = '{said}'\ndo = '{said}?'\n" for said in ("Old", "New"))
    store.put_lesson(code, key, first)
    link = f"?preset=P4&step=scores&lesson={name}.1"
    assert "Old" in asked_question(link).prompt
    store.ask(code, key, "?preset=P4&step=scores&cover=scores&lesson=class.1")
    store.put_lesson(code, key, corrected)
    assert "New" in asked_question(link).prompt
    assert "New" in said(scene_of_session(code))
    store.ask(code, key, link.replace("~", "%7E"))
    with pytest.raises(InputError, match=r"another lesson.*close the class"):
        store.put_lesson(code, key, first)
    store.put_lesson(code, key, corrected)
    assert store.lesson(code) == corrected.encode()
