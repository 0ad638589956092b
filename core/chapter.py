"""What a chapter declares of itself, once: its place on the path, its name, its questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from core.questions.engine import QuestionMaker
from core.texts import core_texts


@dataclass(frozen=True)
class Chapter:
    """A chapter: the folder of `core/chapters` and the page that have its name.

    `key` begins the keys of its page in a link; `minutes` is how long it takes a reader who does
    not know it yet, about; `needs` are the chapters to read before.
    """

    name: str
    key: str
    minutes: int
    needs: tuple[str, ...] = ()

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
        """Its questions by their titles: `QUESTIONS` of its module `questions`, read when asked."""
        module = import_module(".questions", f"core.chapters.{self.name}")
        found: Mapping[str, QuestionMaker] = module.QUESTIONS
        return found
