"""The room's two screens: what each shows in each state of a room, and to whom."""

import csv
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from io import StringIO

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from tests.pages.test_any_link import GARBAGE
from tests.quotes import proves
from tests.sampling import some
from tests.ui.classroom.support import asked, asked_now, bars_of, room_of, said, shown, student
from tests.ui.support import opened
from ui.classroom.class_session import ASKED, OWN_ROOM, own_room
from ui.classroom.questions.asked import asked_question, question_if_any
from ui.classroom.questions.sheet import answers_file, day_of, for_spreadsheet, sheet_file
from ui.classroom.store.rooms import ANSWER, BARS, Ask, Rooms
from ui.classroom.teacher.teaching import minute_of
from ui.lessons.shelf import shipped

LINK = "softmax?question=softmax-change.3"
RIGHT, ADDED, GREW = "The largest weight shrinks", "No weight changes", "Every weight grows"
NUMBER = "?preset=P4&step=scores&cell=scores.0.1.1&cover=scores&lesson=class.2"
"""A covered cell that a scene asks for; its number is 3."""
HIDDEN_OR_NOT = "?lesson=class.4"
"""A choice, whether the mask hides a key; it does."""
VISIBLE = "yes, it is visible: 1 in the mask"
PRIVATE = re.compile(r"\$+[^$]+\$+|https?://\S+|hoverinfo")
"""LaTeX and addresses, which a browser writes otherwise or nobody reads."""


@proves("{count} of {joined} answered")
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


@proves("Vote {number}: {count} | {number}, second vote")
def test_the_projector_is_told_nothing_before_its_time(store: Rooms) -> None:
    """Neither the bars nor the mistakes say which one is right."""
    code, key = asked(store, LINK, ADDED, GREW, RIGHT, "")
    page = opened("room", room=code)
    assert page.title[0].value == "Question 1"
    assert not page.button
    question = asked_question(LINK)
    secrets = [question.explanation[:20], "✓", *(one.name for one in question.wrong), "right"]

    def tells() -> list[str]:
        return [secret for secret in secrets if secret in said(page.run())]

    assert tells() == []
    assert not bars_of(page)
    store.show(code, key, BARS)
    assert not bars_of(page.run()), "the vote is open"
    store.close_vote(code, key)
    assert len(bars_of(page.run())) == 1
    assert tells() == []
    store.open_second_vote(code, key)
    assert not bars_of(page.run())
    assert page.title[0].value == "Question 1, second vote"
    store.show(code, key, ANSWER)
    assert "Vote 2: 0 answers" in said(page.run())
    assert {"✓", "right"} <= {*tells()}
    assert f"The answer\\: {RIGHT}" in said(page)


@proves("""
    Close the vote and show the bars. Let students talk with their neighbours, and vote again |
    {count} of {answered} right | Go on with this vote
""")
def test_the_window_shows_the_answer_and_does_what_is_pressed(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, ADDED, RIGHT, "")
    page = opened("room", room=code, key=key)
    assert "**3 of 4** answered" in said(page)
    assert "**1 of 3** right" in said(page)
    assert "- you treated it as adding: 2" in said(page)
    assert f"The answer\\: {RIGHT}" in said(page)

    def press(id: str) -> Ask:
        page.button(key=f"room_{id}").click().run()
        assert not page.exception
        return asked_now(store, code)

    def offered() -> dict[str, bool]:
        return {one.key.removeprefix("room_"): not one.disabled for one in page.button if one.key}

    assert offered()["close_vote"]
    assert not offered()["vote_again"]
    assert not press("close_vote").is_open
    assert page.button(key="room_close_vote").label == "Go on with this vote"
    labels = [page.button(key=f"room_{id}").label for id in ("close_vote", "vote_again")]
    apart = [{*label.lower().split()} for label in labels]
    assert apart[0] & apart[1] == {"vote"}, "neither is taken for the other"
    assert press("show_bars").shown == BARS
    assert press("close_vote") == Ask(1, LINK, 1, True, "nothing")
    assert page.button(key="room_close_vote").label == "Close the vote"
    assert "**3 of 4** answered" in said(page)
    assert not press("close_vote").is_open
    assert press("show_bars").shown == BARS
    assert press("show_bars").shown == "nothing"
    assert press("vote_again") == Ask(1, LINK, 2, True, "nothing")
    assert press("show_bars") == Ask(1, LINK, 2, False, BARS)
    assert press("show_answer").shown == ANSWER
    assert not any(offered()[id] for id in ("close_vote", "vote_again", "show_answer"))


