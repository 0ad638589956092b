"""A place is for one who is there: it is given up if it was left empty, and a teacher takes it."""

import pytest

from core.errors import InputError
from tests.quotes import proves
from tests.sampling import some
from tests.ui.classroom import support
from tests.ui.classroom.support import Clock, answered, room_of
from ui.classroom.store import students
from ui.classroom.store.rates import NEW_PLACES, PATIENCE, Door, Rate
from ui.classroom.store.rooms import Rooms
from ui.classroom.store.students import AWAY, MOST_STUDENTS, NOTED
from ui.directions import DIRECTING

LINK = "softmax?question=softmax-ratio.3"


@pytest.fixture
def clock(store: Rooms) -> Clock:
    store._clock = passing = Clock()
    return passing


def asked(store: Rooms) -> tuple[str, str]:
    return support.asked(store, LINK)


def there(store: Rooms, code: str, key: str) -> list[str]:
    return [place.student for place in store.places(code, key)]


@proves("""
    A place is empty if its student is away and has never answered. A full class gives such a place
    to the next student
""")
def test_a_full_room_gives_the_place_that_was_left_empty_longest_to_who_is_there(
    store: Rooms, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(students, "MOST_STUDENTS", 4)
    code, key = asked(store)
    for student in ("answered", "left-last", "left-first", "there"):
        store.join(code, student)
    store.answer(code, 1, "answered", "1")
    clock.now += NOTED
    assert store.is_here(code, "left-last")
    clock.now += AWAY + NOTED
    assert store.is_here(code, "there")
    store.join(code, "new-1")
    assert there(store, code, key) == ["answered", "left-last", "there", "new-1"]
    store.join(code, "new-2")
    assert there(store, code, key) == ["answered", "there", "new-1", "new-2"]
    with pytest.raises(InputError, match="4 students; the limit is 4"):
        store.join(code, "new-3")
    assert store.answers(code, 1, 1) == ["1"]


def test_who_is_there_is_noted_now_and_then_and_changes_nothing(store: Rooms, clock: Clock) -> None:
    code, key = asked(store)
    store.join(code, "s0")
    before = store.room(code)
    for wait in (AWAY, AWAY):
        clock.now += wait
        assert store.places(code, key)[0].is_there
        assert store.is_here(code, "s0")
    clock.now += NOTED - 0.1
    assert store.is_here(code, "s0")  # too soon for another note
    clock.now += AWAY
    assert not store.places(code, key)[0].is_there
    assert store.room(code) == before
    assert not store.is_here(code, "nobody")


def test_a_student_who_comes_back_after_hours_has_the_place_and_the_answers(
    store: Rooms, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(students, "MOST_STUDENTS", 2)
    code, key = asked(store)
    for student in ("asleep", "empty"):
        store.join(code, student)
    store.answer(code, 1, "asleep", "1")
    clock.now += 3 * 3_600
    store.join(code, "new")
    assert store.clear_empty(code, key) == 0
    assert store.is_here(code, "asleep")
    assert store.answer_of(code, 1, 1, "asleep") == "1"


def test_empty_places_are_cleared_and_who_had_one_joins_again(store: Rooms, clock: Clock) -> None:
    code, key = asked(store)
    other, its_key = asked(store)
    for n in range(5):
        store.join(code, f"s{n}")
        store.join(other, f"s{n}")
    store.answer(code, 1, "s0", "1")
    clock.now += AWAY + 1
    assert store.is_here(code, "s1")
    found = {place.student for place in store.places(code, key) if place.is_empty}
    assert found == {"s2", "s3", "s4"}
    assert store.clear_empty(code, key) == 3
    assert there(store, code, key) == ["s0", "s1"]
    assert len(there(store, other, its_key)) == 5
    store.join(code, "s2")
    assert there(store, code, key) == ["s0", "s1", "s2"]


@proves("Their answers are deleted. Their browsers cannot join this class again until you let them")
def test_who_is_removed_is_out_with_all_answers_until_let_back(store: Rooms) -> None:
    code, key = asked(store)
    other, _ = asked(store)
    for n in range(60):
        store.join(code, f"s{n}")
        store.join(other, f"s{n}")
        store.answer(code, 1, f"s{n}", str(n))
    out = [f"s{n}" for n in range(2, 60)]
    store.remove(code, key, [*out, "never-here"])
    assert store.answers(code, 1, 1) == ["0", "1"]
    assert there(store, code, key) == ["s0", "s1"]
    assert store.removed(code, key) == 58
    for action in (store.join, lambda code, who: store.answer(code, 1, who, "1")):
        with pytest.raises(InputError, match="removed you from class"):
            action(code, "s2")
    assert store.is_removed(code, "s2")
    assert store.is_here(other, "s2")
    store.let_back(code, key)
    store.join(code, "s2")
    assert store.answer_of(code, 1, 1, "s2") is None
    assert [place.number for place in store.places(code, key)] == [1, 2, 3]


@proves("Students who have a place keep it. Everybody else reads that they have to wait")
def test_a_class_that_lets_nobody_else_in_goes_on_with_those_who_are_in(
    store: Rooms, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the empty place of a full class is given to another student."""
    monkeypatch.setattr(students, "MOST_STUDENTS", 2)
    code, key = store.create(wants_names=True)
    store.ask(code, key, LINK)
    other, _ = asked(store)
    for student in ("answered", "asleep"):
        store.join(code, student, student)
    store.answer(code, 1, "answered", "1")
    store.let_in(code, key, False)
    clock.now += AWAY + 1
    with pytest.raises(InputError, match="takes no new students now; only students who have"):
        store.join(code, "new", "Eve")
    store.join(other, "new")
    assert there(store, code, key) == ["answered", "asleep"]
    for student in ("answered", "asleep"):
        assert store.is_here(code, student)
        store.join(code, student, f"{student} again")
        store.answer(code, 1, student, "2")
    store.let_in(code, key, True)
    store.remove(code, key, ["asleep"])
    store.join(code, "new", "Eve")
    assert there(store, code, key) == ["answered", "new"]


def test_the_sentence_of_who_is_removed_leaves_the_projector(store: Rooms) -> None:
    code, key = asked(store)
    for student, text in {"s0": "a rude one", "s1": "a kind one", "s2": "A rude one."}.items():
        answered(store, code, student, text)
    rude = next(one for one in store.texts(code, key, 1, 1) if "s0" in one.students)
    assert rude.students == ("s0", "s2")
    store.show_sentence(code, key, 1, 1, rude)
    store.remove(code, key, ["s1", "s2"])
    room = room_of(store, code)
    assert (room.shows_scene, room.scene_text) == (True, "a rude one")
    store.remove(code, key, ["s0"])
    room = room_of(store, code)
    assert (room.shows_scene, room.scene_text) == (False, "")


def test_no_name_turns_the_direction_of_a_text(store: Rooms) -> None:
    code, key = store.create(wants_names=True)
    for n, sign in enumerate(sorted(DIRECTING)):
        for name in (f"{sign}Ada", f"A{sign}da", f"Ada{sign}"):
            with pytest.raises(InputError, match=rf"U\+{ord(sign):04X}; it changes the direction"):
                store.join(code, f"s{n}", name)
    kept = {"s0": "عليّ", "s1": "עדה לב", "s2": "می\u200cخواهم", "s3": "👩\u200d🔬"}
    for student, name in kept.items():
        store.join(code, student, name)
    assert dict(store.names(code, key)) == kept


CLASS, HOSTILE = 60, 50
LONG_BEFORE = 200
"""Seconds that an attack goes on before the class comes."""


@pytest.mark.parametrize(
    ("comes_again", "answers", "before"),
    some(
        [(True, True, LONG_BEFORE), (False, True, 0), (True, False, LONG_BEFORE), (True, True, 0)],
        4,
    ),
)
def test_a_class_of_sixty_gets_in_and_answers_between_fifty_hostile_connections(
    store: Rooms, clock: Clock, comes_again: bool, answers: bool, before: int
) -> None:
    """All have one address. Each hostile one comes each second, also as somebody else."""
    code, key = asked(store)
    door = Door(Rate(int(NEW_PLACES._most), NEW_PLACES._each_second, clock), clock)
    waiting = {f"s{n}" for n in range(CLASS)}

    def come(student: str) -> bool:
        if store.is_here(code, student):
            return True
        if door.lets_in(code, "192.0.2.1", student):
            store.join(code, student)
            return True
        return False

    for second in range(before + 3 * CLASS):
        clock.now += 1
        for n in range(HOSTILE):
            evil = f"evil-{n}-{second if comes_again else 0}"
            if come(evil) and answers:
                store.answer(code, 1, evil, "666")
        if second >= before:
            waiting = {student for student in sorted(waiting) if not come(student)}
        if not waiting:
            break
    assert waiting == set()
    for n in range(CLASS):
        store.answer(code, 1, f"s{n}", str(n))
    answered = {store.answer_of(code, 1, 1, f"s{n}") for n in range(CLASS)}
    assert answered == {str(n) for n in range(CLASS)}
    assert len(there(store, code, key)) <= MOST_STUDENTS


def test_a_line_keeps_the_turn_of_who_asks_and_of_nobody_else() -> None:
    clock = Clock()
    door = Door(Rate(1, 1, clock), clock)

    def lets_in(student: str, code: str = "A", address: str = "192.0.2.1") -> bool:
        return door.lets_in(code, address, student)

    assert lets_in("first")
    assert not lets_in("second")
    assert not lets_in("third")
    assert lets_in("third", code="B"), "another room has its own line"
    assert lets_in("third", address="192.0.2.2"), "another network too"
    clock.now += 1
    assert not lets_in("third")
    assert lets_in("second")
    clock.now += PATIENCE
    assert not lets_in("fourth"), "the third one is still next"
    clock.now += 1
    assert lets_in("fourth"), "who has not asked again is out of the line"
