"""A scene's words for a printed page, with a question's marks: tokens, typeset symbols, numbers."""

import re
from collections.abc import Callable

from core.files.lesson import MARKS
from core.program.labels import as_prose, marked_token
from ui.page.prose import symbols_marked

NumberOfScene = Callable[[str, str], str]
"""Writes the number of a cell of a link's stage."""


def printed_words(text: str, link: str, number: NumberOfScene) -> str:
    """Return a scene's words in one line, with the numbers that the stage of its link has."""
    line, found, at = " ".join(text.split()), "", 0
    for mark in MARKS.finditer(line):
        found += symbols_marked(line[at : mark.start()]) + _mark(mark, link, number)
        at = mark.end()
    return found + symbols_marked(line[at:])


def _mark(mark: re.Match[str], link: str, number: NumberOfScene) -> str:
    if place := mark["place"]:
        return as_prose(number(link, place)) if "." in place else symbols_marked(place)
    if token := mark["token"]:
        return marked_token(token)
    return symbols_marked(mark["said"] or mark["code"] or mark[0])
