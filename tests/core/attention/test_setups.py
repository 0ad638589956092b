"""Setups: a sentence or a preset, edited matrices on top; which rows of X are drawn at random."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import InputError, attention_program, explain, toy_inputs
from core.attention import setups
from core.attention.examples import presets, two_meanings
from core.attention.examples.presets import PRESETS
from core.attention.examples.river_bank import LEXICON
from core.attention.setups import Setup
from core.chapters.block.stack import BY_HAND, inputs_of
from core.program.labels import cell_name
from core.program.story import NO_STORY
from tests.sampling import paired


def test_scores_of_another_size_bring_their_positions_and_an_x_its_d_model() -> None:
    trace = Setup(heads=1).edited({"scores": np.zeros((3, 3))}).trace
    assert trace.tokens == ("1", "2", "3")
    np.testing.assert_allclose(trace["weights"][0, 2], 1 / 3)
    assert trace.pinned == {"scores"}
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
    custom, causal = (Setup(mask=mask).trace["weights"] for mask in ("custom", "causal"))
    np.testing.assert_array_equal(custom, causal)


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
            heads = example.settings["heads"]
            program = attention_program(heads=heads, mask=mask, scale=scale == "on")
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


@pytest.mark.parametrize("name", list(PRESETS))
def test_an_example_that_is_left_keeps_its_words_its_mask_and_its_scale(name: str) -> None:
    example = Setup(preset=name, seed=5)
    left = example.left()
    assert left.preset == ""
    assert left.trace.tokens == PRESETS[name].tokens
    assert left.options == example.options
    drawn = toy_inputs(" ".join(PRESETS[name].tokens), heads=example.settings["heads"], seed=5)
    assert np.array_equal(left.trace["X"], drawn["X"])
    assert np.array_equal(left.trace["mask"], example.trace["mask"])
    others = example.built(heads=4).run()
    assert len(others["weights"]) == 4
    assert others.tokens == PRESETS[name].tokens


@pytest.mark.parametrize("head", range(4))
def test_of_keys_that_heads_share_those_of_the_head_on_show_are_replaced(head: int) -> None:
    setup = Setup(heads=4, kv_heads=2)
    edited = setup.edited({"K": np.zeros((6, 2)), "Q": np.ones((6, 2))}, head).trace
    assert [not edited["K"][g].any() for g in (0, 1)] == [g == head // 2 for g in (0, 1)]
    assert [bool((edited["Q"][h] == 1).all()) for h in range(4)] == [h == head for h in range(4)]


@pytest.mark.parametrize(("name", "kv_heads"), paired(list(PRESETS), [1, 2, 3, 16]))
def test_an_example_offers_the_heads_that_chosen_keys_can_serve(name: str, kv_heads: int) -> None:
    setup = Setup(preset=name, kv_heads=kv_heads)
    offered = list(setup.family.toggle["heads"].options)
    own = PRESETS[name].settings["heads"]
    assert offered == [str(n) for n in (1, 2, 4, 8) if n == own or n % kv_heads == 0]
    for heads in offered:
        assert len(setup.family.run(heads=heads)["weights"]) == int(heads)


def test_what_was_changed_of_an_example_is_said_and_nothing_else() -> None:
    def said(name: str, edits: dict[str, np.ndarray], **chosen: str) -> str:
        setup = Setup(preset=name, edits=edits)
        return setup.changed({**setup.options, **chosen})

    own = np.array(PRESETS["P1"].arrays["X"])
    assert said("P1", {}) == said("P1", {"X": own}) == ""
    moved = {"X": own + 1}
    assert said("P1", moved) == "the numbers"
    assert said("P1", moved, mask="none") == "the mask and the numbers"
    assert said("P1", moved, mask="none", scale="on") == "the mask, the scale and the numbers"
    padding, painted = PRESETS["P9b"].arrays["mask"], np.eye(3, dtype=bool)
    assert said("P9b", {"mask": np.array(padding)}) == ""
    assert said("P9b", {"mask": painted}) == "the mask"
    assert said("P4", {"mask": np.eye(2, dtype=bool)}) == ""  # drawn, and not in use
    assert said("P6", {"scores": np.array(PRESETS["P6"].pinned["scores"])}) == ""


def test_with_other_heads_there_is_no_example_to_tell_of() -> None:
    setup = Setup(preset="P4")
    assert setup.story(setup.trace, setup.options).title == PRESETS["P4"].title
    assert setup.story(setup.trace, {**setup.options, "heads": "2"}) == NO_STORY
    assert setup.family.run(heads="2")["X"].shape != PRESETS["P4"].arrays["X"].shape


def test_the_sentence_is_that_of_the_run() -> None:
    typed = "Who ,me?"
    assert Setup(text=typed).sentence == typed
    assert Setup(text=typed, preset="P4").sentence == ""
    assert Setup(text=typed, edits={"X": np.zeros((2, 8))}).sentence == ""


words = st.sampled_from([*LEXICON, "zebra", "quay", "Person", "!"])
sentences = st.lists(words, min_size=1, max_size=8).map(" ".join)


@given(text=sentences)
def test_the_random_rows_are_those_of_words_without_one_made_by_hand(text: str) -> None:
    trace = setups.Setup(preset=presets.OPENING, text=text).trace
    unknown = [at for at, token in enumerate(trace.tokens) if token.lower() not in LEXICON]
    assert list(trace.random_rows["X"]) == unknown


@pytest.mark.parametrize("array", ["X", "output"])
@given(text=sentences)
def test_no_cell_of_a_random_row_is_called_by_a_feature(array: str, text: str) -> None:
    trace = setups.Setup(preset=presets.OPENING, text=text).trace
    for row in range(len(trace.tokens)):
        for column, feature in enumerate(two_meanings.FEATURE_NAMES):
            cell = explain(trace, array, (row, column))
            is_random = row in trace.random_rows["X"]
            own = cell.title.partition("[")[2].rpartition(", ")[2]
            assert own == (f"{column + 1}]" if is_random else f"{feature}]")
            assert (feature in cell.said[1::2]) is not is_random


@pytest.mark.parametrize("id", [two.id for two in two_meanings.TEN[1:]])
def test_an_example_that_draws_nothing_has_no_random_row(id: str) -> None:
    trace = setups.Setup(preset=id, text=f"zebra saw a {presets.preset(id).tokens[-1]}").trace
    assert not trace.random_rows.get("X")
    assert cell_name(trace, "X", (0, 2)) == "X[zebra, person]"


def test_a_row_that_was_typed_over_is_ones_own_and_the_others_stay_random() -> None:
    before = setups.Setup(preset=presets.OPENING, text="zebra by quay").trace
    X = np.array(before["X"])
    X[0, 2] = 1.5
    after = setups.Setup(preset=presets.OPENING, text="zebra by quay", edits={"X": X}).trace
    assert (before.random_rows["X"], after.random_rows["X"]) == ((0, 2), (2,))
    assert cell_name(after, "X", (0, 2)) == "X[zebra, person]"
    assert cell_name(after, "X", (2, 2)) == "X[quay, 3]"


def test_the_block_with_the_same_numbers_has_the_same_random_rows() -> None:
    assert inputs_of("zebra by quay", 2, BY_HAND).random_rows["X"] == (0, 2)


def test_what_another_run_made_is_not_drawn() -> None:
    setup = setups.Setup(preset=presets.OPENING, text="zebra by quay")
    assert not setup.example.on("zebra by quay").inputs().fed(setup.trace, X="output").random_rows
