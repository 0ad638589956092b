"""A lesson from a file: a title and scenes, each a link into the product with a few sentences."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.attention.glossary import GLOSSARY
from core.errors import InputError
from core.files.matrices import shorten
from core.files.toml import read_toml

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
    """A lesson as TOML: `title`, `for`, and a `[[scene]]` for each scene.

    A scene has `title`, `link`, `say` and `minutes`; it may have `do`, `answer`, `note` and
    `until`. Where
    its link leads is not looked at. Raises `InputError` for what is no such file.
    """
    told = read_toml(text)
    fields = _fields(told, _LESSON, "The lesson")
    scenes = fields["scene"]
    if not scenes or len(scenes) > MOST_SCENES:
        raise InputError(
            f"The lesson has {len(scenes)} scenes", f"it may have 1 to {MOST_SCENES}",
            "put [[scene]] before each",
        )  # fmt: skip
    return Lesson(
        fields["title"], fields["for"],
        tuple(_scene(scene, number) for number, scene in enumerate(scenes, start=1)),
    )  # fmt: skip


def _scene(told: Any, number: int) -> Scene:
    name = f"Scene {number}"
    if not isinstance(told, dict):
        raise InputError(f"{name} is no table", "it must have fields", "put [[scene]] before it")
    fields = _fields(told, _SCENE, name)
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
            raise InputError(
                f"{name} has {shorten(mark[0])}", "it is printed without a stage",
                "move that number to say",
            )  # fmt: skip
        if place is not None and not PLACE.fullmatch(place):
            raise InputError(
                f"{name} has {shorten(mark[0])}", "it must be a cell or a matrix",
                "write {weights.0.2.1} or {weights}",
            )  # fmt: skip
        if term and term not in GLOSSARY:
            raise InputError(
                f"{name} has the term {shorten(repr(term))}", "the glossary has no such one",
                f"choose one of {', '.join(sorted(GLOSSARY))}",
            )  # fmt: skip


def term_of(mark: re.Match[str]) -> str:
    """The glossary's name of the term that a mark is for; "" where it is for none."""
    return (mark["term"] or mark["said"] or "").strip().lower().replace(" ", "-")


def _text(longest: int, blank: bool = False) -> Callable[[str, Any], str]:
    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest:
            size = f"has {len(value):,} characters" if isinstance(value, str) else "is no text"
            remedy = "shorten it" if isinstance(value, str) else "put it into quotes"
            raise InputError(f"{name} {size}", f"it must be a text of up to {longest:,}", remedy)
        if not (blank or value.strip()):
            raise InputError(f"{name} is empty", "it must have words", "write some")
        return value.strip()

    return read


def _minutes(name: str, value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 < value <= LONGEST_SCENE):
        raise InputError(
            f"{name} is {shorten(repr(value))}", f"it must be a number up to {LONGEST_SCENE}",
            "write minutes = 3",
        )  # fmt: skip
    return float(value)


def _scenes(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{name} is no list", "there is one for each", "write [[scene]]")
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


def _fields(told: Mapping[str, Any], readers: _Readers, of: str) -> dict[str, Any]:
    """Each field as its reader reads it; "" for one that may be missing and is."""
    if unknown := [name for name in told if name not in readers]:
        raise InputError(
            f"{of} has {shorten(repr(unknown[0]))}", f"it may have {', '.join(readers)}",
            "leave it out, or correct its name",
        )  # fmt: skip
    if missing := [name for name in readers if name not in told and name not in _MAY_LACK]:
        raise InputError(
            f"{of} has no {missing[0]}", f"it must have one of each: "
            f"{', '.join(name for name in readers if name not in _MAY_LACK)}",
            f"add {missing[0]} = …",
        )  # fmt: skip
    return {name: read(f"{of}: {name}", told.get(name, "")) for name, read in readers.items()}
