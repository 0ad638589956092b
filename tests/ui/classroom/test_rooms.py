"""A room takes one answer a student and vote, from who may, while it may."""

import re
from collections.abc import Callable
from inspect import getmembers, isfunction

import pytest

from core.errors import InputError
from ui.classroom import places
from ui.classroom import rooms as module
from ui.classroom.given_free_texts import GivenText
from ui.classroom.room import screen_key
from ui.classroom.rooms import ANSWER, BARS, NOTHING, Ask, Rooms

LINK = "softmax?question=softmax-ratio.3"


def opened(store: Rooms, students: int = 3) -> tuple[str, str]:
    """A room in which one question is open, with students s0, s1, …"""
    code, key = store.create()
    store.ask(code, key, LINK)
    for n in range(students):
        store.join(code, f"s{n}")
    return code, key


def current(store: Rooms, code: str) -> Ask:
    room = store.room(code)
    assert room is not None
    assert room.now is not None
    return room.now


def refused(what: str, action: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=what):
        action()


def test_two_rooms_with_the_same_lesson_never_mix(store: Rooms) -> None:
    one, key = opened(store)
    other, other_key = opened(store)
    store.answer(one, 1, "s0", "0.5")
    store.answer(other, 1, "s0", "0.7")
    store.answer(other, 1, "s1", "0.7")
    store.open_second_vote(other, other_key)
    assert (store.answers(one, 1, 1), store.answers(other, 1, 1)) == (["0.5"], ["0.7", "0.7"])
    assert current(store, one) == Ask(1, LINK, 1, True, NOTHING)
    assert current(store, other) == Ask(1, LINK, 2, True, NOTHING)
    refused("teacher", lambda: store.close_vote(one, other_key))
    store.delete_room(one, key)
    assert store.room(one) is None
    assert store.answers(other, 1, 1) == ["0.7", "0.7"]


def test_an_answer_can_be_changed_until_the_vote_is_closed(store: Rooms) -> None:
    code, key = opened(store)
    for text in ("1", "2", "2"):
        store.answer(code, 1, "s0", text)
    store.answer(code, 1, "s1", " 7 ")
    assert store.answers(code, 1, 1) == ["2", "7"]
    assert store.answer_of(code, 1, 1, "s0") == "2"
    store.close_vote(code, key)
    refused("vote is closed", lambda: store.answer(code, 1, "s0", "3"))
    refused("vote is closed", lambda: store.answer(code, 1, "s2", "3"))
    assert (store.answered(code, 1, 1), store.answer_of(code, 1, 1, "s2")) == (2, None)


def test_a_second_vote_is_next_to_the_first(store: Rooms) -> None:
    code, key = opened(store)
    store.answer(code, 1, "s0", "1")
    store.show(code, key, BARS)
    store.open_second_vote(code, key)
    assert current(store, code) == Ask(1, LINK, 2, True, NOTHING)
    assert store.answer_of(code, 1, 2, "s0") is None
    refused("vote is closed", lambda: store.answer(code, 1, "s0", "late", vote=1))
    store.answer(code, 1, "s0", "2", vote=2)
    store.answer(code, 1, "s1", "2")
    assert (store.answers(code, 1, 1), store.answers(code, 1, 2)) == (["1"], ["2", "2"])


def test_a_closed_vote_goes_on_until_its_answer_was_shown(store: Rooms) -> None:
    code, key = opened(store)
    store.answer(code, 1, "s0", "1")
    for vote in (1, 2):
        store.close_vote(code, key)
        store.show(code, key, BARS)
        store.reopen_vote(code, key)
        assert current(store, code) == Ask(1, LINK, vote, True, NOTHING)
        store.answer(code, 1, "s1", "2", vote=vote)
        assert store.answers(code, 1, 1) == ["1", "2"]
        for what in (ANSWER, NOTHING):
            store.show(code, key, what)
            refused("cannot be opened again", lambda: store.reopen_vote(code, key))
            assert not current(store, code).is_open
        if vote == 1:
            store.open_second_vote(code, key)
    store.close_room(code, key)
    refused("is closed", lambda: store.reopen_vote(code, key))


