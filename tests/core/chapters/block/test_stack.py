"""Blocks are PyTorch's encoder layers; rows keep their shape; one token moves what it may."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.attention.layers.block import POST, PRE, BlockKind, block_inputs, block_program
from core.attention.layers.feed_forward import UNITS
from core.chapters.block import stack
from tests.core import properties, support
from tests.pytorch_block import encoder_layer
from tests.sampling import examples

SIZES = {"i": 5, "j": 5, "m": 6, "k": 3, "v": 3, "c": 6, "f": 7, "o": 1}
KINDS = [BlockKind(norm, unit, mask) for norm in (POST, PRE) for unit in UNITS
         for mask in ("causal", "none")]  # fmt: skip


@given(st.sampled_from(KINDS), st.integers(1, 3), st.integers(0, 999))
@examples(15)
def test_blocks_are_pytorchs_encoder_layers(kind: BlockKind, layers: int, seed: int) -> None:
    program = block_program(kind, layers)
    arrays = properties.real_inputs(program, SIZES, seed=seed)
    trace = program.run(arrays)
    rows = torch.from_numpy(arrays["X"])[None]
    hidden = ~torch.ones(5, 5).tril().bool() if kind.mask == "causal" else None
    with torch.no_grad():
        for layer in range(1, layers + 1):
            rows = encoder_layer(kind, arrays, layer)(rows, src_mask=hidden)
            np.testing.assert_allclose(trace[f"H_{layer}"], rows[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("changed", [0, 2, 4])
def test_attention_moves_the_rows_that_see_a_token_and_every_other_part_its_own(
    kind: BlockKind, changed: int
) -> None:
    """K10."""
    sees = [changed <= i or kind.mask == "none" for i in range(5)]
    own = [i == changed for i in range(5)]
    reached = False
    for part in stack.moved_rows(kind, "a b c d e", changed):
        mixes = part.array.startswith("attn")
        reached = reached or mixes
        assert list(part.alone) == (sees if mixes else own), part
        assert list(part.inside) == (sees if reached else own), part


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_token_that_is_not_there_is_refused(number: int) -> None:
    support.refuses("the sentence has 3", stack.check_token, number, 3)


def test_the_changed_token_is_the_one_that_was_meant() -> None:
    inputs = block_inputs("a b c", 1)
    other = stack.with_another_token(inputs, 1)
    assert (inputs["X"] != other["X"]).any(axis=1).tolist() == [False, True, False]


def test_long_sentences_are_refused() -> None:
    support.refuses("9 tokens; the limit here is 8", stack.block_family, "a b c d e f g h i")


@pytest.mark.parametrize("kind", KINDS)
def test_each_layer_keeps_the_shape_of_its_rows(kind: BlockKind) -> None:
    trace = block_program(kind, 3).run(block_inputs("a b c d", 3))
    assert {trace[f"H_{layer}"].shape for layer in (1, 2, 3)} == {trace["X"].shape}
