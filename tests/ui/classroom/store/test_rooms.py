"""One answer a student and vote, from who may, while it may; what is over is forgotten."""

import asyncio
import re
from collections.abc import Callable, Iterator
from inspect import getmembers, isfunction
from pathlib import Path
from time import time

import pytest
from streamlit import App

from core.errors import InputError
from tests.ui.classroom.support import asked, asked_now, bytes_kept, room_of
from ui.classroom.store import rooms as module
from ui.classroom.store import students
from ui.classroom.store.given_texts import GivenText
from ui.classroom.store.room import screen_key
from ui.classroom.store.rooms import (
    ANSWER,
    BARS,
    FILE,
    KEPT,
    NOTHING,
    VARIABLE,
    Ask,
    Rooms,
    data_folder,
    rooms,
)
from ui.server import server_startup
from ui.server.server_startup import get_ready

LINK = "softmax?question=softmax-ratio.3"


def opened(store: Rooms, students: int = 3) -> tuple[str, str]:
    """A room in which one question is open, with students s0, s1, …"""
    return asked(store, LINK, *[""] * students)


def refused(what: str, action: Callable[..., object], *args: object) -> None:
    with pytest.raises(InputError, match=what):
        action(*args)


def test_what_is_refused_is_said(store: Rooms) -> None:
    """What is refused when: `test_rooms_model.py`."""
    code, key = store.create()
    for action in (store.close_vote, store.open_second_vote):
        refused("no question 1; it has 0 questions", action, code, key)
    refused("no question 1", store.show, code, key, BARS)
    quiz = asked(store, LINK, shows_results=False)
    refused("is an exit quiz", store.show, *quiz, BARS)
    refused("cannot be opened again", store.reopen_vote, *quiz)
    code, key = opened(store)
    refused("not in class", store.answer, code, 1, "nobody", "1")
    for text in ("6", " 7 "):
        store.answer(code, 1, "s0", text)
    assert store.answers(code, 1, 1) == ["7"]
    refused("vote is closed", store.answer, code, 1, "s0", "late", 2)
    with pytest.raises(ValueError, match="all"):
        store.show(code, key, "all")
    store.show(code, key, ANSWER)
    refused("vote is closed", store.answer, code, 1, "s0", "2")
    refused("cannot be opened again", store.reopen_vote, code, key)
    store.open_second_vote(code, key)
    store.close_vote(code, key)
    store.reopen_vote(code, key)
    assert asked_now(store, code) == Ask(1, LINK, 2, True, NOTHING)
    for number in (0, 2, -1):
        refused("no question", store.go_to, code, key, number)
    store.close_room(code, key)
    refused("is closed", store.answer, code, 1, "s0", "2")
    refused("is closed", store.join, code, "new")
    refused("is closed", store.ask, code, key, LINK)
    refused("is closed", store.open_second_vote, code, key)
    refused("is closed", store.reopen_vote, code, key)


def test_all_of_a_set_are_asked_or_none(store: Rooms) -> None:
    code, key = store.create(shows_results=False)
    made = store.ask_all(
        code, key, [(f"practice?seed={n}", "") for n in range(module.MOST_ASKS - 1)]
    )
    assert [(one.number, one.link) for one in made] == [
        (n + 1, f"practice?seed={n}") for n in range(module.MOST_ASKS - 1)
    ]
    assert asked_now(store, code).number == 1
    before = store.room(code)
    refused("60 questions", lambda: store.ask_all(code, key, [(LINK, "")] * 2))
    refused("empty", lambda: store.ask_all(code, key, [(" ", "")]))
    assert store.room(code) == before


TEXT = GivenText("3", ("s0",), False)
TEACHING: dict[str, tuple[object, ...]] = {
    "ask": (LINK,), "ask_all": ([(LINK, ""), (LINK, "")],), "close_vote": (), "reopen_vote": (),
    "open_second_vote": (), "show": (BARS,), "go_to": (1,), "close_room": (), "delete_room": (),
    "names": (), "let_through": ("s0",), "show_scene": (True,), "texts": (1, 1),
    "read_texts": (1, 1, 1), "let_texts_through": (1, 1, [TEXT]), "show_sentence": (1, 1, TEXT),
    "places": (), "removed": (), "let_in": (False,), "clear_empty": (), "remove": (["s0"],),
    "let_back": (), "put_lesson": ("a lesson",), "all_answers": (),
}  # fmt: skip
"""What only a teacher does, and what it is given besides the room's code and its key."""


