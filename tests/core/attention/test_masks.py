"""Masks: every rule is what it is called, in numpy, as its line of code, and in words."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.attention import masks
from tests.masks import CLAIMS, looped, sized
from tests.quotes import proves


@pytest.mark.parametrize("name", masks.GALLERY)
@pytest.mark.parametrize(("T", "S"), [(1, 5), (3, 4), (7, 7), (5, 2)])
@pytest.mark.parametrize("corner", masks.CORNERS)
def test_a_rule_is_what_it_is_called_in_each_corner(corner: str, T: int, S: int, name: str) -> None:
    """Lower right they are the last ones; with no fewer queries than keys it is one to one."""
    first = S - T if corner == masks.LOWER_RIGHT and T < S else 0
    for size in (1, 2, 3, 5):
        rule = replace(sized(name, size), corner=corner)
        loop = looped(rule, T, S, first)
        np.testing.assert_array_equal(rule.mask(T, S), loop)
        np.testing.assert_array_equal(eval(rule.code(T, S), {"np": np}), loop)
        np.testing.assert_array_equal(eval(rule.torch_code(T, S), {"torch": torch}), loop)


@pytest.mark.parametrize("name", masks.GALLERY)
def test_the_reason_differs_between_visible_and_hidden(name: str) -> None:
    rule = sized(name, 2)
    mask = rule.mask(6, 6)
    kept = {rule.reason(i, j) for i, j in np.argwhere(mask).tolist()}
    hidden = {rule.reason(i, j) for i, j in np.argwhere(~mask).tolist()}
    assert kept
    assert not kept & hidden


@proves("""
    key {key} does not come after query {query} | nothing is hidden: every query may see every key |
    key {key} is {back} back, inside outside the window of {window} | key {key} is {back} back, a
    multiple not a multiple of {dilation} | key {key} is is not in the prefix of {prefix} key {key}
    does not come after query {query} | key {key} is in the same another block of {length} | key
    {key} comes after query {query}, so it is in the future | key {key} is the first token one of
    the first {first} tokens, which every later query may see too key {key} is {back} back, inside
    outside the short window
""")
def test_a_reason_says_of_its_key_what_is_true_and_why_it_is_visible_or_hidden() -> None:
    met = set()
    for name in masks.GALLERY:
        for size in (1, 2, 3, 5):
            rule = sized(name, size)
            for (i, j), visible in np.ndenumerate(rule.mask(7, 7)):
                reason = rule.reason(i, j)
                found = {claim: re.search(claim, reason) for claim in CLAIMS}
                ((claim, match),) = ((c, match) for c, match in found.items() if match)
                assert CLAIMS[claim][0] == visible, (rule, i, j, reason)
                assert CLAIMS[claim][1](i, j, size), (rule, i, j, reason)
                said = {kind: int(number) for kind, number in match.groupdict().items()}
                assert said.items() <= {"query": i + 1, "size": size}.items(), reason
                assert re.findall(r"key (\d+)", reason) in ([], [str(j + 1)])
                assert re.findall(r"(\d+) tokens? back", reason) in ([], [str(i - j)])
                met.add(claim)
    assert met == set(CLAIMS)


@proves("""
    Each token may read itself and earlier tokens | Each token may read itself, the token before it,
    and the first token
""")
def test_what_a_token_may_read_is_said_of_the_mask_that_shows_it() -> None:
    near = "itself, the token before it, and the first token"
    for name, words, seen in (
        ("causal", "itself and earlier tokens", [{*range(i + 1)} for i in range(7)]),
        ("global", near, [{i, max(i - 1, 0), 0} for i in range(7)]),
    ):
        rule = sized(name, 1)
        assert rule.summary == f"Each token may read {words}"
        assert [{*np.flatnonzero(row)} for row in rule.mask(7, 7)] == seen


@pytest.mark.parametrize("name", masks.GALLERY)
def test_a_kind_that_looks_ahead_is_one_that_shows_later_keys(name: str) -> None:
    mask = sized(name, 3).mask(5, 5)
    assert masks.KINDS[name].shows_later_keys == mask[~np.tri(5, dtype=bool)].any()


@pytest.mark.parametrize("name", masks.GALLERY)
def test_pytorch_has_the_mask_that_a_kind_names_an_option_for(name: str) -> None:
    """And no option that means another mask, of other lengths or for later tokens."""
    Q, K, V = torch.from_numpy(np.random.default_rng(0).normal(size=(3, 1, 5, 2)))
    for corner in masks.CORNERS:
        for T in (2, 5):
            rule = replace(sized(name, 2), corner=corner)
            option = rule.fused(T, 5)
            assert (option is None) == (
                name not in ("causal", "none")
                or (name == "causal" and corner == masks.LOWER_RIGHT and T < 5)
            )
            if option is not None:
                given = eval(f"dict({option})")
                mask = torch.from_numpy(rule.mask(T, 5))
                attend = torch.nn.functional.scaled_dot_product_attention
                fused = attend(Q[:, :T], K, V, **given)
                torch.testing.assert_close(fused, attend(Q[:, :T], K, V, attn_mask=mask))


def test_a_rule_takes_the_sizes_of_its_own_kind_by_their_keys() -> None:
    asked = {key: 10 + n for n, key in enumerate(masks.SIZES)}
    for name in [*masks.KINDS]:
        kind = masks.KINDS[name]
        assert masks.rule_of(name, asked).sizes == tuple(asked[size.key] for size in kind.sizes)
        assert masks.rule_of(name, {}) == kind.rule()
        assert kind.rule().sizes == tuple(size.default for size in kind.sizes)
        assert kind.rule(7, 8, 9).sizes == (7, 8, 9)[: len(kind.sizes)]
        assert masks.rule_of(name, {}).corner == masks.UPPER_LEFT
    assert (masks.rule_of("window", {}).sizes, masks.rule_of("prefix", {}).sizes) == ((3,), (2,))


STRIDED = masks.MaskKind(
    "strided",
    lambda i, j, window, step: (j <= i) & ((i - j < window) | ((i - j) % step == 0)),
    "{causal} & (({i} - {j} < {window}) | (({i} - {j}) % {dilation} == 0))",
    (masks.Size("window"), masks.Size("dilation")),
)
"""A mask of two sizes (Child et al. 2019): no page has one yet."""


def test_a_mask_of_two_sizes_takes_each_for_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.attention.masks.KINDS", {**masks.KINDS, STRIDED.name: STRIDED})
    rule = masks.rule_of(STRIDED.name, {"dilation": 4, "window": 2})
    assert rule == STRIDED.rule(2, 4)
    loop = [[j in (i, i - 1, *range(i, -1, -4)) for j in range(9)] for i in range(9)]
    np.testing.assert_array_equal(rule.mask(9, 9), loop)
    np.testing.assert_array_equal(eval(rule.code(9, 9), {"np": np}), loop)
    np.testing.assert_array_equal(eval(rule.torch_code(9, 9), {"torch": torch}), loop)
