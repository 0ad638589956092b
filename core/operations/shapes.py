"""The same numbers in another place: heads joined and split, a matrix as it lies in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.program import formulas as f
from core.program.formulas import Formula
from core.program.operation import (
    Operation,
)
from core.program.patterns import Shape


class join_heads(Operation):  # noqa: N801
    """The heads' rows side by side: head 1's features, then head 2's (concat)."""

    template = "c//{width} i c%{width} -> i c"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[0][-1]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        (heads,) = operands
        return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("concat", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.swapaxes(0, 1).reshape({shapes[0][1]}, -1)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.transpose(0, 1).reshape({shapes[0][1]}, -1)"


class lay_out(Operation):  # noqa: N801
    """A matrix as it lies in memory: its rows one after another, in one line."""

    template = "p//{width} p%{width} -> o p"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"width": shapes[0][1]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(1, -1)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("memory", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.reshape(1, -1)"


@dataclass(frozen=True)
class split_heads(Operation):  # noqa: N801
    """Memory as n_heads heads of T rows: reshape(T, n_heads, d_k), then swap the first two axes."""

    n_heads: int
    d_k: int
    template = "0 i*{row}+h*{d_k}+k -> h i k"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"row": self.n_heads * self.d_k, "d_k": self.d_k}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(-1, self.n_heads, self.d_k).swapaxes(0, 1)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("split", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.reshape(-1, {self.n_heads}, {self.d_k}).swapaxes(0, 1)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.reshape(-1, {self.n_heads}, {self.d_k}).transpose(0, 1)"


@dataclass(frozen=True)
class split_columns(Operation):  # noqa: N801
    """A matrix' columns as n_heads heads: head 1 takes the first d_k of every row, and so on."""

    n_heads: int
    d_k: int
    template = "i h*{d_k}+k -> h i k"

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"d_k": self.d_k}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0].reshape(-1, self.n_heads, self.d_k).swapaxes(0, 1)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("split", operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}.reshape(-1, {self.n_heads}, {self.d_k}).swapaxes(0, 1)"


class one_head(Operation):  # noqa: N801 - named as the vocabulary of core.operations.vocabulary is
    """A as it is, as the only head of an array with heads."""

    template = "i k -> h i k"

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0][None].copy()

    def formula(self, *operands: Formula) -> Formula:
        return operands[0]

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}[None]"


@dataclass(frozen=True)
class append_rows(Operation):  # noqa: N801
    """The rows of A, then those of B: what a cache does with new keys and values."""

    template: str  # type: ignore[misc]  # as "h j+0 k, h j-{first} k -> h j k"
    own_letters = True

    def numbers(self, shapes: Sequence[Shape]) -> Mapping[str, int]:
        return {"first": shapes[0][-2]}

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return np.concatenate(operands, axis=-2)

    def formula(self, *operands: Formula) -> Formula:
        a, b = operands
        return f.row(f.mark("["), a, f.mark(";"), b, f.mark("]"))

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"np.concatenate(({', '.join(names)}), axis=-2)"

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"torch.cat(({', '.join(names)}), dim=-2)"


@dataclass(frozen=True)
class rows(Operation):  # noqa: N801
    """Some rows of A that follow one another, as they are: a query, or the keys so far."""

    template: str  # type: ignore[misc]  # as "h n+3 k -> h n k"; n+0: from the first
    count: int
    own_letters = True

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return operands[0][..., self._first : self._first + self.count, :].copy()

    def formula(self, *operands: Formula) -> Formula:
        last = self._first + self.count
        which = f"row {last}" if self.count == 1 else f"rows {self._first + 1} to {last}"
        return f.call(which, operands[0])

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]}[..., {self._first}:{self._first + self.count}, :]"

    @property
    def _first(self) -> int:
        """Which row of A is the first, from 0."""
        index = self.template.split("->")[0].split()[-2]
        return int(index.partition("+")[2] or 0)
