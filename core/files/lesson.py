"""A lesson as a file: a title and scenes, each a link into the product with a few sentences.

The file is TOML, measured before it is parsed. Python's parser keeps every prefix of a dotted name
and calls itself for every bracket, so that a small file may cost gigabytes. A lesson has neither
long names nor deep brackets.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.attention.glossary import GLOSSARY
from core.errors import input_error
from core.files.matrices import shorten
from core.texts import core_texts

TEXTS = core_texts("lesson")

MAX_LESSON_BYTES = 200_000
MOST_SCENES = 60
LONGEST_TITLE = 120
LONGEST_WORDS = 3_000
"""Characters of what a scene says, of what it asks for, of its answer and of its note."""
LONGEST_LINK = 9_000
LONGEST_SCENE = 240
"""Minutes."""
MARKS = re.compile(
    r"\{(?P<place>[^{}]*)\}"
    r"|\[(?P<said>[^\[\]]+)\](?:\((?P<term>[^()]*)\))?"
    r"|\*(?P<token>[^*\n]+)\*"
    r"|`(?P<code>[^`\n]+)`"
)
"""The marks of a scene's words: {weights.0.2.1} a number on the stage, {weights} a matrix,
[softmax] or [shares](softmax) a term of the glossary, *cat* a token, `x @ y` code.
"""
PLACE = re.compile(r"[^\W\d]\w*(\.\d{1,3})*")
LONGEST_WORD = 100
"""Characters of a name or a number outside quotes."""
LONGEST_FAULT = 300
"""Characters of the parser's message."""
MOST_PARTS = 8
"""Parts of a dotted name."""
DEEPEST = 8
"""Brackets around a value."""
MOST_PIECES = 10_000
"""Names, numbers, signs, lines, and texts in quotes, each counted as one."""
_PIECES = re.compile(
    r'(?P<text>"""(?:[^"\\]|\\.?|"(?!""))*(?:"{3,5}|\Z)'
    r"|'''(?:[^']|'(?!''))*(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\.?)*"?'
    r"|'[^'\n]*'?)"
    r"|(?P<comment>#[^\n]*)"
    r"|(?P<word>[^\s.,=\[\]{}\"'#]+)"
    r"|(?P<dot>\.)"
    r"|(?P<open>[\[{])"
    r"|(?P<close>[\]}])"
    r"|(?P<mark>[=,])"
    r"|(?P<line>\n)",
    re.DOTALL,
)
"""The pieces of TOML. Up to its first fault, a text falls into the same ones as in the parser."""
_IN_A_NAME = ("word", "text", "dot")


@dataclass(frozen=True)
class Scene:
    """A place in the product, what is said there, and how many minutes it takes.

    `words` may have all `MARKS`; `task` (what to do or to answer), `answer` (to what is asked) and
    `note` (for the teacher alone) are printed too, and have no numbers of a stage.
    `until` is the step up to which one walks on the stage before the next scene.
    """

    title: str
    link: str
    words: str
    minutes: float
    task: str = ""
    answer: str = ""
    note: str = ""
    until: str = ""


@dataclass(frozen=True)
class Lesson:
    """Scenes in their order, and for whom they are."""

    title: str
    audience: str
    scenes: tuple[Scene, ...]

    @property
    def minutes(self) -> float:
        return sum(scene.minutes for scene in self.scenes)


def read_lesson(text: str) -> Lesson:
    """Return the lesson of a TOML text: `title`, `for`, and a `[[scene]]` for each scene.

    A scene has `title`, `link`, `say` and `minutes`; it may have `do`, `answer`, `note` and
    `until`. Whether its link leads anywhere is not checked. Raises `InputError` if the text is
    not a lesson.
    """
    fields = _fields(read_toml(text), _LESSON, TEXTS("the_lesson"))
    scenes = fields["scene"]
    if not scenes or len(scenes) > MOST_SCENES:
        raise input_error(TEXTS, "scene_count", scenes=len(scenes), most=MOST_SCENES)
    read = tuple(_scene(scene, number) for number, scene in enumerate(scenes, start=1))
    return Lesson(fields["title"], fields["for"], read)


def write_lesson(lesson: Lesson) -> str:
    """Return a lesson as TOML, which `read_lesson` reads as the same lesson."""
    first = {"title": lesson.title, "for": lesson.audience}
    scenes: list[Mapping[str, str | float]] = [
        {
            "title": scene.title, "link": scene.link, "minutes": scene.minutes, "say": scene.words,
            "do": scene.task, "answer": scene.answer, "note": scene.note, "until": scene.until,
        }
        for scene in lesson.scenes
    ]  # fmt: skip
    return "\n[[scene]]\n".join(map(_table_text, [first, *scenes]))


def _table_text(fields: Mapping[str, str | float]) -> str:
    """A table's fields, those left out that are empty and may be missing."""
    said = {name: value for name, value in fields.items() if value or name not in _MAY_LACK}
    return "".join(
        f"{name} = {json.dumps(value, ensure_ascii=False)}\n".replace("\x7f", r"\u007f")
        for name, value in said.items()
    )


def without_answers(lesson: Lesson) -> Lesson:
    """Return a lesson as its students get it: no answers and no notes."""
    scenes = (replace(scene, answer="", note="") for scene in lesson.scenes)
    return replace(lesson, scenes=tuple(scenes))


