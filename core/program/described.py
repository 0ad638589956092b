"""Phases and the meanings of cells, as a file of texts says them."""

from collections.abc import Mapping
from types import MappingProxyType

from core.program.labels import told_label
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
        texts(part, **{name: values[name] for name in texts.placeholders(part)})
        for part in (f"{id}_title", f"{id}_summary", f"{id}_words")
    )
    return Phase(title, names, summary, words=words, **fields)  # type: ignore[arg-type]


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
