"""What each kind of mask shows, by plain loops: for tests of whatever says or draws it."""

from collections.abc import Callable, Mapping

import numpy as np

from core.attention.masks import KINDS, MOST_SIZES, Rule

VISIBLE: Mapping[str, Callable[..., bool]] = {
    "causal": lambda i, j: j <= i,
    "none": lambda i, j: True,
    "window": lambda i, j, n: i - n < j <= i,
    "dilated": lambda i, j, n: j in range(i, -1, -n),
    "prefix": lambda i, j, n: j <= i or j < n,
    "blocks": lambda i, j, n: i - i % n <= j <= i,
    "global": lambda i, j, n: j <= i and (j < n or j in (i, i - 1)),
}
"""Whether query i sees key j under a kind of mask by rule, with its sizes."""


def looped(rule: Rule, T: int, S: int, first: int = 0) -> np.ndarray:
    """The mask of a rule whose first query is token `first`, cell by cell."""
    shows = VISIBLE[rule.name]
    return np.array([[shows(i + first, j, *rule.sizes) for j in range(S)] for i in range(T)])


def sized(name: str, size: int) -> Rule:
    """The rule of a kind whose sizes are all the same, if it has any."""
    return KINDS[name].rule(*[size] * MOST_SIZES)
