"""What comes from a browser into a room: names, answers, links, ids of students, and free texts.

The teacher reads all free texts, the class those let through. Equal ones (`same_text`) are one text
with all who gave it.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from sqlite3 import Connection, Row

from core.errors import input_error
from core.questions.answers import LONGEST_TEXT as LONGEST_ANSWER
from core.questions.tally import Ways
from ui.classroom.store.room import KeptRooms, code_typed, put_scene
from ui.directions import DIRECTING
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")
LONGEST_TEXT = {"answer": LONGEST_ANSWER, "question": 200, "name": 40, "link": 8_000}
"""Characters of each."""
LONGEST_ID = 64
_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_ID}}}")
_UNSHOWN = {"Cc", "Cs", "Zl", "Zp"}
"""Control characters, halves of characters, ends of lines and paragraphs."""
_INVISIBLE = {"Cf", "Cn", "Mn", "Me", "Zs"}
"""What shows nothing by itself: marks of formatting, combining marks, spaces, what is no character.
"""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that are drawn as nothing: fillers of Hangul, and Braille without a dot."""
MOST_MARKS = 4
"""Marks over and under a letter, one after another. More of them cover the lines next to it."""


def line_given(what: str, text: str) -> str:
    """Return an answer, a name or a link without the spaces around it.

    Raises `InputError` if nothing of it can be seen, if it is too long or more than one line, if a
    letter has too many marks, or if a name has a character that turns the direction of a text.
    Texts may: they stand alone.
    """
    line, most = text.strip(), LONGEST_TEXT[what]
    if not any(map(_shows, line)):
        raise input_error(TEXTS, "text_empty", what=TEXTS(what))
    if len(line) > most:
        raise input_error(TEXTS, "text_long", what=TEXTS(what), count=len(line), most=most)
    if any(unicodedata.category(character) in _UNSHOWN for character in line):
        raise input_error(TEXTS, "text_unshown", what=TEXTS(what))
    if what == "name" and (turning := DIRECTING & set(line)):
        raise input_error(TEXTS, "name_turned", sign=f"U+{ord(min(turning)):04X}")
    piles = [len([*pile]) for piles_up, pile in groupby(line, _piles_up) if piles_up]
    if (marks := max(piles, default=0)) > MOST_MARKS:
        raise input_error(TEXTS, "text_marks", what=TEXTS(what), count=marks, most=MOST_MARKS)
    return line


def same_text(text: str) -> str:
    """Return what two free texts have in common that count as equal: they differ in capital
    letters, in spaces, in full stops at the end, or in how a letter with its accent is stored, and
    in nothing else.
    """
    line = unicodedata.normalize("NFC", " ".join(text.split()).casefold())
    return line.rstrip(" .") or line


def _piles_up(character: str) -> bool:
    """Whether a character is drawn over or under the one before it."""
    category = unicodedata.category(character)
    return category == "Me" or (category == "Mn" and unicodedata.combining(character) > 0)


def _shows(character: str) -> bool:
    """Whether a character can be seen, or is refused by itself."""
    return character not in _BLANK and unicodedata.category(character) not in _INVISIBLE


def id_given(student: str) -> str:
    """Return the id of a student. Raises `InputError` if it is none."""
    if not _ID.fullmatch(student):
        raise input_error(TEXTS, "student_unknown", most=LONGEST_ID)
    return student


@dataclass(frozen=True)
class GivenText:
    """A text of a vote as most of its `students` wrote it, and whether the class may see it.

    `time` grows from text to text; a text `is_new` if its teacher has read others and not it.
    """

    text: str
    students: tuple[str, ...] = field(compare=False)
    is_let_through: bool
    time: int = field(default=0, compare=False)
    is_new: bool = field(default=False, compare=False)

    @property
    def times(self) -> int:
        """How many students gave it."""
        return len(self.students)

    @property
    def means(self) -> str:
        """The same for all ways to write it."""
        return same_text(self.text)


