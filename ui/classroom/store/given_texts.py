"""What comes from a browser into a room: names, answers, links, and ids of students."""

import re
import unicodedata
from itertools import groupby

from core.errors import input_error
from core.questions.answers import LONGEST_TEXT as LONGEST_ANSWER
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