def test_one_question_is_open_at_a_time(store: Rooms) -> None:
    code, key = opened(store)
    assert store.ask(code, key, "practice") == Ask(2, "practice", 1, True, NOTHING)
    refused("vote is closed", lambda: store.answer(code, 1, "s0", "1"))
    store.go_to(code, key, 2)  # where it is: nothing closes
    store.answer(code, 2, "s0", "1")
    store.go_to(code, key, 1)
    assert current(store, code).number == 1
    refused("vote is closed", lambda: store.answer(code, 2, "s0", "2"))
    for number in (0, 3, -1):
        refused("no question", lambda number=number: store.go_to(code, key, number))  # type: ignore[misc]


def test_the_answer_is_shown_only_after_the_vote(store: Rooms) -> None:
    code, key = opened(store)
    store.show(code, key, BARS)
    assert current(store, code) == Ask(1, LINK, 1, True, BARS)
    store.show(code, key, ANSWER)
    assert current(store, code) == Ask(1, LINK, 1, False, ANSWER)
    with pytest.raises(ValueError, match="all"):
        store.show(code, key, "all")


def test_an_exit_quiz_keeps_its_results_back_until_it_is_closed(store: Rooms) -> None:
    code, key = store.create(shows_results=False)
    store.ask(code, key, LINK)
    for what in (BARS, ANSWER):
        refused("is an exit quiz", lambda what=what: store.show(code, key, what))  # type: ignore[misc]
    assert current(store, code).is_open
    refused("cannot be opened again", lambda: store.reopen_vote(code, key))
    store.close_room(code, key)
    store.show(code, key, ANSWER)
    assert current(store, code).shown == ANSWER


def test_an_exit_quiz_has_all_its_votes_open_until_it_is_closed(store: Rooms) -> None:
    code, key = store.create(shows_results=False)
    store.join(code, "s0")
    made = store.ask_all(code, key, [(f"practice?seed={n}", "") for n in range(3)])
    assert [(one.number, one.link) for one in made] == [
        (n + 1, f"practice?seed={n}") for n in range(3)
    ]
    assert current(store, code).number == 1
    assert store.ask(code, key, LINK).number == 4
    store.go_to(code, key, 2)
    for number in (3, 1, 4, 2, 1):
        store.answer(code, number, "s0", str(number))
    store.close_room(code, key)
    for number in range(1, 5):
        refused("vote is closed", lambda number=number: store.answer(code, number, "s0", "9"))  # type: ignore[misc]
        assert store.answers(code, number, 1) == [str(number)]


def test_all_of_a_set_are_asked_or_none(store: Rooms) -> None:
    code, key = store.create(shows_results=False)
    store.ask_all(code, key, [(LINK, "")] * (module.MOST_ASKS - 1))
    before = store.room(code)
    refused("60 questions", lambda: store.ask_all(code, key, [(LINK, "")] * 2))
    refused("empty", lambda: store.ask_all(code, key, [(" ", "")]))
    assert store.room(code) == before


def test_a_closed_room_takes_nothing_and_keeps_what_it_has(store: Rooms) -> None:
    code, key = opened(store)
    store.answer(code, 1, "s0", "1")
    store.close_room(code, key)
    refused("is closed", lambda: store.answer(code, 1, "s0", "2"))
    refused("is closed", lambda: store.join(code, "new"))
    refused("is closed", lambda: store.ask(code, key, LINK))
    refused("is closed", lambda: store.open_second_vote(code, key))
    store.join(code, "s0")  # a phone that slept comes back and sees the result
    assert store.answers(code, 1, 1) == ["1"]


