"""What comes from a browser into a room: names, answers, links, and ids of students."""

import re
import unicodedata

from core.errors import input_error
from core.questions.answers import LONGEST_TEXT as LONGEST_ANSWER
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("classroom")
LONGEST_TEXT = {"answer": LONGEST_ANSWER, "question": 200, "name": 40, "link": 8_000}
"""Characters of each."""
LONGEST_ID = 64
_ID = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_ID}}}")
_UNSHOWN = {"Cc", "Cs", "Zl", "Zp"}
"""Control characters, halves of characters, ends of lines and paragraphs."""


def line_given(what: str, text: str) -> str:
    """Return an answer, a name or a link without the spaces around it.

    Raises `InputError` if it is empty, too long, or more than one line of text.
    """
    line, most = text.strip(), LONGEST_TEXT[what]
    if not line:
        raise input_error(TEXTS, "text_empty", what=TEXTS(what))
    if len(line) > most:
        raise input_error(TEXTS, "text_long", what=TEXTS(what), count=len(line), most=most)
    if any(unicodedata.category(character) in _UNSHOWN for character in line):
        raise input_error(TEXTS, "text_unshown", what=TEXTS(what))
    return line


def id_given(student: str) -> str:
    """Return the id of a student. Raises `InputError` if it is none."""
    if not _ID.fullmatch(student):
        raise input_error(TEXTS, "student_unknown", most=LONGEST_ID)
    return student
