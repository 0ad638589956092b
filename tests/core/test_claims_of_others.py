"""What the core says of other people's code, read back from that code."""

import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from core import attention_from, explain
from core.texts import core_texts

HIDES: dict[str, Callable[[torch.dtype], float | bool]] = {
    "False": lambda dtype: False,
    "−∞": lambda dtype: -torch.inf,
    "−10,000": lambda dtype: -1e4,
    "−1e9": lambda dtype: -1e9,
    "the smallest number": lambda dtype: torch.finfo(dtype).min,
}
"""What people write into a mask to hide a key."""


def fused_weights(hides: float | bool, dtype: torch.dtype) -> torch.Tensor:
    """PyTorch's fused attention, for a query of which all three keys are hidden."""
    draw = torch.Generator().manual_seed(0)
    q, k = (torch.randn(1, n, 4, generator=draw, dtype=dtype) for n in (1, 3))
    mask = torch.full((1, 3), hides, dtype=torch.bool if hides is False else dtype)
    values = torch.eye(3, dtype=dtype)[None]
    return torch.nn.functional.scaled_dot_product_attention(q, k, values, attn_mask=mask)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("hides", HIDES)
def test_a_row_without_a_key_is_said_to_be_what_pytorch_makes_of_it(
    hides: str, dtype: torch.dtype
) -> None:
    weights = fused_weights(HIDES[hides](dtype), dtype)
    said = core_texts("attention")("no_key", query="a")
    zeros, finite = re.findall(r"zeros, as in PyTorch's .+ if (.+) hides .*\. If a (.+) hides", said)[0]
    assert finite == "large negative number"
    if hides in zeros.split(" or "):
        assert not weights.any()
    else:
        assert weights.sum().item() == pytest.approx(1, abs=0.01)


def test_a_row_that_large_numbers_hide_is_not_said_to_be_pytorchs() -> None:
    """Here its weights are zeros, and the words say what PyTorch does."""
    trace = attention_from(*np.ones((3, 1, 2, 2)), mask=np.array([[-1e9, -1e9], [0, 0]]))
    assert not trace["weights"][0, 0].any()
    assert explain(trace, "weights", (0, 0, 1)).words.endswith("PyTorch gives them weights.")


def test_t5_learns_a_number_for_a_range_of_distances() -> None:
    count = T5Config().relative_attention_num_buckets
    said = core_texts("given")("added_words")
    assert f"T5 learns {count} numbers in each head, each for a range of distances" in said
    for both_ways in (False, True):
        distances = -torch.arange(200)
        ranges = T5Attention._relative_position_bucket(distances, both_ways, count)
        assert len(ranges.unique()) < 200 / 2
        assert (ranges.diff() >= 0).all()
