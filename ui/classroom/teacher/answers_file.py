"""What each student answered, as a file for a spreadsheet: a line for each answer."""

import csv
from collections import Counter
from io import StringIO

from core.errors import InputError
from core.questions.engine import mark_answer, parse_answer, written_answer
from core.questions.texts import plain_text
from ui.classroom.questions.asked import asked_question, asked_title
from ui.classroom.questions.sheet import for_spreadsheet
from ui.classroom.store.room import GivenAnswer
from ui.classroom.store.rooms import Room, rooms
from ui.classroom.student.marks import RIGHT, mark_of
from ui.page_texts import chart_texts

TEXTS = chart_texts("room")
COLUMNS = (
    "column_student", "column_name", "column_number", "column_asked", "column_vote",
    "column_given", "column_is_right", "column_mistake", "column_right_in_all",
)  # fmt: skip


def answers_file(room: Room, key: str) -> bytes:
    """Return all answers as CSV in UTF-8. Only who has the room's key gets them.

    How answers are written, says `for_spreadsheet`. Each line ends with how many answers of its
    student are right in all, of which the last vote of a question counts.
    """
    written = StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(map(TEXTS, COLUMNS))
    answers = rooms().all_answers(room.code, key)
    right = Counter(given.student for given in answers if _counts(room, given))
    for given in answers:
        writer.writerow(map(for_spreadsheet, (*_line(room, given), str(right[given.student]))))
    return written.getvalue().encode("utf-8-sig")


def _counts(room: Room, given: GivenAnswer) -> bool:
    """Whether an answer is right, and of the last vote of its question."""
    ask = room.asks[given.number - 1]
    return given.vote == ask.vote and mark_of(ask, given.text) == RIGHT


def _line(room: Room, given: GivenAnswer) -> tuple[str, ...]:
    ask = room.asks[given.number - 1]
    about = str(given.student), given.name, str(given.number)
    try:
        question, title = asked_question(ask), plain_text(asked_title(ask))
        verdict = mark_answer(question, parse_answer(question, given.text))
    except InputError:  # a question that can no longer be made, or an answer that is none
        return (*about, ask.link, str(given.vote), given.text, "", "")
    if question.is_free:
        return (*about, title, str(given.vote), given.text, "", "")
    written = plain_text(written_answer(question, given.text))
    mistake = plain_text(verdict.mistake.name) if verdict.mistake else ""
    right = TEXTS("yes" if verdict.right else "no")
    return (*about, title, str(given.vote), written, right, mistake)
