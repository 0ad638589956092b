"""What a program is run on: arrays, and what goes along with them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from core.program.trace import Trace


@dataclass(frozen=True)
class Inputs(Mapping[str, np.ndarray]):
    """Arrays by name, and the tokens that the rows of X stand for.

    `more_tokens` are other lists of tokens by name, where a program has positions of two texts.
    `labels` name the places of a letter that has no tokens: features, or heads.
    `random_rows` are the rows of an array that were drawn at random: the names of its columns say
    nothing of them.
    `noise` says of an array up to what size its cells are float noise, where another run made it.
    """

    arrays: Mapping[str, np.ndarray]
    tokens: tuple[str, ...]
    more_tokens: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    noise: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    random_rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def fed(self, trace: Trace, **arrays: str) -> "Inputs":
        """These inputs with some taken from a run: `fed(below, X="output")`, noise and all."""
        made = {name: trace[array] for name, array in arrays.items()}
        noise = {name: trace.noise[array] for name, array in arrays.items()}
        random_rows = {n: rows for n, rows in self.random_rows.items() if n not in made}
        return replace(
            self, arrays={**self.arrays, **made}, noise={**self.noise, **noise},
            random_rows=random_rows,
        )  # fmt: skip

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)