class FreeTexts(KeptRooms):
    """The part of `Rooms` that is about free texts."""

    def texts(self, code: str, key: str, number: int, vote: int) -> list[GivenText]:
        """Return all texts of a vote, in the order in which they first came: a text that is changed
        keeps its student's place. Only who has the room's key gets them.
        """
        with self._teaching(code, key, changes=False) as (connection, room):
            found = connection.execute(
                "SELECT student, text, latest, until"
                " FROM answers LEFT JOIN texts_read USING (code, number, vote)"
                " WHERE code = ? AND number = ? AND vote = ? ORDER BY first, student",
                (room.code, number, vote),
            ).fetchall()
            shown = _let_through(connection, room.code, number, vote)
        equal: dict[str, list[Row]] = {}
        for row in found:
            equal.setdefault(same_text(row["text"]), []).append(row)
        return [
            GivenText(
                _as_most_wrote(Ways(row["text"] for row in rows)),
                tuple(row["student"] for row in rows),
                means in shown,
                max(row["latest"] for row in rows),
                all(row["until"] is not None and row["latest"] > row["until"] for row in rows),
            )
            for means, rows in equal.items()
        ]

    def read_texts(self, code: str, key: str, number: int, vote: int, until: int) -> None:
        """Note that the teacher has read the texts of a vote up to a time."""
        with self._teaching(code, key) as (connection, room):
            connection.execute(
                "INSERT INTO texts_read VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET until = MAX(until, excluded.until)",
                (room.code, number, vote, until),
            )

    def let_texts_through(
        self,
        code: str, key: str, number: int, vote: int, texts: Iterable[GivenText],
        is_shown: bool = True,
    ) -> None:  # fmt: skip
        """Let the class see some texts, or no longer: these and no others.

        What a student has changed meanwhile stays hidden, because the teacher has not read it.
        """
        with self._teaching(code, key) as (connection, room):
            for given in texts:
                if not is_shown and same_text(room.scene_text) == given.means:
                    put_scene(connection, room, False)
                connection.execute(
                    "INSERT OR IGNORE INTO texts_let_through VALUES (?, ?, ?, ?)"
                    if is_shown
                    else "DELETE FROM texts_let_through"
                    " WHERE code = ? AND number = ? AND vote = ? AND means = ?",
                    (room.code, number, vote, given.means),
                )

    def show_sentence(self, code: str, key: str, number: int, vote: int, given: GivenText) -> None:
        """Put the scene of the current question on the projector, with a text of a vote on it as
        its sentence. The class may then see the text.

        A text that its students have changed meanwhile is not shown.
        """
        with self._teaching(code, key) as (connection, room):
            if room.is_quiz:
                raise input_error(TEXTS, "kept_back")
            if given.means not in map(same_text, _texts_of(connection, room.code, number, vote)):
                return
            query = "INSERT OR IGNORE INTO texts_let_through VALUES (?, ?, ?, ?)"
            connection.execute(query, (room.code, number, vote, given.means))
            if number == room.current:
                put_scene(connection, room, True, given.text)

    def texts_let_through(self, code: str, number: int, vote: int) -> list[tuple[str, int]]:
        """Return the texts of a vote that the class may see, as most wrote each, and how many gave
        it: the most frequent first, and others in the order of the texts.
        """
        code = code_typed(code)
        with self._database.reading() as connection:
            shown = _let_through(connection, code, number, vote)
            equal = {means: Ways() for means in shown}
            for text in _texts_of(connection, code, number, vote):
                if (means := same_text(text)) in equal:
                    equal[means][text] += 1
        found = [(_as_most_wrote(ways), ways.total()) for ways in equal.values() if ways]
        return sorted(found, key=lambda one: (-one[1], one[0]))


def _as_most_wrote(ways: Ways) -> str:
    """The way in which most wrote a text; of several the one with the fewest capital letters."""
    return min(ways, key=lambda text: (-ways[text], sum(map(str.isupper, text)), len(text), text))


def _let_through(connection: Connection, code: str, number: int, vote: int) -> set[str]:
    """What the class may see of a vote, as `same_text` writes it."""
    query = "SELECT means FROM texts_let_through WHERE code = ? AND number = ? AND vote = ?"
    found = connection.execute(query, (code, number, vote))
    return {row["means"] for row in found}


def _texts_of(connection: Connection, code: str, number: int, vote: int) -> list[str]:
    """All texts of a vote, an equal one as often as it was given."""
    query = "SELECT text FROM answers WHERE code = ? AND number = ? AND vote = ?"
    found = connection.execute(query, (code, number, vote))
    return [row["text"] for row in found]
