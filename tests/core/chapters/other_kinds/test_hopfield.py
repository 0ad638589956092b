"""The Hopfield network beside plain loops: its energy, its updates, what it brings back (G10)."""

import math
from itertools import pairwise, permutations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core import explain
from core.chapters.other_kinds import hopfield
from tests.quotes import proves
from tests.sampling import examples

SIGNS = st.sampled_from([-1.0, 1.0])


def plain_energy(patterns: np.ndarray, state: np.ndarray) -> float:
    """−½ Σ over i ≠ j of Σ_p x_pi x_pj s_i s_j, by loops."""
    pairs = [*permutations(range(len(state)), 2)]
    terms = (p[i] * p[j] * state[i] * state[j] for p in patterns for i, j in pairs)
    return -0.5 * math.fsum(terms)


def test_the_energy_of_the_concepts_example_falls_from_minus_12_to_minus_24() -> None:
    """P12: 1⁸ and 1⁴(−1)⁴ are stored, the probe is 1⁸ with the last entry flipped."""
    np.testing.assert_array_equal(hopfield.SMALL, [[1] * 8, [1] * 4 + [-1] * 4])
    trace, found = hopfield.run(hopfield.SMALL, np.array([1.0] * 7 + [-1.0]), 7)
    assert (trace["energy"].item(), trace["new_energy"].item()) == (-12, -24)
    assert (found.energies[0], found.energies[-1]) == (-12, -24)
    np.testing.assert_array_equal(trace["new_state"], [[1] * 8])
    assert found.rests
    assert (found.wrong(0, hopfield.SMALL[0]), found.wrong(-1, hopfield.SMALL[0])) == (1, 0)


@proves("""
    It stores patterns as weights between entries. Each update gives one entry the sign of its
    field: the sum of all other entries, each times its weight to this one
""")
@pytest.mark.parametrize(
    "patterns", [hopfield.SMALL, hopfield.PICTURES], ids=["eight entries", "pictures"]
)
def test_every_update_on_the_stage_is_one_of_the_recall(patterns: np.ndarray) -> None:
    first = hopfield.noisy(patterns[0], patterns[0].size // 5, 3)
    _, found = hopfield.run(patterns, first, 0)
    size = first.size
    flat = patterns.reshape(len(patterns), -1)
    assert len(found.states) == len(found.energies) == hopfield.SWEEPS * size + 1
    for updates in range(0, hopfield.SWEEPS * size, max(1, size // 16)):
        trace, _ = hopfield.run(patterns, first, updates)
        assert trace["energy"].item() == found.energies[updates]
        assert trace["new_energy"].item() == found.energies[updates + 1]
        np.testing.assert_array_equal(trace["new_state"].ravel(), found.states[updates + 1])
        assert trace["energy"].item() == plain_energy(flat, found.states[updates])
        asked = updates % size
        changed = np.flatnonzero(found.states[updates] != found.states[updates + 1])
        assert set(changed.tolist()) <= {asked}
        field = math.fsum(trace["W"][asked, at] * x for at, x in enumerate(found.states[updates]))
        assert found.states[updates + 1][asked] == (1 if field >= 0 else -1)
    last, _ = hopfield.run(patterns, first, hopfield.SWEEPS * size)
    assert last["energy"].item() == found.energies[-1]


@proves(r"""
    An update cannot raise it: the entry's part is minus its field times the entry, and after the
    update both have the same sign | It may also end at the negative of a picture, which has the
    same energy | The energy is $E = -\frac
""")
@given(arrays(np.float64, (3, 12), elements=SIGNS), arrays(np.float64, 12, elements=SIGNS))
@examples(25)
def test_the_energy_never_rises(patterns: np.ndarray, first: np.ndarray) -> None:
    W = hopfield.hopfield_program().run(hopfield.hopfield_inputs(patterns, first, 0))["W"]
    found = hopfield.recall(W, first)
    assert all(after <= before for before, after in pairwise(found.energies))
    for state, told in zip(found.states, found.energies, strict=True):
        assert hopfield.energy(W, state) == told == pytest.approx(plain_energy(patterns, state))
        assert hopfield.energy(W, -state) == told
        alone = state.copy()
        alone[0] = 0  # what is left without the entry's part
        assert told - plain_energy(patterns, alone) == pytest.approx(-state[0] * (W[0] @ state))


def test_a_network_that_has_not_come_to_rest_says_so() -> None:
    frustrated = np.ones((4, 4)) - np.eye(4)
    moving = hopfield.recall(frustrated, np.array([1.0, 1.0, 1.0, -1.0]))
    assert moving.rests
    early = type(moving)(moving.states[:5], moving.energies[:5])
    assert not early.rests


def test_noise_flips_as_many_entries_as_are_asked_for_and_more_of_it_keeps_the_first() -> None:
    picture = hopfield.PICTURES[0]
    for draw in range(1, 21):
        before = np.zeros(hopfield.N, dtype=bool)
        for flips in range(25):
            found = (hopfield.noisy(picture, flips, draw) != picture).ravel()
            assert found.sum() == flips
            assert (found | before == found).all()
            before = found
    assert (hopfield.noisy(picture, 8, 1) != hopfield.noisy(picture, 8, 2)).any()


def test_the_first_pictures_come_back_from_the_noise_that_the_page_begins_with() -> None:
    for picture in hopfield.PICTURES:
        for draw in range(1, 21):
            _, found = hopfield.run(hopfield.PICTURES, hopfield.noisy(picture, 12, draw), 0)
            assert found.rests
            assert found.wrong(0, picture) == 12
            assert found.wrong(-1, picture) == 0
        _, negative = hopfield.run(hopfield.PICTURES, hopfield.noisy(-picture, 12, 1), 0)
        assert negative.wrong(-1, -picture) == 0


@proves("""
    Random patterns, each after one update | All patterns are in one sum and disturb each other:
    with {stored} patterns {turned} % of entries would change
""")
def test_fewer_patterns_stay_as_more_are_stored_and_theory_expects_about_as_many() -> None:
    found = hopfield.capacities()
    assert [c.stored for c in found] == list(range(1, hopfield.MOST_STORED + 1))
    for c in found:
        others = (hopfield.N - 1) / (c.stored - 1) if c.stored > 1 else math.inf
        assert c.expected == pytest.approx(NormalDist().cdf(-math.sqrt(others)))
        entries = hopfield.DRAWS * c.stored * hopfield.N
        assert abs(c.turned - c.expected) < 8 * math.sqrt(c.expected / entries) + 1e-4
        assert c.modern == 1
    assert found[0].staying == 1 > found[-1].staying


def test_an_entry_whose_field_is_0_takes_1_on_the_stage_and_in_the_recall() -> None:
    patterns = np.array([[1.0, 1, 1, -1], [1, -1, -1, 1]])
    first = np.array([-1.0, -1, 1, 1])
    trace, found = hopfield.run(patterns, first, 0)
    assert trace["field"][0, 0] == 0
    assert trace["signs"][0, 0] == trace["new_state"][0, 0] == found.states[1][0] == 1
    assert found.energies[0] == found.energies[1]
    assert explain(trace, "signs", (0, 0)).plain == ["sign(0) = 1.00"]
