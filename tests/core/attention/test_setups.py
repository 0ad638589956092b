"""Setups: a sentence or a preset, and edited matrices on top."""

from dataclasses import replace

import numpy as np
import pytest

from core import InputError, attention_program
from core.attention.presets import PRESETS
from core.attention.setups import Setup


def test_scores_of_another_size_bring_their_own_positions() -> None:
    trace = Setup(heads=1).edited({"scores": np.zeros((3, 3))}).trace
    assert trace.tokens == ("1", "2", "3")
    np.testing.assert_allclose(trace["weights"][0, 2], 1 / 3)
    assert trace.pinned == {"scores"}


def test_an_x_of_another_width_brings_its_own_d_model() -> None:
    trace = Setup().edited({"X": np.ones((4, 6))}).trace
    assert trace["W_Q"].shape == (2, 6, 3)
    assert trace["output"].shape == (4, 6)


def test_a_matrix_for_one_head_replaces_that_head_alone() -> None:
    setup = Setup()
    edited = setup.edited({"scores": np.zeros((6, 6))}, head=1).trace
    np.testing.assert_array_equal(edited["scores"][0], setup.trace["scores"][0])
    np.testing.assert_array_equal(edited["scores"][1], 0.0)


@pytest.mark.parametrize(
    "matrices",
    [
        {"scores": np.zeros((3, 3))},
        {"W_Q": np.full((2, 8, 4), 1e7)},
        {"X": np.ones((65, 8))},
        {"W_O": np.ones((3, 3))},
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_changes(matrices: dict[str, np.ndarray]) -> None:
    setup = Setup()
    with pytest.raises(InputError):
        setup.edited(matrices)
    assert setup.edits == {}


def test_a_custom_mask_starts_as_the_causal_one() -> None:
    np.testing.assert_array_equal(
        Setup(mask="custom").trace["weights"], Setup(mask="causal").trace["weights"]
    )


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_runs_under_every_option_that_it_offers(name: str) -> None:
    setup = Setup(preset=name)
    example = PRESETS[name]
    assert setup.options["mask"] == example.settings["mask"]
    for mask in setup.family.toggle["mask"].options:
        for scale in ("on", "off"):
            trace = setup.family.run(mask=mask, scale=scale)
            chosen = Setup(preset=name, mask=mask, scale=scale == "on")
            np.testing.assert_array_equal(chosen.trace["output"], trace["output"])
            if mask == "custom" and "mask" not in example.arrays:
                continue  # painted here, beginning with causal
            program = attention_program(heads=1, mask=mask, scale=scale == "on")
            given = {n: a for n, a in example.arrays.items() if n != "mask" or mask == "custom"}
            expected = program.run(given, pinned=example.pinned)
            np.testing.assert_array_equal(trace["output"], expected["output"])


def test_edits_lie_on_top_of_a_preset() -> None:
    trace = Setup(preset="P9b").edited({"mask": np.ones((3, 3), dtype=bool)}).trace
    np.testing.assert_allclose(trace["weights"][0], 1 / 3)


def test_a_mask_that_was_painted_leaves_the_sentence_alone() -> None:
    painted = Setup(mask="custom").edited({"mask": np.eye(6, dtype=bool)})
    other = replace(painted, mask="causal", text="Dogs bark loudly")
    assert other.trace.tokens == ("Dogs", "bark", "loudly")
    with pytest.raises(InputError, match="mask"):
        _ = replace(painted, text="Dogs bark loudly").trace
