"""What a class answered, in rows: which there are, and that every screen names them alike."""

import html
import re

import pytest

from core.questions.answers import Choice
from core.questions.tally import tally
from tests.sampling import some
from tests.ui.classroom.store.test_room import ADDED, LINK, NUMBER, RIGHT
from tests.ui.classroom.support import asked, bars_of, room_of, said, student
from tests.ui.support import opened
from ui.classroom.questions.asked import asked_question
from ui.classroom.questions.results import MOST_BARS, MOST_NAMED, vote_rows, vote_tallies
from ui.classroom.store.rooms import ANSWER, BARS, Rooms


def test_rare_numbers_are_one_bar_and_the_right_one_stays(store: Rooms) -> None:
    numbers = [str(n) for n in range(20, 40) for _ in range(2)]
    code, _ = asked(store, NUMBER, *numbers, "3")
    now, question = room_of(store, code).now, asked_question(NUMBER)
    assert now
    tallies = vote_tallies(code, now, question)
    told = vote_rows(question, tallies, True)
    assert len(told) == MOST_BARS + 2
    assert next(row.times for row in told if row.is_right) == (1,)
    assert sum(row.times[0] for row in told) == len(numbers) + 1
    hidden = vote_rows(question, tallies, False)
    assert len(hidden) == MOST_BARS + 1
    assert not any(row.is_right or row.mistake for row in hidden)
    rest = [int(text) for text in re.findall(r"\d+", hidden[-1].text)]
    shown = [int(row.text) for row in hidden[:-1]]
    assert len(rest) == MOST_NAMED + 1
    assert rest[-1] == len({*numbers, "3"}) - len(shown) - MOST_NAMED, "and so many more"
    assert sorted(rest[:-1]) == rest[:-1]
    assert not {*shown} & {*rest[:-1]}


@pytest.mark.parametrize("late", [0, 1])
def test_what_many_answered_in_either_vote_has_a_bar_of_its_own(late: int) -> None:
    question = asked_question(NUMBER)
    few, many = [str(n) for n in range(20, 40) for _ in range(2)], ["50"] * 9
    votes = [tally(question, given) for given in ((many, few) if late else (few, many))]
    rows = vote_rows(question, votes, False)
    assert len(rows) == MOST_BARS + 1
    assert [max(row.times) for row in rows if row.text == "50"] == [9]


@pytest.mark.parametrize("shown", [BARS, ANSWER])
@pytest.mark.parametrize(
    ("link", "given"),
    [
        (NUMBER, ("3", "2", "2", "9", "-1")),
        (NUMBER, ("3.002", *map(str, range(4, 24)), "23", "23", "22", "1/2")),
        (LINK, (ADDED, RIGHT, ADDED)),
        ("?lesson=class.5", ("1/6", "1/6", "0.33", "1/2", "0.5", "7", "8", "9")),
    ],
)
@pytest.mark.parametrize("votes", some([2, 1], 2))
def test_projector_window_and_phones_name_an_answer_alike(
    store: Rooms, link: str, given: tuple[str, ...], votes: int, shown: str
) -> None:
    """Each row of the bars is a line on a phone, with the same counts, in the same order."""
    code, key = asked(store, link, *given)
    if votes == 2:
        store.open_second_vote(code, key)
        store.answer(code, 1, "s0", given[-1])
    store.close_vote(code, key)
    store.show(code, key, shown)
    (table,) = [html.unescape(drawn) for drawn in bars_of(opened("room", room=code))]
    rows = [
        (name.replace("\u00a0✓", "").replace("\u2002", " "), re.findall(r"<b>(\d+)", row))
        for name, row in re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', table)
    ]
    listed = said(student(code, "s0")).split("The class answered")[1]
    lines = re.findall(r"^- (.*?): (\d+) of \d+(?:, then (\d+) of \d+)?$", listed, re.MULTILINE)
    names = [re.sub(r"[\\*]| \((?:right|[^)]{9,})\)$", "", name) for name, *_ in lines]
    assert len(rows) > 2
    assert names == [name for name, _ in rows]
    assert [[n for n in times if n] for _, *times in lines] == [times for _, times in rows]


@pytest.mark.parametrize(("marks_right", "right"), [(False, "3.002"), (True, "3")])
def test_bars_are_in_the_order_of_the_numbers(store: Rooms, marks_right: bool, right: str) -> None:
    code, key = asked(store, NUMBER, "9", "10", "10", "-0,5", "3.002")
    question = asked_question(NUMBER)

    def bars() -> tuple[list[str], list[tuple[int, ...]]]:
        ask = room_of(store, code).asks[0]
        tallies = vote_tallies(code, ask, question)
        rows = vote_rows(question, tallies, marks_right)
        return [row.text for row in rows], [*zip(*(row.times for row in rows), strict=True)]

    assert bars() == (["−0,5", right, "9", "10"], [(1, 1, 1, 2)])
    store.open_second_vote(code, key)
    for n, text in enumerate(("3.002", "3.002", "4", "10")):
        store.answer(code, 1, f"s{n}", text)
    assert bars() == (["−0,5", right, "4", "9", "10"], [(1, 1, 0, 1, 2), (0, 2, 1, 0, 1)])


def test_options_have_letters_in_bars(store: Rooms) -> None:
    code, _ = asked(store, LINK, ADDED)
    question = asked_question(LINK)
    ask = room_of(store, code).asks[0]
    bars = vote_rows(question, vote_tallies(code, ask, question), False)
    options = question.kind.options if isinstance(question.kind, Choice) else ()
    assert [row.text for row in bars] == [
        f"{letter}\u2002{option}" for letter, option in zip("ABCD", options, strict=True)
    ]


def test_the_projector_explains_mistakes_that_have_a_bar_and_the_window_all(store: Rooms) -> None:
    """A list as long as the window has would make everything on the projector small."""
    scene = "?lesson=class.5"
    question = asked_question(scene)
    given = [question.kind.text(wrong.value) for wrong in question.wrong]
    assert len(given) > MOST_BARS + 1
    often = given[: MOST_BARS - 1]
    code, key = asked(store, scene, *given, *often, "1/2", "1/2")
    store.close_vote(code, key)
    store.show(code, key, ANSWER)
    told: dict[str, int] = {}
    for name, page in (
        ("window", opened("room", room=code, key=key)),
        ("projector", opened("room", room=code)),
    ):
        told[name] = len(re.findall(r"^- .*: \d+$", said(page), re.MULTILINE))
    assert told == {"window": len(given), "projector": len(often)}