TEACHING = {
    "ask": lambda store, code, key: store.ask(code, key, LINK),
    "ask_all": lambda store, code, key: store.ask_all(code, key, [(LINK, ""), (LINK, "")]),
    "close_vote": lambda store, code, key: store.close_vote(code, key),
    "reopen_vote": lambda store, code, key: store.reopen_vote(code, key),
    "open_second_vote": lambda store, code, key: store.open_second_vote(code, key),
    "show": lambda store, code, key: store.show(code, key, BARS),
    "go_to": lambda store, code, key: store.go_to(code, key, 1),
    "close_room": lambda store, code, key: store.close_room(code, key),
    "delete_room": lambda store, code, key: store.delete_room(code, key),
    "names": lambda store, code, key: store.names(code, key),
    "let_through": lambda store, code, key: store.let_through(code, key, "s0"),
    "show_scene": lambda store, code, key: store.show_scene(code, key, True),
    "texts": lambda store, code, key: store.texts(code, key, 1, 1),
    "read_texts": lambda store, code, key: store.read_texts(code, key, 1, 1, 1),
    "let_texts_through": lambda store, code, key: store.let_texts_through(
        code, key, 1, 1, [GivenText("3", ("s0",), False)]
    ),
    "show_sentence": lambda store, code, key: store.show_sentence(
        code, key, 1, 1, GivenText("3", ("s0",), False)
    ),
    "places": lambda store, code, key: store.places(code, key),
    "removed": lambda store, code, key: store.removed(code, key),
    "let_in": lambda store, code, key: store.let_in(code, key, False),
    "clear_empty": lambda store, code, key: store.clear_empty(code, key),
    "remove": lambda store, code, key: store.remove(code, key, ["s0"]),
    "let_back": lambda store, code, key: store.let_back(code, key),
    "put_lesson": lambda store, code, key: store.put_lesson(code, key, "a lesson"),
    "all_answers": lambda store, code, key: store.all_answers(code, key),
}


@pytest.mark.parametrize("does", TEACHING)
def test_only_the_key_teaches(store: Rooms, does: str) -> None:
    code, key = opened(store)
    before = store.room(code)
    for wrong in ("", code, key[:-1], key + "x", key.swapcase(), "\0", "\ud800", "x" * 10_000):
        refused("teacher", lambda wrong=wrong: TEACHING[does](store, code, wrong))  # type: ignore[misc]
        assert not store.is_teacher(code, wrong)
        assert store.room(code) == before
    refused("no class", lambda: TEACHING[does](store, "CCCCCC", key))
    assert store.is_teacher(code.lower(), key)
    TEACHING[does](store, code.lower(), key)


def test_the_projectors_key_shows_scenes_and_teaches_nothing(store: Rooms) -> None:
    (code, key), (other, its_key) = store.create(), store.create()
    screen = screen_key(key)
    assert len(screen) == 32
    assert store.is_projector(code, screen)
    assert not store.is_teacher(code, screen)
    for wrong in (
        "",
        key,
        screen[:-1],
        screen.upper(),
        screen_key(its_key),
        screen_key(screen),
        "é",
    ):
        assert not store.is_projector(code, wrong)
    assert not store.is_projector(other, screen)
    assert not store.is_projector("NOROOM", screen_key(""))


def test_every_method_that_takes_a_key_is_among_the_tried() -> None:
    takes_key = {n for n, f in getmembers(Rooms, isfunction) if "key" in f.__annotations__}
    assert takes_key - {"is_teacher", "_teaching"} == TEACHING.keys()


def test_a_key_has_128_bits_and_is_nowhere_in_the_file(store: Rooms, store_file) -> None:
    code, key = opened(store)
    store.close()
    kept = b"".join(file.read_bytes() for file in store_file.parent.iterdir())
    assert code.encode() in kept
    assert key.encode() not in kept
    assert re.fullmatch(r"[\w-]{22}", key)  # 22 characters of 6 bits hold 128
    assert store_file.stat().st_mode & 0o077 == 0


UNSEEN = ["\u200b", " \u2060\u200d ", "\u00ad\u3164", "\u2800", "\u0301\u0301", "\ufeff\u115f"]
"""Zero widths, joiners, a soft hyphen, fillers, Braille without a dot, accents of no letter."""


