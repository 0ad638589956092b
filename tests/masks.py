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


CLAIMS: dict[str, tuple[bool, Callable[[int, int, int], bool]]] = {
    "nothing is hidden": (True, lambda i, j, n: True),
    r"comes after query (?P<query>\d+)": (False, lambda i, j, n: j > i),
    r"does not come after query (?P<query>\d+)": (True, lambda i, j, n: j <= i),
    r"inside the window of (?P<size>\d+)": (True, lambda i, j, n: 0 <= i - j <= n - 1),
    r"outside the window of (?P<size>\d+)": (False, lambda i, j, n: i - j > n - 1),
    r"is in the prefix of (?P<size>\d+)": (True, lambda i, j, n: j in range(n)),
    r"is not in the prefix of (?P<size>\d+)": (False, lambda i, j, n: j > i and j not in range(n)),
    r"back, a multiple of (?P<size>\d+)": (True, lambda i, j, n: i - j in range(0, 99 * n, n)),
    r"not a multiple of (?P<size>\d+)": (False, lambda i, j, n: i - j not in range(0, 99 * n, n)),
    r"the same block of (?P<size>\d+)": (True, lambda i, j, n: j in block(i, n)),
    r"another block of (?P<size>\d+)": (False, lambda i, j, n: j not in block(i, n)),
    r"one of the first (?P<size>\d+) tokens, which": (True, lambda i, j, n: j in range(n)),
    r"is the first token, which": (True, lambda i, j, n: j == 0 and n == 1),
    "inside the short window": (True, lambda i, j, n: j in (i, i - 1)),
    "outside the short window": (False, lambda i, j, n: j < i - 1),
}
"""What a reason may claim of query i, key j and size n, and whether that makes the key visible."""


def block(i: int, n: int) -> range:
    """The positions of the block of n tokens that position i is in."""
    return next(range(start, start + n) for start in range(0, 99 * n, n) if start + n > i)
