"""One sentence for every kind of weights: does *bank* read *river*?"""

import numpy as np
import pytest
import torch

from core.attention.examples.river_bank import BANK_LEXICON, LEXICON
from core.attention.setups import Setup
from core.chapters.other_kinds.four import four_kinds
from core.chapters.other_kinds.scores import ADDITIVE, flattest_query, scored_family
from core.chapters.other_kinds.sentence import BY_HAND, DRAWN, FirstLook, first_look
from tests.sampling import some
from tests.ui import plain_kinds

CUES = [word for word in LEXICON if max(BANK_LEXICON.row_of(word)[:2]) >= 1.6]
OPEN = [word for word in LEXICON if BANK_LEXICON.is_open(word)]
ASKED = [f"we sat by the {cue} {word}" for cue in CUES for word in OPEN]
TEXTS = ["we sat by the river bank", "The cat sat on the mat", "the pool by the bank", "cat"]


@pytest.mark.parametrize("matrices", [BY_HAND, DRAWN])
@pytest.mark.parametrize("text", TEXTS)
def test_each_kind_is_its_plain_loop(text: str, matrices: str) -> None:
    found = four_kinds(text, matrices)
    for kind, weights in plain_kinds.all_kinds(text, matrices).items():
        np.testing.assert_allclose(found[kind].weights, weights, atol=1e-12, err_msg=kind)


@pytest.mark.parametrize("text", some(ASKED, 6))
def test_a_word_of_two_meanings_reads_its_cue_most_with_each_kind_that_compares(text: str) -> None:
    look = first_look(text, BY_HAND)
    assert (look.reader, look.key, look.is_open) == (5, 4, True)
    found = four_kinds(text, BY_HAND)
    assert {kind: of.most for kind, of in found.items()} == {
        "softmax": 4, "linear": 4, "additive": 4, "distance": 5,
    }  # fmt: skip
    for kind, at_least in (("softmax", 0.6), ("additive", 0.6), ("linear", 0.2)):
        assert found[kind].weights[5][4] > at_least


def test_the_dot_products_by_hand_are_head_1_of_the_walkthrough() -> None:
    text = "we sat by the river bank"
    walkthrough, ours = Setup(preset="river-bank").trace, four_kinds(text, BY_HAND)["softmax"].trace
    for name in ("Q", "K", "scores", "weights"):
        np.testing.assert_array_equal(ours[name][0], walkthrough[name][0])
    for name in ("V", "context"):  # of these, water and money
        np.testing.assert_array_equal(ours[name][0], walkthrough[name][0, :, :2])


def test_only_a_word_with_two_meanings_is_where_tanh_is_steep() -> None:
    """So in each other row all keys have nearly one weight, by PyTorch's slope of tanh too."""
    for word in LEXICON:
        family = scored_family(f"the river money {word}")
        run = family.run(kinds_score=ADDITIVE, kinds_matrices=BY_HAND)
        query = torch.tensor(np.array(run["Q"][0, -1]), requires_grad=True)
        (slope,) = torch.autograd.grad(torch.tanh(query).sum(), query)
        row = run["weights"][0, -1]
        if word in OPEN:
            assert slope.min() > 0.5
            assert row[1:3].min() > 2 * row[[0, 3]].max()
        else:
            assert query.max() <= flattest_query() < 0
            assert slope.max() < 0.01
            assert row.max() < 1.5 * row.min()


def test_nobody_asks_in_a_sentence_without_a_word_that_is_open() -> None:
    nothing = FirstLook(2, 0, 0, is_open=False)
    assert first_look("we sat by", BY_HAND) == nothing
    assert first_look("river bank we", DRAWN) == nothing
