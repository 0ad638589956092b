"""Two heads of a real model on one key/value head: same keys, and scores by plain loops."""

import numpy as np

from core.chapters.heads import real_model
from core.models.captures import load_capture, trace_of
from tests.core.support import causal_weights


def test_both_are_heads_of_one_layer_and_have_the_same_keys_and_values() -> None:
    first, second = map(load_capture, real_model.SHARING)
    assert first.run.name == second.run.name
    assert first.head.layer == second.head.layer
    assert first.head.head != second.head.head
    assert first.head.kv_head == second.head.kv_head
    np.testing.assert_array_equal(first.K, second.K)
    np.testing.assert_array_equal(first.V, second.V)
    assert np.abs(first.Q - second.Q).max() > 1


def test_the_run_has_two_heads_of_queries_and_one_of_keys_and_values() -> None:
    trace = real_model.sharing_run()
    assert [len(trace[name]) for name in ("Q", "K", "V", "weights", "context")] == [2, 1, 1, 2, 2]
    assert trace.program.names == real_model.sharing_program().names
    assert trace.labels == {"h": ("induction", "first token")}
    assert trace.tokens[:4] == ("The", "list", ":", "red")
    for h, capture in enumerate(real_model.sharing_heads()):
        np.testing.assert_allclose(trace["weights"][h], capture.weights, rtol=0, atol=1e-5)
        np.testing.assert_allclose(trace["context"][h], capture.context, rtol=0, atol=1e-5)
        np.testing.assert_array_equal(trace["weights"][h], trace_of(capture)["weights"][0])


def test_the_last_token_reads_most_what_followed_it_before() -> None:
    words = real_model.sharing_run().tokens
    head, last, most = real_model.most_read_last(real_model.sharing_run())
    assert (head, last) == (0, len(words) - 1)
    assert words[most - 1] == words[last]
    weights = causal_weights(real_model.sharing_heads()[0].Q, real_model.sharing_heads()[0].K)[last]
    assert max(weights) == weights[most]