def _scene(table: Any, number: int) -> Scene:
    name = TEXTS("scene", number=number)
    if not isinstance(table, dict):
        raise input_error(TEXTS, "no_table", scene=name)
    fields = _fields(table, _SCENE, name)
    for field in ("say", "do", "answer", "note"):
        _check_marks(f"{name}: {field}", fields[field], away=field != "say")
    return Scene(
        title=fields["title"], link=fields["link"], words=fields["say"], task=fields["do"],
        answer=fields["answer"], note=fields["note"], minutes=fields["minutes"],
        until=fields["until"],
    )  # fmt: skip


def _check_marks(name: str, text: str, away: bool) -> None:
    """Raises `InputError` for a mark that means nothing; `away`: it is printed without a stage."""
    for mark in MARKS.finditer(text):
        place, term = mark["place"], term_of(mark)
        if place and "." in place and away:
            raise input_error(TEXTS, "stage_number", field=name, mark=shorten(mark[0]))
        if place is not None and not PLACE.fullmatch(place):
            raise input_error(TEXTS, "no_place", field=name, mark=shorten(mark[0]))
        if term and term not in GLOSSARY:
            terms = ", ".join(sorted(GLOSSARY))
            raise input_error(TEXTS, "no_term", field=name, term=shorten(repr(term)), terms=terms)


def term_of(mark: re.Match[str]) -> str:
    """The glossary's name of the term that a mark is for; "" where it is for none."""
    return (mark["term"] or mark["said"] or "").strip().lower().replace(" ", "-")


def _text(longest: int, blank: bool = False) -> Callable[[str, Any], str]:
    def read(name: str, value: Any) -> str:
        most = f"{longest:,}"
        if not isinstance(value, str):
            raise input_error(TEXTS, "no_text", field=name, most=most)
        if len(value) > longest:
            length = f"{len(value):,}"
            raise input_error(TEXTS, "long_text", field=name, length=length, most=most)
        if not (blank or value.strip()):
            raise input_error(TEXTS, "no_words", field=name)
        return value.strip()

    return read


def _minutes(name: str, value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 < value <= LONGEST_SCENE):
        given = shorten(repr(value))
        raise input_error(TEXTS, "no_minutes", field=name, given=given, most=LONGEST_SCENE)
    return float(value)


def _scenes(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise input_error(TEXTS, "no_list", field=name)
    return value


_Readers = Mapping[str, Callable[[str, Any], Any]]
_WORDS = _text(LONGEST_WORDS, blank=True)
_LESSON: _Readers = {"title": _text(LONGEST_TITLE), "for": _WORDS, "scene": _scenes}
_SCENE: _Readers = {
    "title": _text(LONGEST_TITLE), "link": _text(LONGEST_LINK, blank=True),
    "say": _text(LONGEST_WORDS), "minutes": _minutes, "do": _WORDS, "answer": _WORDS,
    "note": _WORDS, "until": _text(LONGEST_TITLE, blank=True),
}  # fmt: skip
_MAY_LACK = ("for", "do", "answer", "note", "until")


def _fields(table: Mapping[str, Any], readers: _Readers, of: str) -> dict[str, Any]:
    """Return each field as its reader reads it; "" for a field that may be missing and is."""
    if unknown := [name for name in table if name not in readers]:
        field, fields = shorten(repr(unknown[0])), ", ".join(readers)
        raise input_error(TEXTS, "unknown_field", of=of, field=field, fields=fields)
    needed = [name for name in readers if name not in _MAY_LACK]
    if missing := [name for name in needed if name not in table]:
        raise input_error(TEXTS, "no_field", of=of, field=missing[0], fields=", ".join(needed))
    return {name: read(f"{of}: {name}", table.get(name, "")) for name, read in readers.items()}


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a lesson. Raises `InputError` if it is not TOML, or costs too much.

    A text that costs too much is not parsed.
    """
    _measure(text.replace("\r\n", "\n"))  # as the parser does
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise input_error(TEXTS, "no_toml", fault=_fault(str(error))) from None


def _fault(message: str) -> str:
    """The parser's message, whose end says the line; a long one is cut before its end."""
    if len(message) > LONGEST_FAULT:
        message = f"{message[: LONGEST_FAULT // 2]}…{message[-LONGEST_FAULT // 4 :]}"
    return shorten(message, len(message))


def _measure(text: str) -> None:
    """Raise `InputError` for what costs the parser more than its length does."""
    parts, depth = 1, 0
    for number, piece in enumerate(_PIECES.finditer(text), start=1):
        kind, length = piece.lastgroup, len(piece[0])
        parts = parts + (kind == "dot") if kind in _IN_A_NAME else 1
        depth += (kind == "open") - (kind == "close")
        if kind == "word" and length > LONGEST_WORD:
            word = shorten(repr(piece[0]))
            raise input_error(
                TEXTS, "long_word", word=word, length=f"{length:,}", most=LONGEST_WORD
            )
        if parts > MOST_PARTS:
            raise input_error(TEXTS, "dots", most=MOST_PARTS - 1)
        if depth > DEEPEST:
            raise input_error(TEXTS, "deep", most=DEEPEST)
        if number > MOST_PIECES:
            raise input_error(TEXTS, "many_pieces", most=f"{MOST_PIECES:,}")
