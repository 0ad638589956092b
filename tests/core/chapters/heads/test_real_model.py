"""Two heads of a real model on one key/value head: same keys, and scores by plain loops."""

import numpy as np

from core.chapters.heads import real_model
from core.models.captures import load_capture, trace_of


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
