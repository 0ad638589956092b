"""What a causal mask keeps, against PyTorch and plain loops."""

import numpy as np
import pytest

from core.attention.masks import GALLERY, Rule
from core.chapters.why_mask import causality
from core.program.families import Built
from tests.core.support import refuses
from tests.masks import sized
from tests.quotes import proves

SENTENCE = "The cat sat on the mat"


@pytest.mark.parametrize("place", [1, 3, 6])
def test_rows_before_an_edit_are_bit_identical(place: int) -> None:
    edit = causality.edit_token(SENTENCE, place, "under")
    for array in ("Q", "K", "V", "weights", "context"):
        before, after = (t[array][:, : place - 1] for t in (edit.before, edit.after))
        np.testing.assert_array_equal(before, after)
    moved = edit.moved()
    assert (moved[: place - 1] == 0).all()
    assert (moved[place - 1 :] > 0).all()
    assert edit.moved_above == 0
    assert edit.same_above
    assert edit.rows_moved == 7 - place
    free = causality.edit_token(SENTENCE, place, "under", causal=False)
    assert (free.moved() > 0).all()
    assert free.rows_moved == 6
    assert free.moved_above == free.moved()[: place - 1].max(initial=0.0)
    assert free.same_above == (place == 1)


@pytest.mark.parametrize(
    ("place", "word", "said"),
    [(9, "x", "9"), (0, "x", "0"), (1, "two words", "one token"), (1, "", "empty")],
)
def test_edits_that_cannot_be_made_are_refused(place: int, word: str, said: str) -> None:
    refuses(said, causality.edit_token, SENTENCE, place, word)


def test_a_token_beyond_the_sentence_is_refused_with_the_sentences_length() -> None:
    refuses("has 6 tokens: choose 1 to 6", causality.edit_token, SENTENCE, 7, "x")
    refuses(r"has 1 token: choose 1$", causality.edit_token, "cat", 2, "x")


@pytest.mark.parametrize("name", GALLERY)
def test_additive_and_boolean_masks_agree(name: str) -> None:
    built = Built(*causality.on_text(sized(name, 2), SENTENCE))
    assert causality.additive_difference(built) == 0
    assert causality.additive_difference(built, 1e9) == 0
    assert causality.additive_difference(built, 2.0) > 0 or name == "none"


@pytest.mark.parametrize("T", [1, 2, 7, 20])
def test_a_causal_mask_needs_half_of_the_square_and_the_diagonal(T: int) -> None:
    counted = causality.count_cells(Rule("causal").mask(T, T))
    assert counted.computed == T * (T + 1) // 2
    assert counted.computed + counted.skipped == T * T


@pytest.mark.parametrize("name", GALLERY)
def test_queries_that_see_no_key_are_counted_and_no_rule_leaves_any(name: str) -> None:
    mask = sized(name, 2).mask(5, 5)
    assert causality.sees_nothing(mask) == 0
    mask[[1, 4]] = False
    assert causality.sees_nothing(mask) == 2


def test_under_a_finite_number_a_query_that_sees_no_key_still_shares_out_1() -> None:
    mask = Rule("causal").mask(5, 5)
    mask[[1, 4]] = False
    built = Built(*causality.on_text(None, "a b c d e", mask))
    assert not built.run()["weights"][0, [1, 4]].any()
    assert causality.additive_difference(built) == 0
    assert causality.additive_difference(built, 1e9) >= 1 / 5


def test_a_window_of_eight_holds_eight_examples() -> None:
    made = causality.examples(8)
    assert len(made) == 8
    assert made[-1].context == (24, 43, 58, 5, 57, 1, 46, 43)
    assert made[-1].target == 39
    for n, example in enumerate(made, start=1):
        assert example.context == causality.IDS[:n]
        assert (example.text, example.character) == (causality.TEXT[:n], causality.TEXT[n])
        assert example.target == causality.IDS[n]


@proves("""
    Without a mask, training would teach the model to copy that token. But a model that writes text
    has no next token yet | because it has no next token
""")
def test_the_cheat_hits_every_next_token_unless_it_is_masked() -> None:
    run = causality.cheat_family().run
    free, masked = (causality.cheat(run(mask_cheat=mask)) for mask in ("none", "causal"))
    np.testing.assert_allclose(free.read, [43, 58, 5, 57, 37.4], atol=1e-6)
    np.testing.assert_allclose(masked.read, [24, 33.5, 125 / 3, 32.5, 37.4], atol=1e-6)
    assert (free.hits, masked.hits) == (4, 0)
    assert free.wanted == (43, 58, 5, 57)
