"""Phases and the meanings of cells, as a file of texts says them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.program.labels import marked_token, sentence_parts, told_label
from core.program.patterns import Cell
from core.program.steps import Meaning, Phase
from core.program.trace import Trace
from core.texts.text_file import Plain, TextFile

Texts = TextFile[Plain]


def phase(
    texts: Texts,
    id: str,
    names: tuple[str, ...],
    values: Mapping[str, object] = MappingProxyType({}),
    **fields: object,
) -> Phase:
    """Return the phase that makes these arrays, described by the texts `<id>_title`, `_summary`
    and `_words`, filled in with those of the values that each asks for; `fields` are the other
    fields of `Phase`.
    """
    title, summary, words = (
        texts.filled(part, values) for part in (f"{id}_title", f"{id}_summary", f"{id}_words")
    )
    return Phase(title, names, summary, words=words, **fields)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Titled:
    """What a cell means, and its title in words.

    The title is what is said and a place by turns, which is "row" or "column": its row and its
    column have the last two axes of the array.
    """

    words: Meaning
    title: tuple[str, ...]

    def __call__(self, trace: Trace, cell: Cell) -> str:
        return self.words(trace, cell)


def titled(texts: Texts, id: str) -> Callable[[Meaning], Titled]:
    """Give the meaning of a cell the title that is the text of an id."""
    places = {name: marked_token(name) for name in texts.placeholders(id)}
    title = tuple(sentence_parts(texts(id, **places)))
    return lambda words: Titled(words, title)


def meaning(texts: Texts, id: str, axes: str = "", **letters: str) -> Meaning:
    """Return what a cell means: the text of an id, filled in with labels of the cell's place.

    `letters` says which axis of `axes` each placeholder names: meaning(texts, "weight", "h i j",
    query="i", key="j").
    """
    places = {name: (letter, axes.split().index(letter)) for name, letter in letters.items()}

    def words(trace: Trace, cell: Cell) -> str:
        named = places.items()
        return texts(id, **{name: told_label(trace, axis, cell[at]) for name, (axis, at) in named})

    return words
