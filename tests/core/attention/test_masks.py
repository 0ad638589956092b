"""Masks: every rule is what it is called, in numpy, as its line of code, and in words."""

from collections.abc import Callable

import numpy as np
import pytest

from core.attention.masks import GALLERY, Rule

VISIBLE: dict[str, Callable[[int, int, int], bool]] = {
    "none": lambda i, j, n: True,
    "causal": lambda i, j, n: j <= i,
    "window": lambda i, j, n: i - n < j <= i,
    "dilated": lambda i, j, n: j in range(i, -1, -n),
    "prefix": lambda i, j, n: j <= i or j < n,
    "blocks": lambda i, j, n: i - i % n <= j <= i,
    "global": lambda i, j, n: j <= i and (j < n or j in (i, i - 1)),
}


@pytest.mark.parametrize("name", GALLERY)
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_rule_is_what_it_is_called(name: str, size: int) -> None:
    rule, T = Rule(name, size), 7
    loop = [[VISIBLE[name](i, j, size) for j in range(T)] for i in range(T)]
    np.testing.assert_array_equal(rule.mask(T, T), loop)
    np.testing.assert_array_equal(eval(rule.code(T, T), {"np": np}), loop)


@pytest.mark.parametrize("name", GALLERY)
def test_the_reason_differs_between_visible_and_hidden(name: str) -> None:
    rule = Rule(name, 2)
    mask = rule.mask(6, 6)
    kept = {rule.reason(i, j) for i, j in np.argwhere(mask).tolist()}
    hidden = {rule.reason(i, j) for i, j in np.argwhere(~mask).tolist()}
    assert kept
    assert not kept & hidden


def test_every_rule_is_tested() -> None:
    assert set(VISIBLE) == set(GALLERY)
