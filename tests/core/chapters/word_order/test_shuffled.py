"""Attention on tokens in another order: rows follow their tokens, unless a mask lets order in."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.chapters.word_order import shuffled
from core.chapters.word_order.orders import ORDERS, permutation_matrix
from core.chapters.word_order.shuffled import shuffled_family, shuffled_program
from core.program.trace import Trace
from tests.sampling import examples

TEXT = "The cat sat on the mat"


def attention(X: np.ndarray, arrays: dict[str, np.ndarray], layers: int, mask: str) -> np.ndarray:
    """PyTorch's own, layer on layer."""
    rows = torch.from_numpy(X)[None]
    for layer in range(1, layers + 1):
        Q, K, V = (rows @ torch.from_numpy(arrays[f"W_{name}_{layer}"]) for name in "QKV")
        rows = torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=mask == "causal")
    return np.asarray(rows[0].numpy())


def drawn(T: int, layers: int, seed: int) -> dict[str, np.ndarray]:
    """Small weights, so that no share drowns."""
    draw = np.random.default_rng(seed)
    weights = {
        f"W_{name}_{layer}": 0.4 * draw.normal(size=(1, 3, 3))
        for layer in range(1, layers + 1)
        for name in "QKV"
    }
    return {"X": draw.normal(size=(T, 3)), **weights}


def ran(order: list[int], arrays: dict[str, np.ndarray], layers: int, mask: str) -> Trace:
    return shuffled_program(mask, layers).run({**arrays, "P": permutation_matrix(tuple(order))})


orders = st.integers(1, 6).flatmap(lambda T: st.permutations(range(T)))


@given(orders, st.integers(1, 2), st.sampled_from(["none", "causal"]), st.integers(0, 2**16))
@examples(25)
def test_both_ways_are_pytorchs_attention_and_rows_follow_where_nothing_is_hidden(
    order: list[int], layers: int, mask: str, seed: int
) -> None:
    arrays = drawn(len(order), layers, seed)
    trace = ran(order, arrays, layers, mask)
    typed = attention(arrays["X"], arrays, layers, mask)
    moved = attention(arrays["X"][order], arrays, layers, mask)
    pairs = [
        (trace[f"context_{layers}"][0], moved),
        (trace[f"context_{layers}_typed"][0], typed),
        (trace["moved"][0], typed[order]),
    ]
    for ours, theirs in [*pairs, *([(moved, typed[order])] if mask == "none" else [])]:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13)
    if mask == "none":
        assert not shuffled.kinds_of_rows(trace).changed


@given(st.permutations(range(4)), st.integers(0, 2**16))
@examples(25)
def test_the_last_token_notices_order_in_the_second_layer(earlier: list[int], seed: int) -> None:
    order = [*earlier, 4]
    for layers in (1, 2):
        rows = shuffled.kinds_of_rows(ran(order, drawn(5, layers, seed), layers, "causal"))
        if layers == 1 or order == sorted(order):
            assert 4 in rows.kept
        else:
            assert 4 in rows.noticed


def test_one_layer_without_a_mask_is_equivariant_to_1e_15() -> None:
    for order in ORDERS:
        trace = shuffled_family(TEXT).run(order_tokens=order)
        assert np.abs(trace["difference"]).max() < 1e-15
        assert shuffled.is_as_typed(trace) == (order == "typed")


@pytest.mark.parametrize(
    ("order", "layers", "rows"),
    [
        ("earlier", "1", shuffled.ShuffledRows([0, 1, 2, 3, 4], [5], [], [], False)),
        ("earlier", "2", shuffled.ShuffledRows([0, 1, 2, 3, 4, 5], [], [], [5], False)),
        ("reversed", "1", shuffled.ShuffledRows([0, 1, 2, 3, 4, 5], [], [], [], False)),
        ("typed", "2", shuffled.ShuffledRows([], [0, 1, 2, 3, 4, 5], [], [], False)),
    ],
)
def test_what_became_of_the_rows(order: str, layers: str, rows: shuffled.ShuffledRows) -> None:
    trace = shuffled_family(TEXT).run(order_tokens=order, order_mask="causal", order_layers=layers)
    found = shuffled.kinds_of_rows(trace)
    assert (found.changed, found.kept, found.alike, found.noticed) == (
        rows.changed, rows.kept, rows.alike, rows.noticed,
    )  # fmt: skip
    assert (shuffled.shuffling_error(trace) == "0.00") == (order == "typed")


def test_equal_tokens_may_see_others_and_read_the_same() -> None:
    trace = shuffled_family("ha ha ha").run(order_tokens="reversed", order_mask="causal")
    rows = shuffled.kinds_of_rows(trace)
    assert not rows.changed
    assert rows.alike


@pytest.mark.parametrize(
    ("order", "placed"),
    [
        ("typed", (0, 1, 2, 3)), ("earlier", (2, 1, 0, 3)), ("front", (3, 0, 1, 2)),
        ("reversed", (3, 2, 1, 0)),
    ],
)  # fmt: skip
def test_orders_by_hand(order: str, placed: tuple[int, ...]) -> None:
    assert ORDERS[order](4) == placed
    X = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(permutation_matrix(placed) @ X, X[list(placed)])
    assert ORDERS[order](1) == (0,)
