"""Dropout: what stays is PyTorch's, and over the draws of the page its mean is the weights."""

import numpy as np
import pytest
import torch

from core.chapters.block import dropout
from core.operations.masking import drop_out
from tests.core.support import refuses
from tests.quotes import proves

TEXT = "The cat sat on the mat"


@proves("dropout leaves out each weight with probability $p$, and divides the others by $1 - p$")
@pytest.mark.parametrize("rate", [0.0, 0.2, 0.5])
def test_it_is_pytorchs_dropout_on_what_stays(rate: float) -> None:
    """PyTorch draws others, and makes the same of those that stay."""
    torch.manual_seed(0)
    weights = torch.rand(1, 40, 40, dtype=torch.float64) + 0.1
    theirs = torch.nn.functional.dropout(weights, rate)
    ours = drop_out(rate).forward(weights.numpy(), (theirs != 0).double()[0].numpy())
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-15)


@pytest.mark.parametrize("rate", [float(rate) for rate in dropout.RATE.options])
def test_draws_keep_the_share_they_should_and_each_other_apart(rate: float) -> None:
    every = np.array([dropout.kept_weights(n, rate, 6) for n in range(1, dropout.MOST_DRAWS + 1)])
    assert set(np.unique(every)) <= {0.0, 1.0}
    share = every.mean(axis=0)
    # Five standard deviations of a mean of so many draws.
    assert np.abs(share - (1 - rate)).max() <= 5 * np.sqrt(rate * (1 - rate) / dropout.MOST_DRAWS)
    if rate:
        assert len({one.tobytes() for one in every}) == dropout.MOST_DRAWS
        related = np.corrcoef(every.reshape(dropout.MOST_DRAWS, -1), rowvar=False) - np.eye(36)
        assert np.abs(related).max() < 0.2


@proves("""
    Over all possible draws the mean equals the weights, $E[A'] = A$. So nothing else has to change
    when dropout is switched off after training
""")
def test_a_row_is_the_weights_without_dropout_and_loses_nothing_on_average() -> None:
    none = dropout.last_row(dropout.dropout_family(TEXT, 3).run(block_rate="0"), 0.0)
    assert none.dropped == none.weights == none.mean
    assert none.total == pytest.approx(1)
    half = dropout.last_row(dropout.dropout_family(TEXT, 3).run(block_rate="0.5"), 0.5)
    assert half.weights == none.weights
    assert any(x == 0 for x in half.dropped)
    assert all(x in (0, 2 * w) for x, w in zip(half.dropped, half.weights, strict=True))
    assert 0 < max(abs(a - b) for a, b in zip(half.weights, half.mean, strict=True)) < 0.05


def test_long_sentences_are_refused() -> None:
    refuses("the limit here is 8", dropout.dropout_family, "a b c d e f g h i", 1)
    assert dropout.dropout_program(0.2).letters["dropped"] == ("h", "i", "j")