def test_while_the_scene_is_on_show_no_results_are_there_to_hide(store: Rooms) -> None:
    code, key = asked(store, NUMBER)
    page = opened("room", room=code, key=key)

    def third() -> str:
        return page.button(key="room_show_bars").label

    page.button(key="room_show_scene").click().run()
    page.button(key="room_show_answer").click().run()
    assert room_of(store, code).shows_scene
    assert third() == "Show the bars"
    page.button(key="room_show_bars").click().run()
    assert third() == "Hide the results"
    assert not room_of(store, code).shows_scene
    assert asked_now(store, code).shown == ANSWER


@proves("Scene {number}: {title}")
def test_one_goes_back_to_a_question_and_on_to_the_next_scene(store: Rooms) -> None:
    code, key = asked(store, LINK, "")
    store.ask(code, key, NUMBER)
    page = opened("room", room=code, key=key)
    assert "Scene 2" in said(page)
    assert "**Note.**" in said(page)
    page.button(key="room_next").click().run()
    assert "lesson=class.3" in room_of(store, code).asks[-1].link
    chosen = page.button_group[0]
    assert chosen.options == ["1", "2", "3"]
    chosen.set_value(1).run()
    assert asked_now(store, code).number == 1
    assert "Scene" not in said(page)


@proves("""
    show no results before the class is closed | This is an exit quiz: all its questions are open,
    and students go through them on their own. They see their results when you close the class
""")
def test_a_teacher_sees_the_bars_of_an_exit_quiz_and_the_projector_does_not(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, GREW, "", shows_results=False)
    store.ask(code, key, NUMBER)
    store.answer(code, 2, "s0", "2")
    window, projector = opened("room", room=code, key=key), opened("room", room=code)
    assert len(bars_of(window)) == 1
    assert "**2** · you took the number of another key: 1" in said(window)
    shown = said(projector)
    assert "Exit quiz: **1 of 3** have answered all 2 questions" in shown
    assert "Answered" not in shown
    assert code in shown
    assert not bars_of(projector)
    assert "Question" not in shown
    window.button_group[0].set_value(1).run()
    assert "- you treated it as adding: 1" in said(window)
    assert all(one.is_open for one in room_of(store, code).asks)
    keys = {one.key for one in window.button}
    acts = {f"room_{id}" for id in ("close_vote", "vote_again", "show_bars", "show_answer")}
    assert not keys & acts, "closing the room closes all of it"
    window.button(key="room_close").click().run()
    assert room_of(store, code).is_closed
    window.button(key="room_show_answer").click().run()
    assert RIGHT in said(opened("room", room=code))


@proves("""
    Exit quiz: {questions} {finished} of {joined} have answered its question all {questions}
    questions
""")
def test_a_teacher_sees_how_far_a_class_is_in_an_exit_quiz(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, RIGHT, "", shows_results=False)
    table = "| No. | 1 | 2 |\n| ---: | ---: | ---: |\n| Answered | 2 | 1 |\n| Right | 1 | 1 |"
    assert "Exit quiz: **2 of 3** have answered its question" in window(code, key)
    store.ask(code, key, NUMBER)
    assert "Exit quiz: **0 of 3** have answered all 2 questions" in window(code, key)
    store.answer(code, 2, "s0", "3")
    for _ in range(2):
        assert "Exit quiz: **1 of 3** have answered all 2 questions" in window(code, key)
        assert table in window(code, key)
        store.close_room(code, key)
    code, key = asked(store, LINK, ADDED, "")
    assert "Exit quiz" not in window(code, key)
    assert "Answered" not in window(code, key)


def window(code: str, key: str) -> str:
    return said(opened("room", room=code, key=key))


def test_nobody_has_finished_who_has_left_out_a_question(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, RIGHT, "", shows_results=False)
    assert store.finished(code) == 2
    store.ask(code, key, NUMBER)
    assert store.finished(code) == 0
    store.answer(code, 2, "s2", "3")
    assert store.finished(code) == 0
    store.answer(code, 2, "s1", "3")
    other, of_other = asked(store, LINK, ADDED, RIGHT, "")
    assert (store.finished(code), store.finished(other)) == (1, 2)
    store.open_second_vote(other, of_other)
    assert store.finished(other) == 0, "an answer before talking is not one after it"
    store.answer(other, 1, "s0", RIGHT)
    assert store.finished(other) == 1
    assert store.finished("777777") == 0


