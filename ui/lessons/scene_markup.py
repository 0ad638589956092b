"""What a scene says as Markdown: its marks are links and chips, all else is shown as it is."""

import re

from core.files.lesson import MARKS, term_of
from ui.page.prose import typeset_prose
from ui.text import Markdown, token_text


def markdown(text: str) -> Markdown:
    """Return a scene's words. A number of the stage is a link that the stage gives its number."""
    parts = re.split(r"\n\s*\n", text)
    return Markdown("\n\n".join(_paragraph(part) for part in parts if part.strip()))


def _paragraph(text: str) -> str:
    line, found, at = " ".join(text.split()), "", 0
    for mark in MARKS.finditer(line):
        found += typeset_prose(line[at : mark.start()]) + _mark(mark)
        at = mark.end()
    return found + typeset_prose(line[at:])


def _mark(mark: re.Match[str]) -> str:
    if place := mark["place"]:
        # The name itself: of a cell, the stage puts the number there.
        return f"[{typeset_prose(place) if '.' not in place else place}](#stage-{place})"
    if term := term_of(mark):
        return f"[{typeset_prose(mark['said'])}](#term-{term})"
    if token := mark["token"]:
        return token_text(token)
    return f"`{mark['code']}`"
