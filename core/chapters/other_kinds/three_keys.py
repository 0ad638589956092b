"""Three keys of two features, small enough for a head: what linear attention is worked out on.

Every query is (1, 1); the keys are (1, 0), (0, 1) and (1, 1), their values 1, 2 and 3.
"""

import numpy as np

from core.program.inputs import Inputs

TOKENS = ("one", "two", "three")
QUERY = np.array([1.0, 1.0])
KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
VALUES = np.array([[1.0], [2.0], [3.0]])


def three_keys() -> Inputs:
    """Return rows of X that hold query, key and value side by side, and maps that take each out."""
    parts = {"W_Q": np.tile(QUERY, (3, 1)), "W_K": KEYS, "W_V": VALUES}
    X = np.hstack(list(parts.values()))
    ends = np.cumsum([part.shape[1] for part in parts.values()])[:-1]
    maps = dict(zip(parts, np.split(np.eye(X.shape[1]), ends, axis=1), strict=True))
    return Inputs({"X": X, **{name: one[None] for name, one in maps.items()}}, TOKENS)