@pytest.mark.parametrize("view", ["one", "sheet", "key"])
def test_a_set_of_practice_can_be_an_exit_quiz(view: str) -> None:
    assert "quiz" in buttons(opened("practice", practice_view=view))
    for hidden in ({"role": "student"}, {"present": "1"}):
        assert "quiz" not in buttons(opened("practice", practice_view=view, **hidden))


@proves("The class sees only the names that you tick")
def test_names_are_shown_to_the_class_only_when_they_are_let_through(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, "", wants_names=True)
    projector, page = opened("room", room=code), opened("room", room=code, key=key)
    assert "Name" not in said(projector)
    box = next(one for one in page.checkbox if "Name" in one.label)
    assert box.label == "\\*Name\\* 0"
    box.check().run()
    assert "Here: \\*Name\\* 0" in said(projector.run())
    next(one for one in page.checkbox if "Name" in one.label).uncheck().run()
    assert "Name" not in said(projector.run())


def test_no_name_turns_those_beside_it_around(store: Rooms) -> None:
    code, key = store.create(wants_names=True)
    for n, name in enumerate(("Ada", "\u05e2\u05d3\u05d4 1", "\u0639\u0644\u064a")):
        store.join(code, f"s{n}", name)
        store.let_through(code, key, f"s{n}")
    shown = said(opened("room", room=code))
    assert "Ada, \u2068\u05e2\u05d3\u05d4 1\u2069, \u2068\u0639\u0644\u064a\u2069" in shown


ROOT = "https://school.example/attention/"
UNIT = "?preset=P2&step=context&cell=context.0.2.1&cover=context&lesson=class.6"
"""A covered cell whose number is −1."""
HIDDEN = "?preset=P4&step=masked&cell=masked.0.0.1&cover=masked"
"""A covered cell whose number is −∞."""


def rows_of(file: bytes) -> list[dict[str, str]]:
    return [*csv.DictReader(StringIO(file.decode("utf-8-sig")))]


def sheet_of(store: Rooms, code: str) -> list[dict[str, str]]:
    return rows_of(sheet_file(room_of(store, code), ROOT, UTC))


@proves("""
    First vote: answers | First vote: right | First vote: given | First vote: mistakes | {right} of
    {answered} right. Most given: {most} ({times}) | Class {code} · {day} · {title} | {name}:
    {counts}
""")
def test_the_sheet_has_every_vote(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, ADDED, RIGHT, "")
    store.close_vote(code, key)
    store.open_second_vote(code, key)
    store.answer(code, 1, "s0", RIGHT)
    store.answer(code, 1, "s1", ADDED)
    store.answer(code, 1, "s2", RIGHT)
    store.ask(code, key, NUMBER)
    for n, text in enumerate(("3", "2", "2.0", "9")):
        store.answer(code, 2, f"s{n}", text)
    first, second = sheet_of(store, code)
    assert first["Question"] == "Softmax: Add or multiply"
    assert (first["First vote: answers"], first["First vote: right"]) == ("3", "1")
    assert (first["Second vote: answers"], first["Second vote: right"]) == ("3", "2")
    assert first["First vote: given"] == f"{ADDED}: 2; {RIGHT}: 1"
    assert first["Second vote: given"] == f"{ADDED}: 1; {RIGHT}: 2"
    assert first["First vote: mistakes"] == "you treated it as adding: 2"
    assert first["Second vote: mistakes"] == "you treated it as adding: 1"
    assert (second["First vote: answers"], second["First vote: right"]) == ("4", "1")
    assert second["First vote: given"] == "2: 2; 3: 1; 9: 1"
    assert second["First vote: mistakes"] == "you took the number of another key: 2"
    assert second["Second vote: answers"] == ""
    assert second["Answer"] == "3"
    assert (first["Link"], second["Link"]) == (f"{ROOT}{LINK}", f"{ROOT}{NUMBER}")
    assert (first["Lesson"], second["Lesson"]) == ("", "A 45-minute class")
    opened_on = datetime.fromtimestamp(room_of(store, code).created, UTC).date().isoformat()
    assert {(one["Class"], one["Date"]) for one in (first, second)} == {(code, opened_on)}
    written = shown(opened("room", room=code, key=key))
    assert f"**Class {code}** · {opened_on} · A 45-minute class" in written
    assert (
        "| 1 | Softmax: Add or multiply | The largest weight shrinks"
        " | 1 of 3 right. Most given: No weight changes (2)"
        " | 2 of 3 right. Most given: The largest weight shrinks (2)"
        " | you treated it as adding: 2, then 1 |"
    ) in written
    most = "| 1 of 4 right. Most given: 2 (2) | – | you took the number of another key: 2 |"
    assert most in written


