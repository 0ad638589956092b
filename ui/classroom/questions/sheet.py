"""What a class answered: question by question as a table to print, and as files."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from io import StringIO
from urllib.parse import urljoin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from core.errors import InputError
from core.files.downloads import spreadsheet_label
from core.program.numbers.literals import inert
from core.questions.engine import mark_answer, parse_answer, written_answer
from core.questions.tally import Tally
from core.questions.texts import plain_text
from ui.classroom.questions.asked import asked_question, asked_title, question_if_any, scene_of
from ui.classroom.questions.results import RIGHT, answer_text, mark_of, vote_tallies
from ui.classroom.store.room import GivenAnswer
from ui.classroom.store.rooms import Ask, Room, rooms
from ui.page_texts import chart_texts, page_texts
from ui.text import markdown_table, question_markdown

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
COLUMNS = (
    "column_number", "column_asked", "column_answer", "column_first_vote", "column_second_vote",
    "column_mistakes",
)  # fmt: skip
FILE_COLUMNS = (
    "column_number", "column_asked", "column_answer", "column_first_answers",
    "column_first_right", "column_first_given", "column_first_mistakes",
    "column_second_answers", "column_second_right", "column_second_given",
    "column_second_mistakes", "column_link", "column_day", "column_class", "column_lesson",
)  # fmt: skip
ANSWER_COLUMNS = (
    "column_student", "column_name", "column_number", "column_asked", "column_vote",
    "column_given", "column_is_right", "column_mistake", "column_right_in_all",
)  # fmt: skip
CELLS_OF_VOTES = 8
"""Those of both votes, four each."""
_NUMBER = re.compile(r"[-+−]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(e[-+−]?[0-9]+)?", re.IGNORECASE)
_FRACTION = re.compile(r"[-−]?[0-9]+( ?/ ?[0-9]+)+")


@dataclass(frozen=True)
class SheetRow:
    """One question of a room: its number, link and title, its answer, and its votes, counted.

    Of a free text (`is_free`) no answer is right or wrong. `lesson` is the title of the lesson
    whose scene asked it, "" if none did.
    """

    number: int
    link: str
    title: str
    answer: str
    votes: tuple[Tally, ...]
    is_free: bool = False
    lesson: str = ""

    @property
    def mistakes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The usual mistakes of all votes, the most frequent first; how many made each, by vote."""
        votes = [Counter(dict(vote.mistakes)) for vote in self.votes]
        total = sum(votes, Counter[str]())
        names = sorted(total, key=lambda name: (-total[name], name))
        return [(name, tuple(vote[name] for vote in votes)) for name in names]


def sheet_rows(room: Room) -> list[SheetRow]:
    """Return a row for each question; one that can no longer be made is left out."""
    rows = []
    for ask in room.asks:
        if (question := question_if_any(ask)) is None:
            continue
        title, votes = asked_title(ask), tuple(vote_tallies(room.code, ask, question))
        answer, scene = answer_text(question), scene_of(ask.link)
        lesson = scene.lesson.title if scene else ""
        rows.append(SheetRow(ask.number, ask.link, title, answer, votes, question.is_free, lesson))
    return rows


def day_of(room: Room, zone: tzinfo) -> str:
    """Return the day on which a room was opened, where its teacher is: 2026-03-31."""
    return datetime.fromtimestamp(room.created, zone).date().isoformat()


def zone_of_browser() -> tzinfo:
    """Return the time zone of who has the page open; UTC if the browser does not say it."""
    try:
        return ZoneInfo(st.context.timezone or "")
    except (ValueError, ZoneInfoNotFoundError):
        return UTC


def sheet_file(room: Room, root: str, zone: tzinfo) -> bytes:
    """Return the sheet as CSV in UTF-8, with the mark by which spreadsheets know it.

    `root` is the product's address, so that links work from anywhere. How answers are written,
    says `for_spreadsheet`.
    """
    lines = []
    for row in sheet_rows(room):
        votes = [cell for vote in row.votes for cell in _told(vote, row.is_free)]
        votes += [""] * (CELLS_OF_VOTES - len(votes))
        told = map(for_spreadsheet, (plain_text(row.title), plain_text(row.answer), *votes))
        asked = urljoin(root, row.link), day_of(room, zone), room.code
        lines.append([str(row.number), *told, *asked, spreadsheet_label(row.lesson)])
    return _csv(FILE_COLUMNS, lines)


