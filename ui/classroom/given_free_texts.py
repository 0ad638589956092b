"""The free texts of a room in its file: the teacher reads all, the class those let through."""

from dataclasses import dataclass, field

from core.errors import input_error
from ui.classroom.codes import code_typed
from ui.classroom.given_texts import id_given
from ui.classroom.kept_rooms import KeptRooms
from ui.classroom.room import put_scene
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")


@dataclass(frozen=True)
class GivenText:
    """What a student wrote in a vote, and whether the class may see it.

    `time` grows from text to text; a text `is_new` if its teacher has read others and not it.
    """

    student: str
    text: str
    is_let_through: bool
    time: int = field(default=0, compare=False)
    is_new: bool = field(default=False, compare=False)


class FreeTexts(KeptRooms):
    """The part of `Rooms` that is about free texts."""

    def texts(self, code: str, key: str, number: int, vote: int) -> list[GivenText]:
        """Return all texts of a vote, in the order in which students first answered: a text that
        is changed keeps its place. Only who has the room's key gets them.
        """
        with self._teaching(code, key, changes=False) as (connection, room):
            found = connection.execute(
                "SELECT student, text, is_let_through, COALESCE(latest, 0) AS time, until"
                " FROM answers LEFT JOIN answer_times USING (code, number, vote, student)"
                " LEFT JOIN texts_read USING (code, number, vote)"
                " WHERE code = ? AND number = ? AND vote = ? ORDER BY first, student",
                (room.code, number, vote),
            ).fetchall()
        return [
            GivenText(
                row["student"], row["text"], bool(row["is_let_through"]), row["time"],
                is_new=row["until"] is not None and row["time"] > row["until"],
            )
            for row in found
        ]  # fmt: skip

    def read_texts(self, code: str, key: str, number: int, vote: int, until: int) -> None:
        """Note that the teacher has read the texts of a vote up to a time."""
        with self._teaching(code, key) as (connection, room):
            connection.execute(
                "INSERT INTO texts_read VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET until = MAX(until, excluded.until)",
                (room.code, number, vote, until),
            )

    def let_text_through(
        self, code: str, key: str, number: int, vote: int, given: GivenText, is_shown: bool = True
    ) -> None:
        """Let the class see a text, or no longer.

        A text that its student has changed meanwhile stays hidden: the teacher has not read it.
        """
        with self._teaching(code, key) as (connection, room):
            if not is_shown and room.scene_text == given.text:
                put_scene(connection, room, False)
            connection.execute(
                "UPDATE answers SET is_let_through = ?"
                " WHERE code = ? AND number = ? AND vote = ? AND student = ? AND text = ?",
                (is_shown, room.code, number, vote, id_given(given.student), given.text),
            )

    def show_sentence(self, code: str, key: str, number: int, vote: int, given: GivenText) -> None:
        """Put the scene of the current question on the projector, with a text of a vote on it as
        its sentence. The class may then see the text.

        A text that its student has changed meanwhile is not shown.
        """
        with self._teaching(code, key) as (connection, room):
            if room.is_quiz:
                raise input_error(TEXTS, "kept_back")
            found = connection.execute(
                "UPDATE answers SET is_let_through = 1"
                " WHERE code = ? AND number = ? AND vote = ? AND student = ? AND text = ?",
                (room.code, number, vote, id_given(given.student), given.text),
            )
            if found.rowcount and number == room.current:
                put_scene(connection, room, True, given.text)

    def texts_let_through(self, code: str, number: int, vote: int) -> list[str]:
        """Return the texts of a vote that the class may see, in the order of the texts."""
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT text FROM answers WHERE code = ? AND number = ? AND vote = ?"
                " AND is_let_through = 1 ORDER BY text",
                (code_typed(code), number, vote),
            )
            return [row["text"] for row in found]