def test_a_minus_is_a_minus_on_every_screen_and_a_number_in_every_file(store: Rooms) -> None:
    """On screens it is −, in files a number has the hyphen that a spreadsheet reads."""
    code, key = asked(store, UNIT, "-1", "−2", "-1/2", "1/3", "")
    store.ask(code, key, HIDDEN)
    for n, text in enumerate(("-inf", "-∞", "-4")):
        store.answer(code, 2, f"s{n}", text)
    for number in (1, 2):
        store.go_to(code, key, number)
        store.show(code, key, ANSWER)
        screens = opened("room", room=code), opened("room", room=code, key=key)
        for page in (*screens, student(code, "s0")):
            written = PRIVATE.sub("", said(page))
            assert ("−1", "−∞")[number - 1] in written
            assert not re.search(r"(?<![\w.\\\-=])-(?:\d|inf|∞)", written)
            assert "inf" not in written
    first, second = sheet_of(store, code)
    assert (first["Answer"], second["Answer"]) == ("-1", "−∞")
    assert first["First vote: given"] == "1/3: 1; −1: 1; −1/2: 1; −2: 1"
    assert second["First vote: given"] == "−∞: 2; −4: 1"
    given = [one["Answer given"] for one in rows_of(answers_file(room_of(store, code), key))]
    assert sorted(given) == sorted(["-1", "-2", "−1⁄2", "1⁄3", "−∞", "−∞", "-4"])


@pytest.mark.parametrize(
    ("text", "in_file"),
    [
        *((number, number) for number in ("3", "-3", "+0.5", "-.5", "2e-9", "-1.5e-9", "43.00")),
        ("−3", "-3"), ("0,5", "0.5"), ("2e−9", "2e-9"),
        ("1/2", "1⁄2"), ("-1/2", "−1⁄2"), ("3 / 6", "3 ⁄ 6"),
        ("−3: 2; 1: 1", "−3: 2; 1: 1"), ("−∞", "−∞"), ("1/3 of it", "1/3 of it"),
        *((run, f"'{run}") for run in ("=1+1", "+1+1", "-2+3", "@SUM(1)", "=3", "-3: 2", "- 3")),
    ],
)  # fmt: skip
def test_an_apostrophe_is_only_before_what_a_spreadsheet_would_run(text: str, in_file: str) -> None:
    assert for_spreadsheet(text) == in_file


@pytest.mark.parametrize("first", "=+-@\t\r")
def test_what_a_spreadsheet_would_run_never_begins_a_cell(first: str) -> None:
    for rest in ("", "1+1", "cmd|' /C calc'!A0", "3/0x", "3 e", "A1"):
        written = for_spreadsheet(first + rest)
        assert written[:1] not in set("=+-@\t\r") or re.fullmatch(r"[-+][\d.]+", written), written


def test_the_file_of_answers_says_who_answered_what(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, RIGHT, "", wants_names=True)
    store.join(code, "s0", "=1+1")
    store.close_vote(code, key)
    store.open_second_vote(code, key)
    store.answer(code, 1, "s0", RIGHT)
    lines = rows_of(answers_file(room_of(store, code), key))
    found = [(one["Name"], one["Vote"], one["Right"], one["Mistake"]) for one in lines]
    assert sorted(found) == [
        ("'=1+1", "1", "no", "you treated it as adding"),
        ("'=1+1", "2", "yes", ""),
        ("*Name* 1", "1", "yes", ""),
    ]
    assert {one["Question"] for one in lines} == {"Softmax: Add or multiply"}
    assert len({one["Student"] for one in lines}) == 2
    with pytest.raises(InputError):
        answers_file(room_of(store, code), "another key")