def answers_file(room: Room, key: str) -> bytes:
    """Return all answers as CSV in UTF-8. Only who has the room's key gets them.

    How answers are written, says `for_spreadsheet`. Each line ends with how many answers of its
    student are right in all, of which the last vote of a question counts.
    """
    found = rooms().all_answers(room.code, key)
    answers = [(given, room.asks[given.number - 1]) for given in found]
    right = Counter(
        given.student
        for given, ask in answers
        if given.vote == ask.vote and mark_of(ask, given.text) == RIGHT
    )
    lines = ((*_answer_line(given, ask), str(right[given.student])) for given, ask in answers)
    return _csv(ANSWER_COLUMNS, (map(for_spreadsheet, line) for line in lines))


def _answer_line(given: GivenAnswer, ask: Ask) -> tuple[str, ...]:
    title, text, right, mistake = ask.link, given.text, "", ""
    with suppress(InputError):  # a question that can no longer be made, or an answer that is none
        question = asked_question(ask)
        verdict = mark_answer(question, parse_answer(question, text))
        title = plain_text(asked_title(ask))
        if not question.is_free:
            text = plain_text(written_answer(question, text))
            right = PLAIN("yes" if verdict.right else "no")
            mistake = plain_text(verdict.mistake.name) if verdict.mistake else ""
    number, vote = str(given.number), str(given.vote)
    return str(given.student), given.name, number, title, vote, text, right, mistake


def _csv(columns: Iterable[str], lines: Iterable[Iterable[str]]) -> bytes:
    """A file with the mark by which spreadsheets know UTF-8."""
    written = StringIO()
    csv.writer(written, lineterminator="\r\n").writerows([map(PLAIN, columns), *lines])
    return written.getvalue().encode("utf-8-sig")


def for_spreadsheet(text: str) -> str:
    """Return a text for a cell of a CSV file, so that any spreadsheet shows what it says.

    A number is one for a spreadsheet too: its minus is a hyphen, its comma a point. A fraction has
    the fraction slash (U+2044), because a spreadsheet makes a date of 1/2. An apostrophe, which
    some show, is only before what a spreadsheet would run as a formula.
    """
    if _NUMBER.fullmatch(text):
        return text.replace("−", "-").replace(",", ".")
    if _FRACTION.fullmatch(text):
        return text.replace("-", "−").replace("/", "\N{FRACTION SLASH}")
    return inert(text) if text.startswith("−") else spreadsheet_label(text)


def _told(vote: Tally, is_free: bool) -> tuple[str, str, str, str]:
    """What a vote was, in a file: how many answered, how many right, what was given, mistakes."""
    given = ((each.text, each.times) for each in vote.given if each.times)
    right = "" if is_free else str(vote.right)
    return str(vote.answered), right, _listed(given), _listed(vote.mistakes)


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    return "; ".join(f"{plain_text(name)}: {count}" for name, count in counts)


def show_sheet(room: Room) -> None:
    """Draw the sheet: a title and a table. A page on which it is seen prints nothing else."""
    rows = sheet_rows(room)
    lessons = list(dict.fromkeys(row.lesson for row in rows if row.lesson))
    with st.container(key="class_sheet"):
        day = day_of(room, zone_of_browser())
        st.markdown(TEXTS("sheet_title", code=room.code, day=day, lessons=lessons))
        st.markdown(markdown_table([*map(TEXTS, COLUMNS)], [*map(_cells, rows)], str))
    st.caption(TEXTS("print_sheet"))


def show_quiz(room: Room) -> None:
    """Draw how many answered each question of an exit quiz, and how many of them right."""
    rows = [(row, row.votes[-1]) for row in sheet_rows(room)]
    if not rows:
        return
    head = [TEXTS("column_number"), *(str(row.number) for row, _ in rows)]
    answered = [TEXTS("column_answered"), *(str(vote.answered) for _, vote in rows)]
    right = (TEXTS("no_vote") if row.is_free else str(vote.right) for row, vote in rows)
    lines = [answered, [TEXTS("column_is_right"), *right]]
    with st.container(key="quiz_table"):
        st.markdown(markdown_table(head, lines, str))


def _cells(row: SheetRow) -> list[str]:
    votes = [_vote(vote, row.is_free) if vote.answered else TEXTS("no_vote") for vote in row.votes]
    first, second = (*votes, TEXTS("no_vote"))[:2]
    mistakes = (
        TEXTS("mistake_short", name=question_markdown(name), counts=counts)
        for name, counts in row.mistakes
    )
    titles = map(question_markdown, (row.title, row.answer))
    return [str(row.number), *titles, first, second, "; ".join(mistakes)]


def _vote(vote: Tally, is_free: bool) -> str:
    if is_free:
        return TEXTS("free_vote", answered=vote.answered)
    most = vote.most_given
    text, times = (question_markdown(most.text), most.times) if most else ("", 0)
    return TEXTS("vote", right=vote.right, answered=vote.answered, most=text, times=times)
