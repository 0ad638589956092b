"""A call of attention that somebody's model made: what it was given, and what came out of it.

Throughout, H is the number of heads, G of key/value heads, T of queries and S of keys.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from core.limits import MOST_FEATURES, MOST_MAPPED, MOST_REAL_HEADS
from core.program.patterns import Shape

REQUIRED = ("Q", "K", "V", "weights", "context")
OPTIONAL = ("mask", "output")
MOST_OF_CALL = {
    "positions": f"{MOST_MAPPED:,}",
    "heads": MOST_REAL_HEADS,
    "features": MOST_FEATURES,
}
"""What a call has at most, as messages say it."""
MOST_CALLS = 1_000
MOST_RECORDED_BYTES = 2_000_000_000
"""Of all arrays of a recording together: they are in memory while the model runs."""
MOST_NOTES = 20
"""So many different sentences are kept about a recording."""
MOST_OUTPUT = 65_536
"""Features of what a module returned."""


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """One call, of one item of a batch, with arrays by name: `call["weights"]`.

    `Q` (H, T, d_k), `K` (G, S, d_k), `V` (G, S, d_v); `weights` (H, T, S), each in [0, 1], before
    dropout; `context` (H, T, d_v) is weights · V. `mask` (T, S) or (H, T, S) is there if one was
    given: booleans (True = visible), or numbers that are added to the scores. `output` (T, E) is
    what the module around the call returned, if it can be told. float32 stands for bfloat16.
    """

    name: str
    """The path of the module in the model, such as layers.0.self_attn."""
    function: str
    """What computed it."""
    arrays: Mapping[str, np.ndarray]
    shapes: Mapping[str, Shape]
    """Of the same arrays; known before any is read."""
    causal: bool | None
    """PyTorch's `is_causal`; None if only the weights can tell."""
    scale: float
    """What the scores are multiplied by."""
    dropout: float
    """The probability that a weight was set to 0; 0 if the model is not training."""
    precision: str
    """The type of Q in the model."""

    def __getitem__(self, array: str) -> np.ndarray:
        """Return an array; read from the file if the call is from one. Raises `InputError`."""
        return self.arrays[array]

    def with_array(self, name: str, array: np.ndarray) -> "RecordedCall":
        """Return the call with one array more."""
        arrays, shapes = {**self.arrays, name: array}, {**self.shapes, name: array.shape}
        return replace(self, arrays=arrays, shapes=shapes)

    @cached_property
    def is_causal(self) -> bool:
        """Whether query i sees the keys j ≤ i, also if there are more keys."""
        if self.causal is not None:
            return self.causal
        square = self.n_queries == self.n_keys > 1
        return square and not any(np.triu(head, 1).any() for head in self["weights"])

    @property
    def n_heads(self) -> int:
        return self.shapes["weights"][0]

    @property
    def n_kv_heads(self) -> int:
        return self.shapes["K"][0]

    @property
    def n_queries(self) -> int:
        return self.shapes["weights"][1]

    @property
    def n_keys(self) -> int:
        return self.shapes["weights"][2]