@proves("Right in all")
def test_the_file_of_answers_says_how_many_are_right_in_all(store: Rooms) -> None:
    """Of a question with two votes by the last: who was right in both is so once."""
    code, key = asked(store, LINK, ADDED, RIGHT, RIGHT, wants_names=True)
    store.close_vote(code, key)
    store.open_second_vote(code, key)
    for n, text in enumerate((RIGHT, RIGHT, ADDED)):
        store.answer(code, 1, f"s{n}", text)
    store.ask(code, key, NUMBER)
    for n, text in enumerate(("2", "3", "2")):
        store.answer(code, 2, f"s{n}", text)
    lines = rows_of(answers_file(room_of(store, code), key))
    found = {(one["Name"], one["No."], one["Right in all"]) for one in lines}
    right = {"*Name* 0": "1", "*Name* 1": "2", "*Name* 2": "0"}
    assert found == {(name, no, count) for name, count in right.items() for no in "12"}


@proves("{given} · {name}: {count}")
def test_mistakes_have_numbers_that_show_them_and_options_are_said_by_bars(store: Rooms) -> None:
    code, key = asked(store, "?lesson=class.5", "1/6", "1/6", "0.33", "1/2", "")
    store.ask(code, key, HIDDEN_OR_NOT)
    for n in range(3):
        store.answer(code, 2, f"s{n}", VISIBLE)
    window = said(opened("room", room=code, key=key))
    store.show(code, key, ANSWER)
    projector, me = opened("room", room=code), student(code, "s0")
    for written in (window, said(projector), said(me)):
        assert "you answered" not in written
        assert "- Most given" not in written
    assert said(me).count("so it is in the future") == 1
    store.go_to(code, key, 1)
    store.show(code, key, ANSWER)
    for page in (opened("room", room=code, key=key), projector.run()):
        lines = shown(page).splitlines()
        assert "- **1/6** · you took the number of another key: 2" in lines
        assert "- **0.33** · you took the number of another key: 1" in lines
        assert not [line for line in lines if line.startswith("- ") and line.endswith("right")]


def test_before_any_answer_nobody_is_said_to_be_right(store: Rooms) -> None:
    code, key = store.create()
    store.join(code, "s0")
    store.ask(code, key, NUMBER)
    store.close_vote(code, key)
    store.show(code, key, BARS)
    window = said(opened("room", room=code, key=key))
    assert "answered yet" not in window, "the count says so"
    assert "of 0" not in window + said(opened("room", room=code))


@proves("This deletes every answer of this class. Download the sheet first")
def test_deleting_leaves_nothing_and_every_screen_says_so(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, "")
    page, projector = opened("room", room=code, key=key), opened("room", room=code)
    page.button(key="room_delete").click().run()
    assert store.room(code) is None
    assert f"Every answer of class {code} is deleted." in [one.value for one in page.success]
    assert not page.error
    page.button(key="to_opening").click().run()
    assert "Ask the class" in said(page)
    assert not page.query_params
    assert f"Class {code} is over" in said(projector.run())
    assert "There is no class" not in said(projector)
    assert not projector.button
    assert "There is no class" in said(opened("room", room=code))


@proves("""
    You can still show results and download the sheet |
    This class is closed: its sheet
""")
def test_a_closed_room_has_its_sheet_and_its_files_first(store: Rooms) -> None:
    code, key = asked(store, LINK, ADDED, RIGHT, "")
    page = opened("room", room=code, key=key)
    said_open = said(page)
    assert said_open.index("**2 of 3** answered") < said_open.index("1 of 2 right.")
    page.button(key="room_close").click().run()
    parts = "\n".join(one.value for one in page.markdown)
    assert parts.index("| No. |") < parts.index("**2 of 3**")
    assert "This class is closed: its sheet" in [one.value for one in page.header]


@pytest.mark.parametrize("end", ["close_room", "delete_room"])
def test_a_page_no_longer_names_a_class_that_is_over(store: Rooms, end: str) -> None:
    code, key = asked(store, LINK, ADDED, "")

    def names_it(page: AppTest) -> bool:
        return code in said(page)

    pages = opened("softmax"), opened("room")
    for page in pages:
        page.session_state[OWN_ROOM], page.session_state[ASKED] = (code, key), "softmax"
        assert names_it(page.run())
    getattr(store, end)(code, key)
    for page in pages:
        assert not names_it(page.run())


