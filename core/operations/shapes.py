"""The same numbers in another place: heads joined and split, a matrix as it lies in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.program import formulas as f
from core.program.formulas import Formula
from core.program.operation import Arrays, Operation
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("operations")


class join_heads(Operation):  # noqa: N801
    """The heads' rows side by side: head 1's features, then head 2's (concat)."""

    template = "c//{width} i c%{width} -> i c"
    by_hand = TEXTS("concat_by_hand")
    symbol = "concat"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[0][-1]}

    def forward(self, heads: np.ndarray) -> np.ndarray:
        return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.swapaxes(0, 1).reshape({shapes[0][1]}, -1)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.transpose(0, 1).reshape({shapes[0][1]}, -1)"


class lay_out(Operation):  # noqa: N801
    """A matrix as it lies in memory: its rows one after another, in one line."""

    template = "p//{width} p%{width} -> o p"
    symbol = "memory"
    numpy = "{}.reshape(1, -1)"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[0][1]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(1, -1)


class as_columns(Operation):  # noqa: N801
    """Several matrices as they lie in memory, each of them a column."""

    template = "p q//{width} q%{width} -> q p"
    symbol = "columns"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[0][2]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(len(operands[0]), -1).T

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.reshape({shapes[0][0]}, -1).T"


@dataclass(frozen=True)
class folded(Operation):  # noqa: N801
    """One line of numbers as a matrix again, so many to a row."""

    width: int
    template = "0 y*{width}+x -> y x"
    symbol = "folded"
    numpy = "{}.reshape(-1, {width})"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": self.width}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(-1, self.width)


@dataclass(frozen=True)
class split_heads(Operation):  # noqa: N801
    """Memory as n_heads heads of T rows: reshape(T, n_heads, d_k), then swap the first two axes."""

    n_heads: int
    d_k: int
    template = "0 i*{row}+h*{d_k}+k -> h i k"
    symbol = "split"
    numpy = "{}.reshape(-1, {n_heads}, {d_k}).swapaxes(0, 1)"
    torch = "{}.reshape(-1, {n_heads}, {d_k}).transpose(0, 1)"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"row": self.n_heads * self.d_k, "d_k": self.d_k}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(-1, self.n_heads, self.d_k).swapaxes(0, 1)


@dataclass(frozen=True)
class split_columns(Operation):  # noqa: N801
    """A matrix' columns as n_heads heads: head 1 takes the first d_k of every row, and so on."""

    n_heads: int
    d_k: int
    template = "i h*{d_k}+k -> h i k"
    symbol = "split"
    numpy = "{}.reshape(-1, {n_heads}, {d_k}).swapaxes(0, 1)"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"d_k": self.d_k}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(-1, self.n_heads, self.d_k).swapaxes(0, 1)


class one_head(Operation):  # noqa: N801
    """A as it is, as the only head of an array with heads."""

    template = "i k -> h i k"
    numpy = "{}[None]"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0][None].copy()

    def formula(self, *operands: Formula) -> Formula:
        return operands[0]


@dataclass(frozen=True)
class append_rows(Operation):  # noqa: N801
    """The rows of A, then those of B, and so on: what a cache does with new keys and values."""

    template: str  # type: ignore[misc]  # as "h j+0 k, h j-{first} k -> h j k"
    own_letters = True
    makes_minus_inf = True
    axis: ClassVar[int] = -2
    between: ClassVar[str] = ";"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"first": shapes[0][self.axis]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return np.concatenate(operands, axis=self.axis)

    def gone(self, removed: Arrays) -> np.ndarray | None:
        """What is gone stays gone where it is moved to."""
        return self.forward(*removed)

    def formula(self, *operands: Formula) -> Formula:
        first, *others = operands
        appended = (part for other in others for part in (f.word_formula(self.between), other))
        return f.row(f.word_formula("["), first, *appended, f.word_formula("]"))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"np.concatenate(({', '.join(names)}), axis={self.axis})"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.cat(({', '.join(names)}), dim={self.axis})"


@dataclass(frozen=True)
class append_columns(append_rows):  # noqa: N801
    """The columns of A, then those of B, and so on."""

    axis: ClassVar[int] = -1
    between: ClassVar[str] = ","


@dataclass(frozen=True)
class rows(Operation):  # noqa: N801
    """Some rows of A that follow one another, as they are: a query, or the keys so far."""

    template: str  # type: ignore[misc]  # as "h n+3 k -> h n k"; n+0: from the first
    count: int
    own_letters = True
    makes_minus_inf = True
    axis: ClassVar[int] = -2
    word: ClassVar[str] = "row"
    after: ClassVar[str] = ", :"
    """The axes after the one that is cut, in a line of code."""

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        first = first_read(self.template, self.axis)
        return operands[0].take(range(first, first + self.count), axis=self.axis)

    def gone(self, removed: Arrays) -> np.ndarray | None:
        """What is gone stays gone where it is moved to."""
        return self.forward(*removed)

    def formula(self, *operands: Formula) -> Formula:
        first = first_read(self.template, self.axis)
        return f.call(_counted(self.word, first, self.count), operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        first = first_read(self.template, self.axis)
        return f"{names[0]}[..., {first}:{first + self.count}{self.after}]"


@dataclass(frozen=True)
class columns(rows):  # noqa: N801
    """Some columns of A that follow one another, as they are: the scores of some keys."""

    axis: ClassVar[int] = -1
    word: ClassVar[str] = "column"
    after: ClassVar[str] = ""


@dataclass(frozen=True)
class block(Operation):  # noqa: N801
    """Some rows of A, and of these some columns, as they are: a tile of a mask."""

    template: str  # type: ignore[misc]  # as "i+2 j+4 -> i j"
    height: int
    width: int
    own_letters = True
    boolean = True

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        top, left = self._corner
        return operands[0][..., top : top + self.height, left : left + self.width].copy()

    def formula(self, *operands: Formula) -> Formula:
        top, left = self._corner
        queries, keys = _counted("row", top, self.height), _counted("column", left, self.width)
        return f.call(f"{queries}, {keys}", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        top, left = self._corner
        return f"{names[0]}[..., {top}:{top + self.height}, {left}:{left + self.width}]"

    @property
    def _corner(self) -> tuple[int, int]:
        """Its first row and its first column in A, from 0."""
        return first_read(self.template, -2), first_read(self.template, -1)


def first_read(template: str, axis: int) -> int:
    """Which place along an axis of the operand the first of the result is read at, from 0."""
    index = template.split("->")[0].split()[axis]
    return int(index.partition("+")[2] or 0)


def _counted(word: str, first: int, count: int) -> str:
    """ "row 3", or "rows 1 to 2"."""
    return f"{word} {first + 1}" if count == 1 else f"{word}s {first + 1} to {first + count}"
