"""What a class answered, question by question: as a table, and as a file for a spreadsheet."""

import csv
from dataclasses import dataclass
from io import StringIO

import streamlit as st

from core.errors import InputError
from core.files.spreadsheet_labels import spreadsheet_label
from core.questions.tally import Tally
from core.questions.texts import plain_text
from ui.classroom.asked import asked_question, asked_title
from ui.classroom.results import vote_tallies
from ui.classroom.rooms import Room
from ui.page_texts import chart_texts, page_texts
from ui.text import markdown_table, question_markdown

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
COLUMNS = (
    "column_number", "column_asked", "column_first_vote", "column_second_vote", "column_mistakes",
)  # fmt: skip
FILE_COLUMNS = (
    "column_number", "column_asked", "column_answer", "column_first_answers",
    "column_first_right", "column_second_answers", "column_second_right", "column_mistakes",
    "column_link",
)  # fmt: skip


@dataclass(frozen=True)
class SheetRow:
    """One question of a room: its number, link and title, its answer, and its votes, counted.

    Of a free text (`is_free`) no answer is right or wrong.
    """

    number: int
    link: str
    title: str
    answer: str
    votes: tuple[Tally, ...]
    is_free: bool = False

    @property
    def mistakes(self) -> list[tuple[str, int]]:
        """The usual mistakes of the first vote and how many made each; talking mends the second."""
        return [*self.votes[0].mistakes]


def sheet_rows(room: Room) -> list[SheetRow]:
    """Return a row for each question; one that can no longer be made is left out."""
    rows = []
    for ask in room.asks:
        try:
            question, title = asked_question(ask), asked_title(ask)
        except InputError:
            continue
        votes = tuple(vote_tallies(room.code, ask, question))
        answer = question.kind.text(question.answer)
        rows.append(SheetRow(ask.number, ask.link, title, answer, votes, question.is_free))
    return rows


def sheet_file(room: Room) -> bytes:
    """Return the sheet as CSV in UTF-8, with the mark by which spreadsheets know it."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(map(PLAIN, FILE_COLUMNS))
    for row in sheet_rows(room):
        votes = [(str(vote.answered), "" if row.is_free else str(vote.right)) for vote in row.votes]
        first, second = (*votes, ("", ""))[:2]
        title = spreadsheet_label(plain_text(row.title))
        mistakes = "; ".join(f"{plain_text(name)}: {count}" for name, count in row.mistakes)
        writer.writerow([
            row.number, title, plain_text(row.answer), *first, *second, mistakes, row.link,
        ])  # fmt: skip
    return written.getvalue().encode("utf-8-sig")


def show_sheet(room: Room) -> None:
    """Draw the sheet as a table that prints."""
    header = [TEXTS(name) for name in COLUMNS]
    st.markdown(markdown_table(header, [_cells(row) for row in sheet_rows(room)], str))


def _cells(row: SheetRow) -> list[str]:
    votes = [
        TEXTS("free_vote", answered=vote.answered) if row.is_free
        else TEXTS("vote", right=vote.right, answered=vote.answered)
        for vote in row.votes
    ]  # fmt: skip
    first, second = (*votes, TEXTS("no_vote"))[:2]
    mistakes = [
        TEXTS("mistake_short", name=question_markdown(name), count=count)
        for name, count in row.mistakes
    ]
    return [str(row.number), question_markdown(row.title), first, second, "; ".join(mistakes)]
