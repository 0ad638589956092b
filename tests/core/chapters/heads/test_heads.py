"""Heads: their counts, the two made by hand, sharing, splitting, joining, and what needs what."""

import json
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import Trace, attention_program, toy_inputs
from core.chapters.heads import heads as head_runs
from core.program.labels import plainly
from core.program.running import run_program
from tests.core.properties import real_inputs
from tests.quotes import proves
from tests.sampling import examples


def tensor(array: np.ndarray) -> torch.Tensor:
    return torch.tensor(np.array(array))


@pytest.mark.parametrize("heads", head_runs.HEADS)
def test_four_maps_hold_4_d_squared_numbers_for_any_number_of_heads(heads: int) -> None:
    assert head_runs.count_parameters(head_runs.maps_of(512, heads)) == 1_048_576
    held = sum(p.numel() for p in torch.nn.MultiheadAttention(64, heads, bias=False).parameters())
    assert head_runs.count_parameters(head_runs.maps_of(64, heads)) == held
    drawn = head_runs.drawn_heads("a b c", heads)
    assert head_runs.count_parameters(drawn) == 4 * head_runs.WIDTH**2


@proves("head 1, previous token | head 2, same token")
def test_one_run_holds_a_previous_token_head_and_a_same_token_head() -> None:
    trace = head_runs.two_heads_by_hand()
    previous, same = trace["weights"]
    wanted = np.eye(5, k=-1)
    wanted[0, 0] = 1
    np.testing.assert_allclose(previous, wanted, rtol=0, atol=1e-8)
    np.testing.assert_allclose(same, np.eye(5), rtol=0, atol=1e-8)
    assert set(trace["scores"].ravel()) == {0.0, 20.0}
    read = [[24, 24, 43, 58, 5], [24, 43, 58, 5, 57]]
    np.testing.assert_allclose(trace["context"][:, :, 0], read, rtol=0, atol=1e-6)
    np.testing.assert_allclose(trace["output"][:, :2].T, read, rtol=0, atol=1e-6)


def test_the_group_of_a_head_is_where_a_change_of_its_key_arrives() -> None:
    for groups in head_runs.GROUPS:
        trace = head_runs.shared_keys(groups)
        inputs = {i.name: trace[i.name] for i in trace.program.inputs}
        for h, g in enumerate(head_runs.served_by(trace)):
            reached = []
            for other in range(groups):
                W_K = np.array(trace["W_K"])
                W_K[other] += 0.37
                after = run_program(trace.program, {**inputs, "W_K": W_K})
                if (after["scores"][h] != trace["scores"][h]).any():
                    reached.append(other)
            assert reached == [g]


def test_the_split_is_that_of_p13_right_and_wrong() -> None:
    lines = np.arange(8.0).reshape(2, 4)
    right, wrong = (head_runs.split_family().run(heads_way=way) for way in ("right", "wrong"))
    np.testing.assert_array_equal(right["Q_all"], lines)
    for run, says, numpy_way, torch_way in (
        (
            right, [[[0, 1], [4, 5]], [[2, 3], [6, 7]]],
            lines.reshape(2, 2, 2).transpose(1, 0, 2),
            tensor(lines).view(2, 2, 2).transpose(0, 1),
        ),
        (
            wrong, [[[0, 1], [2, 3]], [[4, 5], [6, 7]]],
            lines.reshape(2, 2, 2), tensor(lines).view(2, 2, 2),
        ),
    ):  # fmt: skip
        np.testing.assert_array_equal(run["Q"], says)
        np.testing.assert_array_equal(run["Q"], numpy_way)
        np.testing.assert_array_equal(run["Q"], torch_way.numpy())
        assert [json.loads(f"[{plainly(text)}]") for text in head_runs.rows_of_heads(run)] == says


