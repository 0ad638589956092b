"""What a real model computes and keeps: counted here by plain loops, and from exact weights."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from core.chapters.cost.real_model import HELD_PERCENT, TEXTS_READ, weights_needed, weights_read
from core.models.captures import captured_run, captured_runs, load_capture, load_maps
from tests.sampling import some

LONGEST = captured_run(TEXTS_READ[-1])


def looped(steps: list[int]) -> int:
    """How many of the largest surely hold 90 % of a row, given in whole steps of 1/255."""
    off = Fraction(1, 510)
    ranked = sorted((Fraction(step, 255) for step in steps), reverse=True)
    for n in range(1, len(ranked) + 1):
        least = sum(max(weight - off, Fraction(0)) for weight in ranked[:n])
        rest = sum(weight + off for weight in ranked[n:])
        if max(least, 1 - rest) >= Fraction(9, 10):
            return n
    raise AssertionError("all of them hold everything")


@pytest.mark.parametrize("layer", some([0, 13, 29], 3, 1))
def test_weights_are_counted_as_a_loop_of_fractions_counts_them(layer: int) -> None:
    maps = load_maps(LONGEST)[layer : layer + 1]
    counted = weights_needed(maps)[0]
    for h, head in enumerate(maps[0]):
        for i, row in enumerate(head):
            assert counted[h, i] == looped([round(255 * weight) for weight in row[: i + 1]])


@pytest.mark.parametrize("name", [run.name for run in captured_runs() if run.mask == "causal"])
def test_no_count_is_below_that_of_the_models_own_weights(name: str) -> None:
    run = captured_run(name)
    counted = weights_needed(load_maps(run))
    for head in run.heads:
        for i, row in enumerate(load_capture(head.name).weights):
            ranked = sorted(row.tolist(), reverse=True)
            exact = next(n for n in range(1, i + 2) if sum(ranked[:n]) >= 0.9)
            assert exact <= counted[head.layer, head.head, i] <= min(i + 1, 1.5 * exact + 3)


def test_a_row_of_one_key_needs_it_and_equal_weights_need_nine_tenths() -> None:
    weights = np.tril(np.ones((20, 20))) / np.arange(1, 21)[:, None]
    counted = weights_needed(np.rint(255 * weights)[None, None] / 255)[0, 0]
    assert counted[0] == 1
    assert counted[19] in (18, 19)  # the maps leave one step open
    assert weights_needed(np.eye(20)[None, None]).max() == 1


def test_texts_are_of_one_causal_model_and_longer_ones_need_a_smaller_part() -> None:
    runs, reads = map(captured_run, TEXTS_READ), list(map(weights_read, TEXTS_READ))
    assert {(run.model, run.mask) for run in runs} == {(LONGEST.model, "causal")}
    for short, long in pairwise(reads):
        assert short.tokens < long.tokens
        assert short.needed / short.seen > long.needed / long.seen
    assert HELD_PERCENT == 90


@pytest.mark.parametrize("name", TEXTS_READ)
def test_means_are_over_all_heads_and_rows(name: str) -> None:
    read, run = weights_read(name), captured_run(name)
    counted = weights_needed(load_maps(run))
    T = len(run.tokens)
    assert read.tokens == T
    assert read.seen == pytest.approx(sum(range(1, T + 1)) / T)
    assert len(read.by_layer) == run.n_layers
    for layer, mean in zip(counted, read.by_layer, strict=True):
        assert mean == pytest.approx(sum(map(int, layer.ravel())) / layer.size)
    assert read.needed == pytest.approx(sum(read.by_layer) / run.n_layers)
    assert min(read.by_layer) >= 1
    assert max(read.by_layer) < read.seen
