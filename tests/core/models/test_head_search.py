"""Scores of every head of any run, captured or not; the cells that a score counts."""

import numpy as np
import pytest

from core.models import captures, head_scores, head_search
from core.models.head_search import counted_cells, telling_cell

TOKENS = ["The", "Ġcat", ",", "Ġsat", "Ġcat", "."]
PAIRS = [(4, 1), (3, 1)]


def weights(causal: bool) -> np.ndarray:
    made = np.random.default_rng(0).random((3, 2, len(TOKENS), len(TOKENS)))
    made = np.tril(made) if causal else made
    made /= made.sum(axis=-1, keepdims=True)
    return made


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_each_head_has_its_own_score(kind: type, causal: bool) -> None:
    maps: np.ndarray = weights(causal).astype(kind)
    for name, score in head_scores.HEAD_SCORES.items():
        found = head_search.scores_of_weights(maps, TOKENS, name)
        assert found.shape == (3, 2)
        for place in np.ndindex(3, 2):
            assert found[place] == score(maps[place].astype(float), TOKENS), name


def test_linked_words_have_their_pairs() -> None:
    maps = weights(causal=True)
    found = head_search.scores_of_weights(maps, TOKENS, captures.LINKED, PAIRS)
    for place in np.ndindex(3, 2):
        assert found[place] == head_scores.linked_words(maps[place], PAIRS)


@pytest.mark.parametrize("run", captures.captured_runs(), ids=lambda run: run.name)
def test_only_a_row_that_sees_one_key_has_a_weight_of_1(run: captures.CapturedRun) -> None:
    """A byte of 255 stands for 254.5 to 255 steps of 1/255, and softmax leaves other keys some.

    The captured heads have numbers of their own.
    """
    weights, maps = head_search.weights_of_all_heads(run), captures.load_maps(run)
    assert np.abs(weights - maps).max() <= 0.5001 / 255
    for head in run.heads:
        weights[head.place] = 0
    whole = np.argwhere(weights == 1)
    assert (whole[:, 2:] == 0).all()
    others = run.n_layers * run.n_heads - len(run.heads)
    assert len(whole) == (others if run.mask == "causal" else 0)


@pytest.mark.parametrize("name", captures.captured_heads())
def test_the_median_is_that_of_all_heads_by_the_heads_own_score(name: str) -> None:
    run, head = captures.captured_heads()[name]
    each = sorted(head_search.scores_of_all_heads(run, head.score, head.pairs).ravel().tolist())
    half = len(each) // 2
    assert head_search.median_score(run, head) == pytest.approx((each[half - 1] + each[half]) / 2)
    assert head_search.median_score(run, head) < 0.9 * each[-1]


@pytest.mark.parametrize("name", captures.captured_heads())
def test_the_counted_cells_give_the_score(name: str) -> None:
    capture = captures.load_capture(name)
    cells = counted_cells(capture.run, capture.head)
    rows = [i for i in range(len(cells)) if cells[i].any()]
    if capture.head.score == "evenness":
        assert not rows
        return
    total = sum(capture.weights[i, j] for i in rows for j in np.flatnonzero(cells[i]))
    assert total / len(rows) == pytest.approx(captures.score_of(capture))


@pytest.mark.parametrize("name", captures.captured_heads())
def test_a_page_opens_with_a_large_weight_that_counts(name: str) -> None:
    capture = captures.load_capture(name)
    head, i, j = telling_cell(capture)
    cells = counted_cells(capture.run, capture.head)
    T = len(cells)
    assert head == 0
    assert i >= T // 2
    counted = [capture.weights[a, b] for a in range(T // 2, T) for b in range(T) if cells[a, b]]
    if counted:
        assert cells[i, j]
        assert capture.weights[i, j] == max(counted)
    else:
        assert (i, capture.weights[i, j]) == (T - 1, capture.weights[-1].max())