@proves("""
    concat · W_O is a sum: what each head has read, times its own block of W_O. The average uses one
    block for all heads, so it cannot tell which head read what
""")
@given(st.integers(1, 8), st.integers(1, 5), st.integers(1, 4), st.integers(1, 7), st.integers(0))
@examples(10)
def test_concat_times_w_o_is_the_sum_of_the_heads_contributions(
    H: int, T: int, d_v: int, d_model: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    context, W_O = draw.normal(size=(H, T, d_v)), draw.normal(size=(H * d_v, d_model))
    concat = np.concatenate(list(context), axis=1)
    parts = head_runs.contributions(context, W_O)
    np.testing.assert_allclose(parts.sum(axis=0), concat @ W_O, rtol=0, atol=1e-12)
    for h in range(H):
        own = context[h] @ W_O[h * d_v : (h + 1) * d_v]
        np.testing.assert_allclose(parts[h], own, rtol=0, atol=1e-12)
    averaged = context.mean(axis=0) @ W_O[:d_v]
    alike = concat @ head_runs.one_matrix_for_all(W_O, H)
    np.testing.assert_allclose(alike, averaged, rtol=0, atol=1e-12)


@proves("Heads of a layer need only its input, so they can run at the same time")
@pytest.mark.parametrize("changed", range(head_runs.JOINED_HEADS))
def test_other_heads_of_a_layer_do_not_move_and_all_of_the_next_do(changed: int) -> None:
    measured = head_runs.moves(changed)
    moved = [h == changed for h in range(head_runs.JOINED_HEADS)]
    assert [by > 0 for by in measured.first] == moved
    assert all(by > 0 for by in measured.second)


@pytest.mark.parametrize("heads", head_runs.HEADS)
@pytest.mark.parametrize("query", [0, 2, 5])
def test_what_each_head_of_a_query_reads_most_is_told(heads: int, query: int) -> None:
    trace = head_runs.drawn_heads("The cat sat on the mat", heads)
    words = ["The", "cat", "sat", "on", "the", "mat"]
    most = [max(range(6), key=lambda key: trace["weights"][h, query, key]) for h in range(heads)]
    assert head_runs.read_most(trace, query) == (words[query], [words[at] for at in most])


@proves("Many programs keep the W_Q of all heads in one matrix and split the product")
def test_the_right_split_is_that_of_separate_maps() -> None:
    program = head_runs.split_program()
    trace = program.run(real_inputs(program, {"i": 5, "m": 4, "c": 4}))
    for h in range(2):
        own = trace["W_Q"][:, 2 * h : 2 * h + 2]
        np.testing.assert_allclose(trace["Q"][h], trace["X"] @ own, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["W_Q", "W_K", "W_V"])
def test_a_heads_weights_hang_on_no_other_heads_maps(name: str) -> None:
    first = toy_inputs("The cat sat", heads=4, d_model=8)
    changed = np.array(first[name])
    changed[1] += 0.5
    program = attention_program(heads=4)

    def layers(inputs: Mapping[str, np.ndarray]) -> tuple[Trace, Trace]:
        below = program.run(inputs)
        return below, program.run({**inputs, "X": below["output"]})

    before, after = layers(dict(first)), layers({**first, name: changed})
    for h in (0, 2, 3):
        np.testing.assert_array_equal(before[0]["weights"][h], after[0]["weights"][h])
        assert (before[1]["weights"][h] != after[1]["weights"][h]).any()


@pytest.mark.parametrize("groups", head_runs.GROUPS)
def test_heads_with_shared_keys_are_grouped_query_attention(groups: int) -> None:
    trace, attend = head_runs.shared_keys(groups), torch.nn.functional.scaled_dot_product_attention
    Q, K, V = (tensor(trace[n])[None] for n in "QKV")
    (read,) = attend(Q, K, V, is_causal=True, enable_gqa=True)
    np.testing.assert_allclose(trace["context"], read, rtol=0, atol=1e-12)
    joined = read.transpose(0, 1).flatten(1) @ tensor(trace["W_O"])
    np.testing.assert_allclose(trace["output"], joined, rtol=0, atol=1e-12)


@pytest.mark.parametrize("groups", head_runs.GROUPS)
def test_the_cache_holds_2_g_d_t_numbers(groups: int) -> None:
    held = head_runs.cache_size(head_runs.shared_keys(groups, "a b c d e"))
    assert held == 2 * groups * (head_runs.WIDTH // head_runs.SHARED_HEADS) * 5
