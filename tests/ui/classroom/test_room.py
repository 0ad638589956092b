"""The room's two screens: what each shows in each state of a room, and to whom."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.questions.answers import Choice
from tests.ui.support import opened
from tests.ui.test_any_link import GARBAGE
from ui.classroom import rooms as module
from ui.classroom.answers_file import answers_file
from ui.classroom.asked import asked_question
from ui.classroom.class_button import asks, own_room
from ui.classroom.data_folder import VARIABLE
from ui.classroom.results import MOST_BARS, vote_bars, vote_tallies
from ui.classroom.rooms import ANSWER, BARS, Ask, Room, Rooms
from ui.classroom.sheet import sheet_file

LINK = "softmax?question=softmax-change.3"
RIGHT, ADDED, GREW = "The largest weight shrinks", "No weight changes", "Every weight grows"
NUMBER = "?preset=P4&step=scores&cell=scores.0.1.1&cover=scores&lesson=class.2"
"""A covered cell that a scene asks for; its number is 3."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rooms]:
    """The rooms of a server that has none yet."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    module.rooms.cache_clear()
    yield module.rooms()
    module.rooms().close()
    module.rooms.cache_clear()


def asked(store: Rooms, link: str, *answers: str, **kind: bool) -> tuple[str, str]:
    """A room in which a link is asked, with a student for each answer and one more."""
    code, key = store.create(**kind)
    store.ask(code, key, link)
    for n, text in enumerate([*answers, ""]):
        store.join(code, f"s{n}", f"*Name* {n}")
        if text:
            store.answer(code, 1, f"s{n}", text)
    return code, key


def said(page: AppTest) -> str:
    """All that a page says in text, and the descriptions of its charts."""
    assert not page.exception
    parts = [*page.title, *page.header, *page.markdown, *page.info, *page.warning, *page.error]
    charts = [str(json.loads(chart.proto.spec)) for chart in page.get("plotly_chart")]
    return "\n".join([*(part.value for part in parts), *charts, *projected_bars(page)])


def projected_bars(page: AppTest) -> list[str]:
    """The bars on a projector, as HTML."""
    return [part.proto.body for part in page.get("html")]


def room(store: Rooms, code: str) -> Room:
    found = store.room(code)
    assert found
    return found


def test_the_projector_says_how_to_join_and_counts(store: Rooms) -> None:
    code, key = store.create()
    page = opened("room", room=code)
    assert code in said(page)
    assert "Nobody has joined yet." in said(page)
    store.join(code, "s0")
    assert "1 student has joined." in said(page.run())
    store.ask(code, key, LINK)
    assert "**0 of 1** answered" in said(page.run())
    store.answer(code, 1, "s0", RIGHT)
    assert "**1 of 1** answered" in said(page.run())


@pytest.mark.parametrize("wrong", [False, True])
def test_the_projector_is_told_nothing_before_its_time(store: Rooms, wrong: bool) -> None:
    """Also with a wrong key; and neither the bars nor the mistakes say which one is right."""
    code, key = asked(store, LINK, ADDED, GREW, RIGHT)
    page = opened("room", room=code, **({"key": "x" * 22} if wrong else {}))
    assert not page.button
    question = asked_question(LINK)
    secrets = [question.explanation[:20], "✓", *(one.name for one in question.wrong), "right"]

    def tells() -> list[str]:
        return [secret for secret in secrets if secret in said(page.run())]

    assert tells() == []
    assert not projected_bars(page)
    store.show(code, key, BARS)
    assert not projected_bars(page.run()), "the vote is open"
    store.close_vote(code, key)
    assert len(projected_bars(page.run())) == 1
    assert tells() == []
    store.open_second_vote(code, key)
    assert not projected_bars(page.run())
    store.show(code, key, ANSWER)
    assert "Vote 2: 0 answers" in said(page.run())
    assert {"✓", "right"} <= {*tells()}
    assert f"The answer\\: {RIGHT}" in said(page)


def test_the_window_shows_the_answer_and_does_what_is_pressed(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, ADDED, RIGHT)
    page = opened("room", room=code, key=key)
    assert "**3 of 4** answered" in said(page)
    assert "**1 of 3** right" in said(page)
    assert "**2**: you treated it as adding" in said(page)
    assert f"The answer\\: {RIGHT}" in said(page)

    def press(id: str) -> Ask:
        page.button(key=f"room_{id}").click().run()
        assert not page.exception
        now = room(store, code).now
        assert now
        return now

    def offered() -> dict[str, bool]:
        return {one.key.removeprefix("room_"): not one.disabled for one in page.button if one.key}

    assert offered()["close_vote"]
    assert not offered()["vote_again"]
    assert not press("close_vote").is_open
    assert press("show_bars").shown == BARS
    assert press("hide_bars").shown == "nothing"
    assert press("vote_again") == Ask(1, LINK, 2, True, "nothing")
    assert press("show_bars") == Ask(1, LINK, 2, False, BARS)
    assert press("show_answer").shown == ANSWER
    assert not any(offered()[id] for id in ("close_vote", "vote_again", "show_answer"))


def test_one_goes_back_to_a_question_and_on_to_the_next_scene(store: Rooms) -> None:
    code, key = asked(store, LINK)
    store.ask(code, key, NUMBER)
    page = opened("room", room=code, key=key)
    assert "Scene 2" in said(page)
    assert "**Note.**" in said(page)
    page.button(key="room_next").click().run()
    asks_now = room(store, code).asks
    assert "lesson=class.3" in asks_now[-1].link
    chosen = page.button_group[0]
    assert chosen.options == ["1", "2", "3"]
    chosen.set_value(1).run()
    now = room(store, code).now
    assert now
    assert now.number == 1
    assert "Scene" not in said(page)


def test_an_exit_quiz_shows_nothing_before_it_is_closed(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, shows_results=False)
    page = opened("room", room=code, key=key)
    assert page.button(key="room_show_bars").disabled
    assert page.button(key="room_show_answer").disabled
    page.button(key="room_close").click().run()
    assert room(store, code).is_closed
    page.button(key="room_show_answer").click().run()
    assert RIGHT in said(opened("room", room=code))


def test_names_are_shown_to_the_class_only_when_they_are_let_through(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, wants_names=True)
    projector, window = opened("room", room=code), opened("room", room=code, key=key)
    assert "Name" not in said(projector)
    box = next(one for one in window.checkbox if "Name" in one.label)
    assert box.label == "\\*Name\\* 0"
    box.check().run()
    assert "Here: \\*Name\\* 0" in said(projector.run())
    next(one for one in window.checkbox if "Name" in one.label).uncheck().run()
    assert "Name" not in said(projector.run())


def test_the_sheet_has_every_vote(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, ADDED, RIGHT)
    store.close_vote(code, key)
    store.open_second_vote(code, key)
    store.answer(code, 1, "s0", RIGHT)
    store.ask(code, key, NUMBER)
    store.answer(code, 2, "s0", "3")
    store.answer(code, 2, "s1", "9")
    text = sheet_file(room(store, code)).decode("utf-8-sig")
    first, second = csv.DictReader(StringIO(text))
    assert first["Question"] == "Softmax: Add or multiply"
    assert (first["First vote: answers"], first["First vote: right"]) == ("3", "1")
    assert (first["Second vote: answers"], first["Second vote: right"]) == ("1", "1")
    assert first["Mistakes in the first vote"] == "you treated it as adding: 2"
    assert (second["First vote: answers"], second["First vote: right"]) == ("2", "1")
    assert second["Second vote: answers"] == ""
    assert second["Answer"] == "3"
    assert second["Link"] == NUMBER
    shown = said(opened("room", room=code, key=key))
    assert "| 1 | Softmax\\: Add or multiply | 1 of 3 right | 1 of 1 right |" in shown


def test_the_file_of_answers_says_who_answered_what(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, RIGHT, wants_names=True)
    store.join(code, "s0", "=1+1")
    store.close_vote(code, key)
    store.open_second_vote(code, key)
    store.answer(code, 1, "s0", RIGHT)
    lines = [*csv.DictReader(StringIO(answers_file(room(store, code), key).decode("utf-8-sig")))]
    found = [(one["Name"], one["Vote"], one["Right"], one["Mistake"]) for one in lines]
    assert sorted(found) == [
        ("'=1+1", "1", "no", "you treated it as adding"),
        ("'=1+1", "2", "yes", ""),
        ("*Name* 1", "1", "yes", ""),
    ]
    assert {one["Question"] for one in lines} == {"Softmax: Add or multiply"}
    assert len({one["Student"] for one in lines}) == 2
    with pytest.raises(InputError):
        answers_file(room(store, code), "another key")


def test_rare_numbers_are_one_bar_and_the_right_one_stays(store: Rooms) -> None:
    numbers = [str(n) for n in range(20, 40) for _ in range(2)]
    code, _ = asked(store, NUMBER, *numbers, "3")
    now, question = room(store, code).now, asked_question(NUMBER)
    assert now
    tallies = vote_tallies(code, now, question)
    bars, (times,) = vote_bars(question, tallies, marks_right=True)
    assert len(bars) == len(times) == MOST_BARS + 2
    assert dict(zip(bars, times, strict=True))["3", True] == 1
    assert sum(times) == len(numbers) + 1
    hidden, _ = vote_bars(question, tallies, marks_right=False)
    assert len(hidden) == MOST_BARS + 1
    assert not any(is_right for _, is_right in hidden)


def test_bars_keep_the_order_of_the_first_vote(store: Rooms) -> None:
    code, key = asked(store, NUMBER, "2", "2", "7", "4")
    question = asked_question(NUMBER)

    def order() -> list[str]:
        ask = room(store, code).asks[0]
        bars, _ = vote_bars(question, vote_tallies(code, ask, question), marks_right=False)
        return [text for text, _ in bars]

    before = order()
    assert before[0] == "2"
    store.open_second_vote(code, key)
    for n, text in enumerate(("3", "3", "3", "4")):
        store.answer(code, 1, f"s{n}", text)
    assert order() == [*before, "3"]


def test_options_have_letters_in_bars(store: Rooms) -> None:
    code, _ = asked(store, LINK, ADDED)
    question = asked_question(LINK)
    ask = room(store, code).asks[0]
    bars, _ = vote_bars(question, vote_tallies(code, ask, question), marks_right=False)
    options = question.kind.options if isinstance(question.kind, Choice) else ()
    assert [text for text, _ in bars] == [
        f"{letter} {option}" for letter, option in zip("ABCD", options, strict=True)
    ]


def test_deleting_leaves_nothing_and_the_page_says_so(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED)
    page = opened("room", room=code, key=key)
    page.button(key="room_delete").click().run()
    assert store.room(code) is None
    assert "There is no room" in said(page)


def test_looks_at_codes_are_counted(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    class Spent:
        def allows(self, address: str | None) -> bool:
            return False

    code, _ = store.create()
    page = opened("room", room=code)
    monkeypatch.setattr("ui.classroom.room_of_link.LOOKS", Spent())
    assert code in said(page.run()), "a page that goes on looks at no other code"
    page.query_params["room"] = "AAAAAA"
    assert "Too many codes" in said(page.run())


@pytest.mark.parametrize("garbage", GARBAGE)
def test_a_link_with_garbage_shows_a_page(store: Rooms, garbage: str) -> None:
    code, _ = store.create()
    assert opened("room", room=garbage).title
    page = opened("room", room=code, key=garbage)
    assert not page.exception
    assert not page.button
    assert ("This link has a key" in said(page)) == (garbage != "")


def test_a_room_is_the_teachers_own_only_with_its_key_and_while_it_is_open(store: Rooms) -> None:
    code, key = store.create()
    assert own_room({"code": code, "key": key}) == (code, key)
    for other in (None, {}, {"code": code}, {"code": code, "key": 7}, {"code": code, "key": "x"}):
        assert own_room(other) is None
    store.close_room(code, key)
    assert own_room({"code": code, "key": key}) is None


def buttons(page: AppTest) -> list[str]:
    """The places of the buttons that ask the class."""
    assert not page.exception
    made = [one.proto for one in page.get("bidi_component")]
    ids = [one.id for one in made if one.component_name == "class_button"]
    return [id.rpartition("class_button_")[2] for id in ids]


def test_only_what_can_be_asked_has_a_button(store: Rooms) -> None:
    assert asks(LINK)
    assert asks(NUMBER)
    assert not asks("?step=scores")
    assert not asks("nowhere?question=x.1")
    link = {"preset": "P4", "step": "scores", "cell": "scores.0.1.1"}
    assert buttons(opened("softmax")) == ["softmax"]
    assert "cover" not in buttons(opened("walkthrough", **link))
    assert "cover" in buttons(opened("walkthrough", **link, cover="scores"))
    scene = buttons(opened("walkthrough", lesson="class.2"))
    assert "scene" in scene
    assert "cover" not in scene
    assert "scene" not in buttons(opened("walkthrough", lesson="causal-attention.9"))


@pytest.mark.parametrize("view", [{"role": "student"}, {"present": "1"}])
def test_neither_a_student_nor_a_projector_has_the_button(
    store: Rooms, view: dict[str, str]
) -> None:
    assert buttons(opened("softmax", **view)) == []
    assert buttons(opened("walkthrough", lesson="class.2", **view)) == []


def test_a_student_sees_no_answer_and_no_note_of_a_scene(store: Rooms) -> None:
    folds = [one.label for one in opened("walkthrough", lesson="class.2").expander]
    hidden = [one.label for one in opened("walkthrough", lesson="class.2", role="student").expander]
    assert set(folds) - set(hidden) == {"Answer", "Teacher's note"}
