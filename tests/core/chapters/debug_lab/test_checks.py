"""The lab's checks: a right run passes them all, and each finds what it says."""

import numpy as np
import pytest

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.checks import CHECKS, sums_of_weights
from core.chapters.debug_lab.lab import CASES, lab_runs
from tests.quotes import proves

# In the order of CHECKS, by hand: NaN; −∞ elsewhere or not where it should be; rows; hidden keys;
# a later token.
FOUND = {
    "after": "..r.c", "zero": ".mrhc", "empty": ".mrhc", "plain": "n.rh.", "additive": ".mrhc",
    "axis": "..r.c", "divisor": ".....", "swapped": ".....", "reshape": "....c", "view": ".m...",
}  # fmt: skip


@proves("""
    In a correct run all of this holds | These checks need no correct run to compare with | The
    causal mask hides later keys from each query. The first token is padding, hidden from all. In a
    correct run hidden scores become −∞, and softmax makes the first row of weights 0
""")
@pytest.mark.parametrize("text", [DEFAULT_TEXT, "red hat red"])
def test_a_right_run_passes_every_check(text: str) -> None:
    right = lab_runs(text).right
    assert all(check.passes(right) for check in CHECKS)
    seen = np.tri(len(right.tokens), dtype=bool)
    seen[:, 0] = False
    np.testing.assert_array_equal(right["mask"], seen)
    assert (np.isneginf(right["masked"]) == ~seen).all()
    assert not right["weights"][:, 0].any()


@pytest.mark.parametrize("name", list(CASES))
def test_each_check_finds_what_it_says(name: str) -> None:
    expected = tuple(c for c, letter in zip(CHECKS, FOUND[name], strict=True) if letter != ".")
    assert lab_runs(DEFAULT_TEXT).found_by[name] == expected


@pytest.mark.parametrize("name", list(CASES))
def test_what_rows_of_weights_add_up_to_is_written_as_numbers_are(name: str) -> None:
    run = lab_runs(DEFAULT_TEXT).disguised[name]
    for texts, head in zip(sums_of_weights(run), run["weights"], strict=True):
        said, sums = list(map(float, texts)), [sum(row) for row in head]
        np.testing.assert_allclose(said, sums, rtol=0, atol=0.005 + 1e-9)
