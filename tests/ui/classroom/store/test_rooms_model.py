"""Whatever happens in whatever order, a room has what a plain dictionary has."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.errors import InputError
from tests.sampling import CASES
from tests.ui.classroom.support import room_of
from ui.classroom.store.rooms import ANSWER, BARS, NOTHING, Rooms

PLACES = st.integers(0, 1)
STUDENTS = st.sampled_from(["a", "b", "c"])
NUMBERS = st.sampled_from([0, 1, 1, 1, 2, 2, 4])
"""Of questions: mostly the first ones, which are there."""


@dataclass
class PlainRoom:
    """What was done to a room."""

    asks: list[dict[str, Any]] = field(default_factory=list)
    is_quiz: bool = False
    now: int = 0
    closed: bool = False
    lets_in: bool = True
    joined: set[str] = field(default_factory=set)
    answers: dict[tuple[int, int, str], str] = field(default_factory=dict)


class TwoRooms(RuleBasedStateMachine):
    """Two rooms in one file, one an exit quiz, and what was done to each in a dictionary."""

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "classes.sqlite3"
        self.store = Rooms(self.path)
        self.keys = [self.store.create(shows_results=shows) for shows in (True, False)]
        self.models = [PlainRoom(), PlainRoom(is_quiz=True)]

    def may(self, allowed: bool, action, *args) -> None:
        try:
            action(*args)
        except InputError:
            assert not allowed
        else:
            assert allowed

    def close_all(self, model) -> None:
        for ask in model.asks:
            ask["open"] = False

    def leave(self, model) -> None:
        """Another question takes the screen."""
        if not model.is_quiz:
            self.close_all(model)

    @rule(place=PLACES)
    def ask(self, place: int) -> None:
        model = self.models[place]
        self.may(not model.closed, self.store.ask, *self.keys[place], "practice")
        if not model.closed:
            self.leave(model)
            model.asks.append({"vote": 1, "open": True, "shown": NOTHING, "was_told": False})
            model.now = len(model.asks)

    @rule(place=PLACES)
    def close_vote(self, place: int) -> None:
        model = self.models[place]
        self.may(bool(model.now), self.store.close_vote, *self.keys[place])
        self.close_all(model)

    @rule(place=PLACES)
    def reopen_vote(self, place: int) -> None:
        model = self.models[place]
        now: dict[str, Any] = model.asks[model.now - 1] if model.now else {"was_told": True}
        allowed = not (model.closed or model.is_quiz or now["was_told"])
        self.may(allowed, self.store.reopen_vote, *self.keys[place])
        if allowed:
            now.update(open=True, shown=NOTHING)

    @rule(place=PLACES)
    def vote_again(self, place: int) -> None:
        model = self.models[place]
        allowed = bool(model.now) and not model.closed
        self.may(allowed, self.store.open_second_vote, *self.keys[place])
        if allowed:
            now = model.asks[model.now - 1]
            now.update(vote=2, open=True, shown=NOTHING, was_told=False)

    @rule(place=PLACES, what=st.sampled_from([NOTHING, BARS, ANSWER]))
    def show(self, place: int, what: str) -> None:
        model = self.models[place]
        allowed = bool(model.now) and (not model.is_quiz or model.closed or what == NOTHING)
        self.may(allowed, self.store.show, *self.keys[place], what)
        if allowed:
            model.asks[model.now - 1]["shown"] = what
            if what == ANSWER:
                model.asks[model.now - 1]["was_told"] = True
                self.close_all(model)

    @rule(place=PLACES, number=NUMBERS)
    def go_to(self, place: int, number: int) -> None:
        model = self.models[place]
        allowed = 1 <= number <= len(model.asks)
        self.may(allowed, self.store.go_to, *self.keys[place], number)
        if allowed and number != model.now:
            self.leave(model)
            model.now = number

    @rule(place=PLACES, lets_in=st.booleans())
    def let_in(self, place: int, lets_in: bool) -> None:
        self.store.let_in(*self.keys[place], lets_in)
        self.models[place].lets_in = lets_in

    @rule(place=PLACES, student=STUDENTS)
    def join(self, place: int, student: str) -> None:
        model = self.models[place]
        allowed = student in model.joined or (model.lets_in and not model.closed)
        self.may(allowed, self.store.join, self.keys[place][0], student)
        if allowed:
            model.joined.add(student)

    @rule(
        place=PLACES,
        number=NUMBERS,
        student=STUDENTS,
        text=st.text("01.", min_size=1),
        meant=st.sampled_from([None, None, 1, 2]),
    )
    def answer(self, place: int, number: int, student: str, text: str, meant: int | None) -> None:
        """It may be meant for one of the votes."""
        model = self.models[place]
        asks = model.asks
        is_open = 1 <= number <= len(asks) and asks[number - 1]["open"]
        allowed = is_open and student in model.joined
        allowed = allowed and meant in (None, asks[number - 1]["vote"])
        self.may(allowed, self.store.answer, self.keys[place][0], number, student, text, meant)
        if allowed:
            model.answers[number, asks[number - 1]["vote"], student] = text

    @rule(place=PLACES)
    def close_room(self, place: int) -> None:
        self.store.close_room(*self.keys[place])
        self.close_all(self.models[place])
        self.models[place].closed = True

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = Rooms(self.path)

    @invariant()
    def it_has_what_the_dictionary_has(self) -> None:
        for (code, _), model in zip(self.keys, self.models, strict=True):
            room = room_of(self.store, code)
            asks = [
                dict(zip(("vote", "open", "shown", "was_told"), found, strict=True))
                for found in ((a.vote, a.is_open, a.shown, a.answer_was_shown) for a in room.asks)
            ]
            assert (asks, room.current, room.is_closed, room.joined) == (
                model.asks, model.now, model.closed, len(model.joined),
            )  # fmt: skip
            for number in range(1, len(asks) + 1):
                for vote in (1, 2):
                    there = model.answers.items()
                    texts = [text for at, text in there if at[:2] == (number, vote)]
                    assert self.store.answers(code, number, vote) == sorted(texts)
                    assert self.store.answered(code, number, vote) == len(texts)
            for (number, vote, student), text in model.answers.items():
                assert self.store.answer_of(code, number, vote, student) == text

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


TestTwoRooms = TwoRooms.TestCase
TestTwoRooms.settings = settings(max_examples=2 * CASES, stateful_step_count=30, deadline=None)
