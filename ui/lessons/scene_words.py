"""What a scene says, with its marks: as Markdown, in print, and in a question of a class."""

import re
from collections.abc import Callable

from core.files.lesson import MARKS, term_of
from core.program.labels import as_prose, marked_token
from ui.page.prose import symbols_marked, typeset_prose
from ui.text import Markdown, token_text

NumberOfScene = Callable[[str, str], str]
"""Writes the number of a cell of a link's stage."""


def markdown(text: str) -> Markdown:
    """Return a scene's words: their marks are links and chips, all else is shown as it is.

    A number of the stage is a link that the stage gives its number.
    """

    def mark(found: re.Match[str]) -> str:
        if place := found["place"]:
            # The name itself: of a cell, the stage puts the number there.
            return f"[{typeset_prose(place) if '.' not in place else place}](#stage-{place})"
        if term := term_of(found):
            return f"[{typeset_prose(found['said'])}](#term-{term})"
        return token_text(found["token"]) if found["token"] else f"`{found['code']}`"

    parts = re.split(r"\n\s*\n", text)
    return Markdown("\n\n".join(_line(part, typeset_prose, mark) for part in parts if part.strip()))


def printed_words(text: str, link: str, number: NumberOfScene) -> str:
    """Return a scene's words in one line, with the numbers that the stage of its link has.

    They have a question's marks: tokens, typeset symbols, numbers.
    """

    def mark(found: re.Match[str]) -> str:
        if place := found["place"]:
            return as_prose(number(link, place)) if "." in place else symbols_marked(place)
        if token := found["token"]:
            return marked_token(token)
        return symbols_marked(found["said"] or found["code"] or found[0])

    return _line(text, symbols_marked, mark)


def asked_words(text: str) -> str:
    """Return a scene's words for a question: tokens are set off, and everything else is text."""

    def mark(found: re.Match[str]) -> str:
        if token := found["token"]:
            return marked_token(token)
        return as_prose(found["said"] or found["code"] or found["place"] or "")

    return _line(text, as_prose, mark)


def _line(text: str, write: Callable[[str], str], mark: Callable[[re.Match[str]], str]) -> str:
    """A text in one line: its marks as `mark` writes them, and what is between as `write` does."""
    line, written, at = " ".join(text.split()), "", 0
    for found in MARKS.finditer(line):
        written += write(line[at : found.start()]) + mark(found)
        at = found.end()
    return written + write(line[at:])