@proves("""
    minute {minute} of {planned} planned · {late} late: this scene was planned until minute {until}
    this scene until minute {until}
""")
def test_minutes_begin_at_the_first_question(store: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    code, key = store.create()
    now = room_of(store, code).created
    monkeypatch.setattr(store, "_clock", lambda: now + 600)
    assert minute_of(room_of(store, code)) == 0
    store.ask(code, key, NUMBER)
    lesson = shipped("class")
    until = int(lesson.scenes[0].minutes + lesson.scenes[1].minutes)
    for later, minute in ((0, 1), (59, 1), (61, 2), (until * 60 - 1, until)):
        monkeypatch.setattr("ui.classroom.teacher.teaching.time", lambda at=now + 600 + later: at)
        planned = f"of {lesson.minutes:g} planned · this scene until minute {until}"
        assert f"**minute {minute}** {planned}" in window(code, key)
        assert "late" not in window(code, key)
    for later, late in ((until * 60, "1 minute late"), (until * 60 + 119, "2 minutes late")):
        monkeypatch.setattr("ui.classroom.teacher.teaching.time", lambda at=now + 600 + later: at)
        planned = f"**{late}**: this scene was planned until minute {until}"
        assert f"of {lesson.minutes:g} planned · {planned}" in window(code, key)
    monkeypatch.setattr(store, "_clock", lambda: now + 600 + until * 60)
    store.ask(code, key, LINK)
    assert "planned" not in window(code, key)
    minute_now = f"**minute {until + 2}**"
    assert minute_now in window(code, key), "a later question does not begin the class anew"
    store.close_room(code, key)
    assert "**minute" not in window(code, key)


def test_a_teacher_finds_the_room_and_a_student_does_not() -> None:
    def leads(page: AppTest) -> bool:
        return any(link.proto.page == "room" for link in page.get("page_link"))

    assert leads(opened("lessons"))
    assert not leads(opened("lessons", role="student"))


@proves("""
    This link does not open the teacher's window here. Open the window from the browser that opened
    the class
""")
@pytest.mark.parametrize("garbage", some(GARBAGE, 6))
def test_a_link_with_garbage_shows_a_page(store: Rooms, garbage: str) -> None:
    code, _ = store.create()
    assert opened("room", room=garbage).title
    page = opened("room", room=code, key=garbage)
    assert not page.button
    assert "does not open the teacher's window here" in said(page)


@proves("This link opens your window in another browser. It has your key: give it to nobody")
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


def test_only_what_can_be_asked_has_a_button_and_only_for_a_teacher() -> None:
    assert question_if_any(LINK)
    assert question_if_any(NUMBER)
    assert not question_if_any("?step=scores")
    assert not question_if_any("nowhere?question=x.1")
    link = {"preset": "P4", "step": "scores", "cell": "scores.0.1.1"}
    assert buttons(opened("softmax")) == ["softmax"]
    assert "cover" not in buttons(opened("walkthrough", **link))
    assert "cover" in buttons(opened("walkthrough", **link, cover="scores"))
    scene = buttons(opened("walkthrough", lesson="class.2"))
    assert "scene" in scene
    assert "cover" not in scene
    assert "scene" in buttons(opened("walkthrough", lesson="from-nothing.6"))  # its task
    for view in ({"role": "student"}, {"present": "1"}):
        assert buttons(opened("softmax", **view)) == []
        assert buttons(opened("walkthrough", lesson="class.2", **view)) == []


def test_the_answer_is_told_as_its_scene_tells_it_and_not_before(store: Rooms) -> None:
    place = shipped("class").scenes[4]
    code, key = asked(store, f"{place.link}&lesson=class.5", "1/3", "")
    projector = opened("room", room=code)
    assert "The scores are ln 1, ln 2 and ln 3" in said(projector)
    store.close_vote(code, key)
    store.show(code, key, BARS)
    assert "3/6" not in said(projector.run())
    store.show(code, key, ANSWER)
    assert "Each row adds up to 1" in said(projector.run())
    assert "The answer is" not in said(projector)


def test_a_class_is_of_the_day_where_its_teacher_is(store: Rooms) -> None:
    begun = replace(room_of(store, asked(store, LINK)[0]), created=0.0)
    west, east = (timezone(timedelta(hours=hours)) for hours in (-1, 1))
    assert (day_of(begun, west), day_of(begun, east)) == ("1969-12-31", "1970-01-01")
