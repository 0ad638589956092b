"""Two sentences: cross-attention beside PyTorch's, and beside self-attention."""

import numpy as np
import torch

from core.chapters.attention_graph.messages import D_MODEL
from core.chapters.attention_graph.other_graphs import cross, sides
from core.program.labels import axis_labels
from tests.core.support import refuses, toy_run

TEXT = "The cat sat on the mat"


def test_it_is_what_pytorch_computes_of_two_lengths() -> None:
    made = cross("Le chat est", TEXT)
    assert made["weights"].shape == (1, 3, 6)
    X_q, X_kv = (torch.tensor(np.array(made[name])) for name in ("X_q", "X_kv"))
    W = {name: torch.tensor(np.array(made[f"W_{name}"])) for name in "QKV"}
    Q, K, V = X_q @ W["Q"], X_kv @ W["K"], X_kv @ W["V"]
    read = torch.nn.functional.scaled_dot_product_attention(Q, K, V)
    np.testing.assert_allclose(made["context"], read.numpy(), atol=1e-12)


def test_an_encoder_reads_all_of_its_sentence_and_a_decoder_what_came_before() -> None:
    encoder, decoder = (cross("le chat est", TEXT, side) for side in ("encoder", "decoder"))
    for made, text, mask in ((encoder, TEXT, "none"), (decoder, "le chat est", "causal")):
        alone = toy_run(text, 1, d_model=D_MODEL, mask=mask)
        for name in ("Q", "K", "V", "scores", "mask", "masked", "weights", "context"):
            np.testing.assert_array_equal(made[name], alone[name])


def test_sides_name_the_nodes_of_both_sentences() -> None:
    found = {side: sides("d e e", "a b", side) for side in ("encoder", "decoder", "cross")}
    for side in found.values():
        assert side.labels == ["a", "b", "d", "e₁", "e₂"]
        assert side.encoder == 2
    asks = {name: (list(side.asks), list(side.gives), side.idle) for name, side in found.items()}
    assert asks == {
        "encoder": ([0, 1], [0, 1], [2, 3, 4]),
        "decoder": ([2, 3, 4], [2, 3, 4], [0, 1]),
        "cross": ([2, 3, 4], [0, 1], []),
    }


def test_rows_are_the_tokens_that_ask_and_columns_those_that_are_read() -> None:
    made = cross("red green", "a b c")
    assert axis_labels(made, "weights")[1:] == [["red", "green"], ["a", "b", "c"]]
    np.testing.assert_allclose(made["weights"].sum(-1), 1.0)
    assert set(made.sources("K", (0, 2, 0))) == {"X_kv", "W_K"}
    assert set(made.sources("Q", (0, 1, 0))) == {"X_q", "W_Q"}


def test_long_sentences_are_refused_on_either_side() -> None:
    for pair in (("a " * 9, "a"), ("a", "a " * 9)):
        refuses("limit here is 8", cross, *pair)
