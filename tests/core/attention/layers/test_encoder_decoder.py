"""Encoder and decoder beside PyTorch's own layers, and who can move whom."""

import numpy as np
import pytest
import torch

from core.attention.layers.block import POST, BlockKind
from core.attention.layers.encoder_decoder import (
    NORMS,
    encoder_decoder_inputs,
    encoder_decoder_program,
)
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.labels import axis_labels
from tests.pytorch_block import decoder_layer, encoder_layer
from tests.sampling import paired

WRITE, READS = "Le chat est assis", "The cat sat on the mat"


def drawn(seed: int, heads: int = 2, d_model: int = 4) -> Inputs:
    """Toy inputs whose norms have learned something too."""
    made = encoder_decoder_inputs(WRITE, READS, heads=heads, d_model=d_model)
    draw = Draw(f"encoder-decoder:{seed}")
    learned = draw.around_zero(20, 2 * len(NORMS) * d_model).reshape(2, len(NORMS), d_model) / 10
    arrays = dict(made.arrays)
    for at, norm in enumerate(NORMS):
        arrays[f"g_{norm}"], arrays[f"b_{norm}"] = learned[:, at]
    return Inputs(arrays, made.tokens, made.more_tokens)


@pytest.mark.parametrize(("sizes", "seed"), paired([(1, 4), (2, 4), (4, 8)], range(5)))
def test_it_is_what_pytorch_computes(sizes: tuple[int, int], seed: int) -> None:
    heads, d_model = sizes
    trace = encoder_decoder_program(heads).run(drawn(seed, heads, d_model))
    arrays = {name: np.array(trace[name]) for name in trace}
    read, write = (torch.from_numpy(arrays[name])[None] for name in ("X_read", "X_write"))
    encoder = encoder_layer(BlockKind(POST, "relu", "none"), arrays, 1)
    T = len(trace.tokens)
    future = torch.nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64)
    with torch.no_grad():
        memory = encoder(read)
        made = decoder_layer(arrays)(write, memory, tgt_mask=future, tgt_is_causal=True)
    np.testing.assert_allclose(trace["H_1"], memory[0].numpy(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["H_2"], made[0].numpy(), rtol=0, atol=1e-12)


def test_no_row_of_the_decoder_sees_what_is_written_after_it_and_each_all_that_is_read() -> None:
    inputs = drawn(1)
    before = encoder_decoder_program().run(inputs)
    for name, at, moved in (("X_write", 2, {2, 3}), ("X_read", 5, {0, 1, 2, 3})):
        X = np.array(inputs[name])
        X[at] = -X[at]
        given = Inputs({**inputs, name: X}, inputs.tokens, inputs.more_tokens)
        after = encoder_decoder_program().run(given)
        rows = np.flatnonzero((before["H_2"] != after["H_2"]).any(1))
        assert set(rows.tolist()) == moved
        assert (before["H_1"] != after["H_1"]).any() == (name == "X_read")


def test_rows_and_columns_are_named_by_the_tokens_of_their_text() -> None:
    trace = encoder_decoder_program().run(drawn(0))
    read = ["The", "cat", "sat", "on", "the", "mat"]
    write = ["Le", "chat", "est", "assis"]
    for name, rows, columns in (
        ("weights_1", read, read), ("weights_2", write, write), ("weights_3", write, read),
    ):  # fmt: skip
        assert axis_labels(trace, name)[1:] == [rows, columns]
    for name, rows in (("H_1", read), ("up_1", read), ("mean_1a", read), ("H_2", write),
                       ("K_3", read), ("Q_3", write), ("concat_1", read)):  # fmt: skip
        assert rows in axis_labels(trace, name)
