"""The layer norm of eight numbers, by hand and by PyTorch; P12."""

import numpy as np
import torch

from core.chapters.block.one_row import eight_numbers
from core.program.numbers.display import shown
from tests.quotes import proves

ROW = [2.0, 4, 4, 4, 5, 5, 7, 9]


@proves("Four steps bring them to mean 0 and variance 1")
def test_eight_numbers_come_to_mean_0_and_variance_1() -> None:
    """P12: mean 5, variance 4, and each number minus 5 over 2, but for ε = 0.00001."""
    trace = eight_numbers()
    np.testing.assert_array_equal(trace["x"], [ROW])
    assert (trace["mean"].item(), trace["variance"].item()) == (5, 4)
    by_hand = (np.array(ROW) - 5) / 2
    np.testing.assert_array_equal(by_hand, [-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2])
    np.testing.assert_allclose(trace["normed"][0], by_hand, rtol=2e-6, atol=0)
    texts = [shown(trace, "normed", (0, m)) for m in range(8)]
    assert [float(text) for text in texts] == by_hand.tolist()
    theirs = torch.nn.functional.layer_norm(torch.tensor(ROW).double(), (8,)).numpy()
    np.testing.assert_allclose(trace["normed"][0], theirs, rtol=0, atol=1e-12)