@pytest.mark.parametrize("does", TEACHING)
def test_only_the_key_teaches(store: Rooms, does: str) -> None:
    (code, key), (other, of_other) = opened(store), opened(store)
    before, given, act = store.room(code), TEACHING[does], getattr(store, does)
    others = ("", code, of_other, "\0", "\ud800", "x" * 10_000)
    for wrong in (*others, key[:-1], key + "x", key.swapcase()):
        refused("teacher", act, code, wrong, *given)
        assert not store.is_teacher(code, wrong)
        assert store.room(code) == before
    refused("no class", act, "CCCCCC", key, *given)
    assert store.is_teacher(code.lower(), key)
    untouched = store.room(other)
    act(code.lower(), key, *given)
    assert store.room(other) == untouched


def test_the_projectors_key_shows_scenes_and_teaches_nothing(store: Rooms) -> None:
    (code, key), (other, its_key) = store.create(), store.create()
    screen = screen_key(key)
    assert len(screen) == 32
    assert store.is_projector(code, screen)
    assert not store.is_teacher(code, screen)
    others = (screen_key(its_key), screen_key(screen))
    for wrong in ("", key, screen[:-1], screen.upper(), "é", *others):
        assert not store.is_projector(code, wrong)
    assert not store.is_projector(other, screen)
    assert not store.is_projector("NOROOM", screen_key(""))


def test_every_method_that_takes_a_key_is_among_the_tried() -> None:
    takes_key = {n for n, f in getmembers(Rooms, isfunction) if "key" in f.__annotations__}
    assert takes_key - {"is_teacher", "_teaching"} == TEACHING.keys()


def test_a_key_has_128_bits_and_is_nowhere_in_the_file(store: Rooms, store_file) -> None:
    code, key = opened(store)
    store.close()
    kept = bytes_kept(store_file)
    assert code.encode() in kept
    assert key.encode() not in kept
    assert re.fullmatch(r"[\w-]{22}", key)  # 22 characters of 6 bits hold 128
    assert store_file.stat().st_mode & 0o077 == 0


UNSEEN = ["\u200b", " \u2060\u200d ", "\u00ad\u3164", "\u2800", "\u0301\u0301", "\ufeff\u115f"]
"""Zero widths, joiners, a soft hyphen, fillers, Braille without a dot, accents of no letter."""


@pytest.mark.parametrize("text", UNSEEN)
def test_a_text_of_which_nothing_can_be_seen_is_empty(store: Rooms, text: str) -> None:
    code, _ = opened(store, 1)
    refused("answer is empty", store.answer, code, 1, "s0", text)
    store.answer(code, 1, "s0", f"a{text.strip()}")
    named, _ = store.create(wants_names=True)
    refused("name is empty", store.join, named, "s0", text)


def test_names_are_kept_only_where_the_room_wants_them(store: Rooms) -> None:
    code, key = opened(store, 0)
    store.join(code, "s0", "Ada")
    assert store.names(code, key) == {}
    code, key = store.create(wants_names=True)
    refused("name is empty", store.join, code, "s0")
    store.join(code, "s1", "Zoë")
    store.join(code, "s0", "  Ada  ")
    assert store.names(code, key) == {"s0": "Ada", "s1": "Zoë"}
    store.join(code, "s0")  # comes back: the name stays
    assert store.names(code, key)["s0"] == "Ada"


def test_a_name_is_shown_only_if_the_teacher_lets_it_through(store: Rooms) -> None:
    code, key = store.create(wants_names=True)
    store.join(code, "s0", "Ada")
    assert store.names_let_through(code) == []
    store.let_through(code, key, "s0")
    assert store.names_let_through(code) == ["Ada"]
    store.join(code, "s0", "rude")  # another name is not the one that was let through
    assert store.names_let_through(code) == []
    store.let_through(code, key, "s0")
    store.let_through(code, key, "s0", is_shown=False)
    assert store.names_let_through(code) == []


def test_the_version_grows_with_each_change_and_with_nothing_else(store: Rooms) -> None:
    code, key = opened(store)
    versions = []

    def changed(action: Callable[..., object], *args: object) -> bool:
        before = room_of(store, code).version
        action(*args)
        versions.append(room_of(store, code).version)
        return versions[-1] > before

    assert changed(store.answer, code, 1, "s0", "1")
    assert not changed(store.answer, code, 1, "s0", "1")
    assert changed(store.answer, code, 1, "s0", "2")
    assert not changed(store.join, code, "s0")
    assert changed(store.join, code, "s9")
    assert not changed(lambda: (store.answers(code, 1, 1), store.names(code, key)))
    assert changed(store.show, code, key, BARS)
    assert changed(store.close_vote, code, key)
    assert versions == sorted(versions)