@pytest.mark.parametrize("text", UNSEEN)
def test_a_text_of_which_nothing_can_be_seen_is_empty(store: Rooms, text: str) -> None:
    code, _ = opened(store, 1)
    refused("answer is empty", lambda: store.answer(code, 1, "s0", text))
    store.answer(code, 1, "s0", f"a{text.strip()}")
    named, _ = store.create(wants_names=True)
    refused("name is empty", lambda: store.join(named, "s0", text))


def test_names_are_kept_only_where_the_room_wants_them(store: Rooms) -> None:
    code, key = opened(store, 0)
    store.join(code, "s0", "Ada")
    assert store.names(code, key) == {}
    code, key = store.create(wants_names=True)
    refused("name is empty", lambda: store.join(code, "s0"))
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

    def changed(action: Callable[[], object]) -> bool:
        before = store.room(code)
        action()
        after = store.room(code)
        assert before is not None
        assert after is not None
        versions.append(after.version)
        assert after.version >= before.version
        return after.version > before.version

    assert changed(lambda: store.answer(code, 1, "s0", "1"))
    assert not changed(lambda: store.answer(code, 1, "s0", "1"))
    assert changed(lambda: store.answer(code, 1, "s0", "2"))
    assert not changed(lambda: store.join(code, "s0"))
    assert changed(lambda: store.join(code, "s9"))
    assert not changed(lambda: (store.answers(code, 1, 1), store.names(code, key)))
    assert changed(lambda: store.show(code, key, BARS))
    assert changed(lambda: store.close_vote(code, key))
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
    refused("no class", lambda: store.join(text, "s0"))
    refused("no class", lambda: store.answer(text, 1, "s0", "1"))
    refused("no class", lambda: store.ask(text, key, LINK))
    if not re.fullmatch(r"[\w-]+", text, re.ASCII) or len(text) > 64:
        for action in (
            lambda: store.join(code, text),
            lambda: store.answer(code, 1, text, "1"),
            lambda: store.answer_of(code, 1, 1, text),
            lambda: store.let_through(code, key, text),
        ):
            refused("id cannot be used", action)
    try:
        store.answer(code, 1, "s0", text)
    except InputError:
        assert not text.strip() or len(text) > 200 or not text.strip().isprintable()
    else:
        assert store.answers(code, 1, 1) == [text.strip()]
    assert store.room(code) is not None


def test_limits_are_said_and_held(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (module.MOST_ROOMS, places.MOST_STUDENTS, module.MOST_ASKS) == (1_000, 500, 60)
    monkeypatch.setattr(places, "MOST_STUDENTS", 3)
    for name in ("MOST_ROOMS", "MOST_ASKS"):
        monkeypatch.setattr(module, name, 2)
    code, key = opened(store, 3)
    refused("3 students; the limit is 3", lambda: store.join(code, "s3"))
    store.join(code, "s2")
    store.ask(code, key, LINK)
    refused("2 questions; the limit is 2", lambda: store.ask(code, key, LINK))
    store.create()
    refused("2 classes; the limit is 2", lambda: store.create())
    store.answer(code, 2, "s0", "x" * 200)
    refused("201 characters; the limit is 200", lambda: store.answer(code, 2, "s0", "x" * 201))
    assert store.answers(code, 2, 1) == ["x" * 200]


def test_who_has_not_joined_cannot_answer(store: Rooms) -> None:
    code, _ = opened(store)
    other, _ = opened(store, 0)
    refused("not in class", lambda: store.answer(other, 1, "s0", "1"))
    assert (store.is_here(code, "s0"), store.is_here(other, "s0")) == (True, False)


def test_a_room_in_which_nothing_was_asked_has_nothing_to_close(store: Rooms) -> None:
    code, key = store.create()
    room = store.room(code)
    assert room is not None
    assert (room.now, room.asks, room.joined) == (None, (), 0)
    for action in (store.close_vote, store.open_second_vote):
        refused("no question 1; it has 0 questions", lambda action=action: action(code, key))  # type: ignore[misc]
    refused("no question 1", lambda: store.show(code, key, BARS))
