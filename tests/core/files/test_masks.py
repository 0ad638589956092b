import re

import numpy as np
import pytest

from core.errors import InputError
from core.files.masks import as_mask, parse_mask
from tests.core.files.support import refusal_of
from tests.quotes import proves
from tests.sampling import SEEDS, paired

CAUSAL = np.tri(3, dtype=bool)


def causal_with_a_visible_key(seed):
    """A mask in which every query sees a key, one is hidden, and there are several queries."""
    random = np.random.default_rng(seed)
    visible = random.random(random.integers(2, 7, 2)) < 0.5
    visible[np.arange(len(visible)), random.integers(0, visible.shape[1], len(visible))] = True
    visible[0, 0], visible[0, 1] = True, False
    return visible


@proves("""
    0 hides a key in a mask of 1 and 0, and shows it in one of 0 and −∞ | write 1 for visible, or
    -inf for hidden | a mask has 1 for visible and 0 for hidden, or 0 for visible and −∞
""")
@pytest.mark.parametrize(
    ("seed", "hidden"), paired(SEEDS, [-np.inf, -1e9, np.finfo(np.float32).min, -10_000.0])
)
def test_additive_and_boolean_masks_say_the_same(seed, hidden):
    visible = causal_with_a_visible_key(seed)
    additive = np.where(visible, 0.0, hidden)
    for mask in (visible, visible.astype(int), visible.astype(float), additive, additive[None]):
        np.testing.assert_array_equal(as_mask(mask), visible, strict=True)
        np.testing.assert_array_equal(parse_mask(str(mask.tolist())), visible)
        np.testing.assert_array_equal(parse_mask(str(mask), visible.shape), visible)


def test_a_query_without_keys_is_read_where_hiding_is_negative():
    mask = [[0.0, -np.inf], [-np.inf, -np.inf]]
    np.testing.assert_array_equal(as_mask(np.array(mask)), [[True, False], [False, False]])


def test_key_padding_holds_for_every_query():
    wanted = [[True, True, False]] * 2
    np.testing.assert_array_equal(as_mask(np.array([[1, 1, 0]]), (2, 3)), wanted)
    np.testing.assert_array_equal(parse_mask("[0, 0, -inf]", (2, 3)), wanted)
    np.testing.assert_array_equal(as_mask(np.array([1, 1, 0])), [[True, True, False]] * 3)


def test_one_query_has_one_row():
    """It is no padding, whichever keys it sees: so nobody is asked what it means."""
    for row in ([1, 0, 1], [0, 0, 1]):
        np.testing.assert_array_equal(as_mask(np.array([row]), (1, 3)), np.array([row], bool))


def test_one_mask_of_all_heads_is_that_mask():
    np.testing.assert_array_equal(as_mask(np.stack([CAUSAL] * 4)), CAUSAL)


@pytest.mark.parametrize(
    ("mask", "shape", "message"),
    [
        ([[0, 0], [0, 0]], None, "A mask of zeros can be read in two ways"),
        (~CAUSAL, None, "The mask can be read in two ways"),
        ([[0, 0, 1]], (3, 3), "The row of the mask can be read in two ways"),
        ([[0, -0.5], [0, 0]], None, "The mask has numbers that do not say visible or hidden"),
        ([[2, 0], [0, 2]], None, "The mask has numbers that do not say visible or hidden"),
        ([[1, -np.inf], [1, 1]], None, "The mask has numbers that do not say visible or hidden"),
        ([CAUSAL, np.ones((3, 3))], None, "The heads have different masks"),
        (CAUSAL, (2, 3), "The mask is 3 × 3; it must be 2 × 3"),
        ([[1, 1, 0]], (2, 4), "The mask is 2 × 3; it must be 2 × 4"),
    ],
)
def test_what_may_mean_the_opposite_or_nothing_is_refused(mask, shape, message):
    assert refusal_of(as_mask, np.array(mask), shape).startswith(message)


@proves("""
    The mask can be read in two ways: a query sees no key if 1 (True) means visible | here 1 means
    visible; some libraries write 1 for hidden | swap 1 and 0 if 1 means hidden; else write 0 for
    visible and -inf for hidden | 0 at the start can be padding on the left, or 1 at the end can
    mean hidden | write 0 for visible and -inf for hidden | The mask has numbers that do not say
    visible or hidden | a mask has 1 for visible and 0 for hidden, or 0 for visible and −∞ (or at
    most -{large}) for hidden | The heads have different masks | one mask is for all heads
""")
def test_a_mask_in_doubt_is_read_once_it_is_written_as_the_refusal_says():
    assert "a query sees no key" in refusal_of(as_mask, ~CAUSAL)
    assert not (~CAUSAL)[-1].any()
    np.testing.assert_array_equal(as_mask(1 - ~CAUSAL), CAUSAL)
    for doubtful, shape in ((~CAUSAL, None), (np.array([[False, False, True]]), (3, 3))):
        added = np.where(doubtful, 0, -np.inf)
        np.testing.assert_array_equal(as_mask(added, shape), np.broadcast_to(doubtful, (3, 3)))
    at_most = refusal_of(as_mask, np.array([[0, -1.0]]))
    large = float(re.findall(r"at most (-[\d,]+)\)", at_most)[0].replace(",", ""))
    assert as_mask(np.array([[0, large], [0, 0]])).tolist() == [[True, False], [True, True]]
    refusal_of(as_mask, np.array([[0, large + 1], [0, 0]]))


def test_a_text_of_several_masks_is_refused():
    with pytest.raises(InputError, match="more than one matrix"):
        parse_mask("A = [[1, 0], [1, 1]]\nB = [[1, 1], [1, 1]]")
