"""Scores of every head of any run, a captured one or not."""

import numpy as np
import pytest

from core.models.captures import LINKED
from core.models.head_scores import HEAD_SCORES, linked_words
from core.models.head_search import scores_of_weights

TOKENS = ["The", "Ġcat", ",", "Ġsat", "Ġcat", "."]
PAIRS = [(4, 1), (3, 1)]


def weights(causal: bool) -> np.ndarray:
    made = np.random.default_rng(0).random((3, 2, len(TOKENS), len(TOKENS)))
    made = np.tril(made) if causal else made
    made /= made.sum(axis=-1, keepdims=True)
    return made


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("score", HEAD_SCORES)
def test_each_head_has_its_own_score(score: str, kind: type, causal: bool) -> None:
    maps: np.ndarray = weights(causal).astype(kind)
    found = scores_of_weights(maps, TOKENS, score)
    assert found.shape == (3, 2)
    for place in np.ndindex(3, 2):
        assert found[place] == HEAD_SCORES[score](maps[place].astype(float), TOKENS)


def test_a_score_of_cells_is_the_mean_of_their_rows() -> None:
    maps = weights(causal=True)
    found = scores_of_weights(maps, TOKENS, "previous_token")
    by_hand = [[np.mean([head[i][i - 1] for i in range(1, 6)]) for head in layer] for layer in maps]
    np.testing.assert_allclose(found, by_hand, rtol=1e-12)


def test_linked_words_have_their_pairs() -> None:
    maps = weights(causal=True)
    found = scores_of_weights(maps, TOKENS, LINKED, PAIRS)
    for place in np.ndindex(3, 2):
        assert found[place] == linked_words(maps[place], PAIRS)
