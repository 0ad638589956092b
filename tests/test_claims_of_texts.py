"""What texts say of other people's code, of training and of papers, read back from these.

The inventories in `tests/pages` read what pages say of their own numbers.
"""

import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
import transformers

from core import attention_from, explain
from core.attention.glossary import GLOSSARY
from core.texts import core_texts
from tests.quotes import proves
from tests.test_texts import FILES

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
    zeros, finite = re.findall(
        r"zeros, as in PyTorch's .+ if (.+) hides .*\. If a (.+) hides", said
    )[0]
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
    from transformers.models.t5.modeling_t5 import T5Attention

    count = transformers.T5Config().relative_attention_num_buckets
    said = core_texts("given")("added_words")
    assert f"T5 learns {count} numbers in each head, each for a range of distances" in said
    for both_ways in (False, True):
        distances = -torch.arange(200)
        ranges = T5Attention._relative_position_bucket(distances, both_ways, count)
        assert len(ranges.unique()) < 200 / 2
        assert (ranges.diff() >= 0).all()


NORMED = re.compile(r"\bmean 0 and \[?variance|\bmean square 1\b")
WITHOUT_GAIN = {
    ("block", "norm"), ("block", "normed"),  # by hand, of eight numbers
    # Vectors that are drawn.
    ("why_scale", "proof"), ("why_scale", "takeaway"), ("why_scale", "origin"),
}  # fmt: skip


def test_a_norm_is_said_to_leave_variance_1_only_if_its_gain_is_named() -> None:
    """A layer norm's rows have what its gain and bias make of mean 0 and variance 1."""
    draw = torch.Generator().manual_seed(0)
    rows = torch.randn(5, 64, generator=draw)
    norm = torch.nn.LayerNorm(64)
    assert norm(rows).var(1, correction=0).detach().tolist() == pytest.approx([1] * 5, abs=1e-4)
    torch.nn.init.normal_(norm.weight, 1, 0.5, generator=draw)
    assert (norm(rows).var(1, correction=0) - 1).abs().max() > 0.1
    said = {
        (texts.file.stem, id): source
        for texts in FILES
        for id, source in texts.sources.items()
        if NORMED.search(source) and (texts.file.stem, id) not in WITHOUT_GAIN
    }
    assert ("layers", "norm_summary") in said
    assert [place for place, source in said.items() if not re.search(r"\bgain\b", source)] == []


@proves("""
    How fast a result changes with each number that it depends on. Training goes against it, so that
    the error falls
""")
def test_training_is_said_to_go_where_the_error_falls() -> None:
    """PyTorch's step is −rate times the gradient: along the gradient the error would grow."""
    at = torch.tensor([3.0, -2.0], requires_grad=True)
    error = (at**2).sum()
    error.backward()
    assert at.grad is not None
    before, gradient = at.detach().clone(), at.grad.clone()
    torch.optim.SGD([at], lr=0.1).step()
    torch.testing.assert_close(at.detach() - before, -0.1 * gradient)
    assert (at**2).sum() < error < ((before + 0.1 * gradient) ** 2).sum()


def test_an_encoder_is_said_to_read_both_ways_and_not_only_to_translate() -> None:
    """BERT translates nothing; a later token changes its first row."""
    config = transformers.BertConfig(
        hidden_size=8, num_attention_heads=2, num_hidden_layers=1, vocab_size=9,
        intermediate_size=8, max_position_embeddings=9,
    )  # fmt: skip
    encoder = transformers.BertModel(config).eval()
    with torch.no_grad():
        rows = [encoder(torch.tensor([[1, 2, last]])).last_hidden_state[0, 0] for last in (3, 4)]
    assert not torch.equal(*rows)
    first, *others = GLOSSARY["encoder"].split(". ")
    assert "both directions" in first
    assert "translator" not in first
    assert any("BERT" in other for other in others)


def test_no_attention_is_called_the_first() -> None:
    """Graves (2013, 2014) had soft attention before Bahdanau, Cho and Bengio (2014, 2015)."""
    for texts in FILES:
        for id, source in texts.sources.items():
            assert not re.search(r"\bfirst attention\b", source, re.IGNORECASE), id
