"""What a chapter declares of itself, once: its place on the path, its name, its questions, its
programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.questions.engine import QuestionMaker
from core.texts import core_texts

if TYPE_CHECKING:
    from core.program.families import Family
    from core.sample import Sample


@dataclass(frozen=True)
class Chapter:
    """A chapter: the folder of `core/chapters` and the page that have its name.

    `key` begins the keys of its page in a link; `minutes` is how long it takes a reader who does
    not know it yet, about; `needs` are the chapters to read before. `explains` has the arrays of
    attention whose step is its subject.

    The module `programs` of its folder has `PROGRAMS` and `FAMILIES`, either or both; the module
    `questions` has `QUESTIONS`, or `programs` has them too. They are read when asked for.
    """

    name: str
    key: str
    minutes: int
    needs: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its short name, as menus have it."""
        return core_texts(self.name)("chapter")

    @property
    def question(self) -> str:
        """The title of its page: the topic, and the question that it answers."""
        return core_texts(self.name)("question")

    @property
    def knows(self) -> str:
        """What to know from elsewhere; "" for nothing more."""
        texts = core_texts(self.name)
        return texts("knows") if "knows" in texts.sources else ""

    @property
    def questions(self) -> Mapping[str, QuestionMaker]:
        """Its questions by their titles."""
        has_module = find_spec(".questions", self._folder)
        module = self._module("questions" if has_module else "programs")
        return MappingProxyType(module.QUESTIONS)

    @property
    def programs(self) -> Mapping[str, Sample]:
        """The programs that are its own, by what they are called in a list of all programs."""
        return getattr(self._module("programs"), "PROGRAMS", {})

    @property
    def families(self) -> Mapping[str, Family]:
        """Its families of programs, each on a short text, by their names in a list of all."""
        return getattr(self._module("programs"), "FAMILIES", {})

    @property
    def _folder(self) -> str:
        return f"core.chapters.{self.name}"

    def _module(self, name: str) -> Any:
        return import_module(f".{name}", self._folder)
