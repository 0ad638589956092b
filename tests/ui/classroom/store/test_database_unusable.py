"""Every screen of a class whichever of its looks into the file fails: it says so and nothing else,
and is the same as before once the file can be used again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import Mock, patch

import pytest
from streamlit.testing.v1 import AppTest

from core.files.lesson import write_lesson
from tests.sampling import ROOT, some
from tests.ui.classroom.store.test_rooms_lessons import LESSON
from tests.ui.classroom.support import said
from tests.ui.support import changed
from ui.classroom.class_session import ASKED, OWN_ROOM
from ui.classroom.store.database import Database
from ui.classroom.store.room import name_in_links, screen_key
from ui.classroom.store.rooms import ANSWER, Rooms
from ui.server.unavailable import UnavailableError

SAID = "The server could not use its file of classes; nothing was changed"
FALSE = ("is gone", "was deleted", "There is no class", "removed", "is closed", "shown without")
"""What is true only of a room that is not there."""
QUESTION, SCENE = "softmax?question=softmax-change.3", "?preset=P4&step=scores&cover=scores"


def asked_room(store: Rooms, *links: str, **kind: bool) -> tuple[str, str]:
    code, key = store.create(wants_names=True, **kind)
    store.put_lesson(code, key, write_lesson(LESSON))
    for link in links or (QUESTION, f"?lesson={name_in_links(code)}.1"):
        store.ask(code, key, link)
    for n in range(3):
        store.join(code, f"s{n}", f"Student {n}")
        store.answer(code, len(links) or 2, f"s{n}", "1")
        store.let_through(code, key, f"s{n}")
    return code, key


Visit = tuple[str, dict[str, str], dict[str, Any]]
"""A page, its link, and what a session has."""


def visits(store: Rooms) -> dict[str, Visit]:
    """Every screen of a class."""
    code, key = asked_room(store)
    quiz, _ = asked_room(store, QUESTION, QUESTION, shows_results=False)
    closed, its_key = asked_room(store)
    store.close_room(closed, its_key)
    of_texts, key_of_texts = asked_room(store, "words?lesson=class.1")
    told, key_of_told = asked_room(store)
    store.show(told, key_of_told, ANSWER)
    scene, key_of_scene = asked_room(store, SCENE)
    store.show_scene(scene, key_of_scene, True)
    lesson = name_in_links(code)
    on_scene = {"room": scene, "screen": screen_key(key_of_scene), "present": "1", "preset": "P4"}
    return {
        "a student": ("join", {"room": code}, {"student": "s1"}),
        "a student of a quiz": ("join", {"room": quiz}, {"student": "s1"}),
        "a student of a closed room": ("join", {"room": closed}, {"student": "s1"}),
        "a teacher": ("room", {"room": code, "key": key}, {}),
        "a teacher of free texts": ("room", {"room": of_texts, "key": key_of_texts}, {}),
        "a projector": ("room", {"room": told, "screen": screen_key(key_of_told)}, {}),
        "a projector of nothing": ("room", {"room": store.create()[0]}, {}),
        "a scene on the projector": ("walkthrough", on_scene, {}),
        "a teacher who opens a room": ("room", {}, {OWN_ROOM: (code, key)}),
        "a lesson's scene": ("walkthrough", {"lesson": f"{lesson}.1"}, {OWN_ROOM: (code, key)}),
        "a question that was asked": (
            "softmax", {"question": "softmax-change.3"}, {OWN_ROOM: (code, key), ASKED: "softmax"},
        ),
    }  # fmt: skip


def as_the_app_does(page: str) -> None:
    import runpy

    from ui.server.unavailable import said_if_unavailable

    with said_if_unavailable("page"):
        runpy.run_path(page, run_name="__main__")


@contextmanager
def failing(first: int = 10**9) -> Iterator[list[int]]:
    """From this look on, counted from 0, the file cannot be used; and the looks so far."""
    looks, connections = [0], Database._connections

    def look(database: Database) -> Any:
        looks[0] += 1
        if looks[0] > first:
            raise OSError("Input/output error")
        return connections(database)

    with patch.object(Database, "_connections", look):
        yield looks


@pytest.mark.parametrize("at", some(range(11), 2))
def test_a_screen_says_that_the_file_cannot_be_used_and_comes_back(store: Rooms, at: int) -> None:
    who, (name, link, state) = [*visits(store).items()][at]
    page = AppTest.from_function(
        as_the_app_does, args=(str(ROOT / "pages" / f"{name}.py"),), default_timeout=60
    )
    page.query_params.update(link)
    changed(page, **state)
    page.run()
    with failing() as looks:
        whole = said(page.run())
    assert looks[0] > 0
    assert SAID not in whole
    for first in range(looks[0]):
        with failing(first):
            told = said(page.run())
        assert SAID in told, (who, first)
        assert not [false for false in FALSE if false in told and false not in whole], (who, first)
    assert said(page.run()) == whole


def test_the_app_draws_its_pages_so(monkeypatch: pytest.MonkeyPatch) -> None:
    unavailable = Mock(side_effect=UnavailableError(SAID))
    monkeypatch.setattr("ui.page.frame.leave_work", unavailable)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert SAID in said(page)
