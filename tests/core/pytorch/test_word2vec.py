"""Word2Vec on a small corpus: its windows by hand, its first loss, what it learns, its seed."""

import itertools
import math

import numpy as np
import pytest

from core.pytorch import word2vec


def last(kind: str, window: int, seed: int, steps: int) -> word2vec.Learned:
    *_, learned = word2vec.train(kind, window, seed, steps)
    return learned


def test_windows_are_the_neighbours_that_stand_so_near() -> None:
    for window in (1, 2, 4):
        wanted = []
        for text in word2vec.SENTENCES:
            words = [word for word in text.split() if word not in word2vec.LEFT_OUT]
            for i, word in enumerate(words):
                near = [w for j, w in enumerate(words) if j != i and abs(i - j) <= window]
                wanted += [(word, tuple(near))] if near else []
        assert word2vec.windows(window) == wanted
    known = set(word2vec.learned_vocabulary())
    assert known == {word for words in word2vec.texts() for word in words}
    assert known >= {word for words in word2vec.TOPICS.values() for word in words}


@pytest.mark.parametrize("kind", [word2vec.CBOW, word2vec.SKIP_GRAM])
def test_the_surprise_falls_from_that_of_a_guess_at_random(kind: str) -> None:
    steps = list(word2vec.train(kind, 2, 0, 200))
    assert [learned.step for learned in steps] == list(range(201))
    np.testing.assert_allclose(steps[0].vectors, word2vec.untrained(0).vectors, atol=1e-6)
    assert np.isnan(word2vec.untrained(0).loss)
    assert steps[0].loss == pytest.approx(math.log(len(word2vec.learned_vocabulary())), abs=0.15)
    assert steps[-1].loss < 0.6 * steps[0].loss
    coarse = [learned.loss for learned in steps[::50]]
    assert all(later < before for before, later in itertools.pairwise(coarse))


@pytest.mark.parametrize("kind", [word2vec.CBOW, word2vec.SKIP_GRAM])
def test_words_of_a_topic_come_to_lie_together(kind: str) -> None:
    before, after = (word2vec.nearest(last(kind, 2, 0, steps).vectors) for steps in (0, 600))
    for found, least, most in ((before, 0, 8), (after, 10, 12)):
        topics = (map(word2vec.topic_of, pair) for pair in found.items())
        assert least <= sum(one == other for one, other in topics) <= most


def test_the_same_seed_learns_the_same_and_another_another() -> None:
    one, again, other = (last(word2vec.CBOW, 2, seed, 20).vectors for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert np.abs(one - other).max() > 0.1


def test_the_nearest_is_by_cosine_and_never_the_word_itself() -> None:
    vectors = np.random.default_rng(0).standard_normal((len(word2vec.learned_vocabulary()), 2))
    found = word2vec.nearest(vectors)
    shown = [word for words in word2vec.TOPICS.values() for word in words]
    of = {word: vectors[word2vec.learned_vocabulary().index(word)] for word in shown}
    for word, other in found.items():
        v, length = of[word], np.linalg.norm
        cosines = {w: v @ u / length(v) / length(u) for w, u in of.items() if w != word}
        assert other == max(cosines, key=lambda w: cosines[w])