HOSTILE = ["", "\0", "A\0B", "x" * 10_000, "' OR '1'='1", "'; DROP TABLE rooms; --", "%", "______",
           "\ud800", "١٢٣٤٥٦", "../../etc", "CCCCCC\n"]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_codes_ids_and_texts_are_refused_or_kept_as_text(store: Rooms, text: str) -> None:
    code, key = opened(store)
    assert store.room(text) is None
    assert not store.is_teacher(text, key)
    assert (store.answers(text, 1, 1), store.answered(text, 1, 1)) == ([], 0)
    assert store.names_let_through(text) == []
    refused("no class", store.join, text, "s0")
    refused("no class", store.answer, text, 1, "s0", "1")
    refused("no class", store.ask, text, key, LINK)
    if not re.fullmatch(r"[\w-]+", text, re.ASCII) or len(text) > 64:
        for action, *given in (
            (store.join, code, text), (store.answer, code, 1, text, "1"),
            (store.answer_of, code, 1, 1, text), (store.let_through, code, key, text),
        ):  # fmt: skip
            refused("id cannot be used", action, *given)
    try:
        store.answer(code, 1, "s0", text)
    except InputError:
        assert not text.strip() or len(text) > 200 or not text.strip().isprintable()
    else:
        assert store.answers(code, 1, 1) == [text.strip()]
    assert store.room(code) is not None


def test_limits_are_said_and_held(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (module.MOST_ROOMS, students.MOST_STUDENTS, module.MOST_ASKS) == (1_000, 500, 60)
    monkeypatch.setattr(students, "MOST_STUDENTS", 3)
    for name in ("MOST_ROOMS", "MOST_ASKS"):
        monkeypatch.setattr(module, name, 2)
    code, key = opened(store, 3)
    refused("3 students; the limit is 3", store.join, code, "s3")
    store.join(code, "s2")
    store.ask(code, key, LINK)
    refused("2 questions; the limit is 2", store.ask, code, key, LINK)
    store.create()
    refused("2 classes; the limit is 2", store.create)
    store.answer(code, 2, "s0", "x" * 200)
    refused("201 characters; the limit is 200", store.answer, code, 2, "s0", "x" * 201)
    assert store.answers(code, 2, 1) == ["x" * 200]


class EndOfTestError(Exception):
    """Ends what would go on for ever."""


@pytest.fixture
def folder(store_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The server's, before it has any rooms."""
    monkeypatch.setenv(VARIABLE, str(store_file.parent))
    rooms.cache_clear()
    yield store_file.parent
    if store_file.exists():
        rooms().close()
    rooms.cache_clear()


def waiting_twice(between: Callable[[], None]) -> Callable[[float], None]:
    """A wait that takes no time, and ends it all the second time."""
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            assert waited == [module.TIDIED] * 2
            raise EndOfTestError
        between()

    return wait


def test_what_is_old_goes_each_hour(folder: Path) -> None:
    old = Rooms(folder / FILE, lambda: time() - KEPT - 1)
    first, _ = old.create()
    new, _ = rooms().create()  # which forgets the first one itself
    assert old.room(first) is None
    second, _ = old.create()

    def between() -> None:
        assert (old.room(second), old.room(new) is None) == (None, False)
        old.create()

    with pytest.raises(EndOfTestError):
        module.keep_tidy(waiting_twice(between))
    assert old.forget_old(time()) == 0
    old.close()


def test_a_server_without_classes_gets_no_file(folder: Path) -> None:
    with pytest.raises(EndOfTestError):
        module.keep_tidy(waiting_twice(lambda: None))
    assert not folder.exists()


def test_a_server_that_starts_begins_it_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()
    monkeypatch.setattr(server_startup, "A_WHILE", 0.01)

    async def started() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(module, "keep_tidy", lambda: loop.call_soon_threadsafe(begun.set))
        async with get_ready(App("app.py")):
            await asyncio.wait_for(begun.wait(), 20)

    asyncio.run(started())


def test_the_folder_is_named_or_of_the_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_folder() == folder
    monkeypatch.delenv(VARIABLE)
    for system, name, place, expected in (
        ("linux", "XDG_DATA_HOME", "/data", "/data"),
        ("linux", "HOME", "/home/user", "/home/user/.local/share"),
        ("darwin", "HOME", "/home/user", "/home/user/Library/Application Support"),
        ("win32", "LOCALAPPDATA", "/local", "/local"),
    ):
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.setattr("sys.platform", system)
        monkeypatch.setenv(name, place)
        assert data_folder() == Path(expected) / "attention-step-by-step"
