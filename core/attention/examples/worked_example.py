"""What a worked example is: a run of the attention program that can be checked by hand."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.attention.examples.two_meanings import Lexicon, TwoMeanings
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.program.families import Built
from core.program.inputs import Inputs
from core.program.labels import marked_token, told_number
from core.program.numbers.rounding import decimal_text
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("presets")


@dataclass(frozen=True)
class PrintedFigures:
    """A block of figures as a source prints them, and where they are in our trace.

    The block begins at `start` and runs along the last two axes of `array`, computed under `mask`.
    """

    title: str
    array: str
    start: Cell
    mask: str
    figures: tuple[tuple[str, ...], ...]

    def cells(self) -> Iterator[tuple[Cell, str]]:
        """Each cell of the array with the figure printed for it."""
        *head, row, column = self.start
        for i, line in enumerate(self.figures):
            for j, figure in enumerate(line):
                yield (*head, row + i, column + j), figure


@dataclass(frozen=True, eq=False)
class Preset:
    """An example: `settings` and the arrays make it run."""

    id: str
    subject: str
    """What its texts are called: `<subject>_title`, and `<subject>_words` on what to notice."""
    tokens: tuple[str, ...]
    settings: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]
    pinned: Mapping[str, np.ndarray] = field(default_factory=dict)
    printed: tuple[PrintedFigures, ...] = ()
    source: str = ""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the places of a letter are called, as in `Inputs`."""
    lexicon: Lexicon | None = None
    """The rows of words, if the example takes any sentence: only its weights are given."""
    two: TwoMeanings | None = None
    """The word that it is about, if it has two meanings."""

    @property
    def row_of(self) -> Callable[[str], np.ndarray] | None:
        """The row of X of a word, if the example takes any sentence."""
        return self.lexicon.row_of if self.lexicon else None

    @property
    def title(self) -> str:
        return TEXTS(f"{self.subject}_title", **({"word": self.two.word} if self.two else {}))

    @property
    def text(self) -> str:
        """Its sentence."""
        return " ".join(self.tokens)

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes that its matrices are for."""
        heads = {name: self.settings[name] for name in ("heads", "kv_heads")}
        return heads | {"d_model": self.arrays["X"].shape[-1]}

    def on(self, text: str) -> "Preset":
        """The example on another sentence, if it takes any; else as it is. Raises `InputError`."""
        if self.row_of is None or text == self.text:
            return self
        tokens = tuple(tokenise(text))
        X = np.stack([self.row_of(token) for token in tokens])
        X.setflags(write=False)
        return replace(self, tokens=tokens, arrays=MappingProxyType({**self.arrays, "X": X}))

    def inputs(self) -> Inputs:
        return Inputs(self.arrays, self.tokens, labels=self.labels, random_rows=self._random_rows)

    @property
    def _random_rows(self) -> Mapping[str, tuple[int, ...]]:
        if not (self.lexicon and self.lexicon.is_drawn):
            return {}
        tokens = enumerate(self.tokens)
        return {"X": tuple(at for at, token in tokens if not self.lexicon.knows(token))}

    def built(self, **changed: Any) -> Built:
        """Its program and inputs, with some settings changed if asked."""
        program = attention_program(**{**self.settings, **changed})
        return Built(program, self.inputs(), self.pinned)

    def run(self, **changed: Any) -> Trace:
        """The trace of the example, with some settings changed if asked."""
        return self.built(**changed).run()

    @cached_property
    def story(self) -> str:
        """What to notice, with the numbers of the example as it opens.

        In its text, `weights[0, 2, 1]` is the number of a cell. Any other name is a word that is
        set off, such as a token.
        """
        trace, id = self.run(), f"{self.subject}_words"
        names = self.two.names if self.two else {}
        said = {
            name: _Numbers(trace, name) if name in trace else marked_token(names.get(name, name))
            for name in TEXTS.placeholders(id)
        }
        plain = {"plain": self.two.plain[1]} if self.two else {}
        return TEXTS(id, **said | plain)

    def recomputed(self, printed: PrintedFigures) -> tuple[tuple[str, ...], ...]:
        """Our numbers for a printed block, rounded to as many decimals as were printed."""
        array = self.run(mask=printed.mask)[printed.array]
        decimals = (len(figure.partition(".")[2]) for _, figure in printed.cells())
        cells = (float(array[cell]) for cell, _ in printed.cells())
        ours = map(decimal_text, cells, decimals)
        return tuple(tuple(next(ours) for _ in line) for line in printed.figures)


@dataclass(frozen=True)
class _Numbers:
    """The numbers of an array for a sentence, by their cells."""

    trace: Trace
    array: str

    def __getitem__(self, cell: Cell) -> str:
        return told_number(self.trace, self.array, cell)


def one_head_example(
    name: str,
    subject: str,
    tokens: str,
    *,
    X: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    mask: str = "causal",
    scale: bool = False,
    custom: ArrayLike | None = None,
    scores: ArrayLike | None = None,
    printed: tuple[PrintedFigures, ...] = (),
    source: str = "",
) -> Preset:
    """Return an example of one head, which W_O passes unchanged into the first features."""
    embeddings, values = _floats(X), _floats(W_V)
    arrays = {
        "X": embeddings,
        "W_Q": _floats(W_Q)[None],
        "W_K": _floats(W_K)[None],
        "W_V": values[None],
        "W_O": np.eye(values.shape[1], embeddings.shape[1]),
    }
    if custom is not None:
        arrays["mask"] = np.array(custom, dtype=bool)
    pinned = {} if scores is None else {"scores": _floats(scores)[None]}
    for array in (*arrays.values(), *pinned.values()):
        array.setflags(write=False)
    settings = MappingProxyType({"heads": 1, "kv_heads": 1, "mask": mask, "scale": scale})
    given, words = (MappingProxyType(arrays), MappingProxyType(pinned)), tuple(tokens.split())
    return Preset(name, subject, words, settings, *given, printed, source)


def _floats(values: ArrayLike) -> np.ndarray:
    return np.array(values, dtype=np.float64)
