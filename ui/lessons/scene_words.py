"""What a scene says, with its marks: as Markdown, in print, and in a question of a class.

In print its numbers are those of the run that the stage of its link shows.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from core.errors import InputError
from core.files.lesson import MARKS, term_of
from core.path import PATH
from core.program.families import Family
from core.program.labels import as_prose, marked_token, parse_cell
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.paper import PrintedRun
from core.program.patterns import Cell
from core.program.trace import Trace
from stage.document.places import is_inside
from ui.chapters.walkthrough.link_setup import setup_of_link, values_without_session
from ui.lessons.shelf import LinkTarget, place_of
from ui.links.links import SENTENCE_KEY, values_of_link
from ui.links.page_keys import keys_of
from ui.links.path import HOME
from ui.page.prose import symbols_marked, typeset_prose
from ui.page_texts import plain_ui_texts
from ui.text import Markdown, token_text

NumberOfScene = Callable[[str, str], str]
"""Writes the number of a cell of a link's stage."""
TEXTS = plain_ui_texts("lessons")


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


@lru_cache(maxsize=64)
def run_of_scene(link: str) -> Trace | None:
    """Return the run that a link opens; None of a page that alone can make it, and where none
    runs.
    """
    try:
        place = place_of(link)
        values, _ = values_of_link(keys_of(place.page), place.params)
        if family := _family_of(place, values):
            return family.run(**{key: values[key] for key in family.toggle})
        if place.page != HOME:
            return None
        return setup_of_link(values_without_session(place.params)).trace
    except InputError:
        return None


def _family_of(place: LinkTarget, values: Mapping[str, Any]) -> Family | None:
    """The family that decides all that the stage of a link shows, on the link's own sentence.

    None if there is none. Raises `InputError` if the sentence makes none.
    """
    families = PATH[place.page].families.values() if place.page in PATH else ()
    found = next((f for f in families if f.prefix and f"{f.prefix}stage" == place.stage), None)
    if found is None or found.of_text is None:
        return found
    for name, key in keys_of(place.page).items():
        if key.along == SENTENCE_KEY:
            return found.of_text(values[name])
    return None


def number_of_scene(link: str, cell: str) -> str:
    """Return the number of a cell such as `weights.0.1.0`, as the stage of a scene's link shows it.

    If only the page of the link can compute it, return where the stage has it.
    """
    found = _cell(link, cell)
    return typeset(shown(*found)) if found else _where(cell)


def number_on_paper(run: PrintedRun | None, link: str, cell: str) -> str:
    """Return the same as the tables of a sheet have it, which are of `run`.

    A number in scientific notation stays, because words beside it may explain it.
    """
    if run is None or (found := _cell(link, cell)) is None:
        return _where(cell)
    _, array, at = found
    exact = shown(run.exact, array, at)
    is_kept = "e" in exact and not run.instead_of(array, at)
    return typeset(exact if is_kept else run.text(array, at))


def _cell(link: str, cell: str) -> tuple[Trace, str, Cell] | None:
    """The run of a scene's link and a cell of it; None if only the page can compute it."""
    place, trace = parse_cell(cell), run_of_scene(link)
    return (trace, *place) if place and trace and is_inside(trace, *place) else None


def _where(cell: str) -> str:
    """Where the stage has a cell."""
    name, *at = cell.split(".")
    if len(at) < 2:
        return str(TEXTS("plan_on_stage", name=name, row=0, column=int(at[-1]) + 1))
    row, column = (int(part) + 1 for part in at[-2:])
    return str(TEXTS("plan_on_stage", name=name, row=row, column=column))
