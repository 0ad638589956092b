"""Pieces that join to the text again, distances, *bank* and *love*, and means with weights."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.chapters.words import neighbours, pieces
from core.chapters.words.vectors import (
    TABLE,
    VALUES,
    distances,
    drawn_mean,
    embedding_table,
    lookup_of,
    mean_family,
    mean_of,
    one_hot_rows,
)
from tests.core.support import refuses
from tests.quotes import proves


@proves("Joined, the pieces are the text again")
@given(st.text(max_size=80), st.integers(0, 60))
def test_pieces_joined_are_the_text_again(text: str, merges: int) -> None:
    assert "".join(pieces.split(text, pieces.learned()[:merges])) == text


@given(st.text(alphabet="prejudice nota", max_size=40))
def test_more_merges_never_make_more_pieces(text: str) -> None:
    counts = [len(pieces.split(text, pieces.learned()[:n])) for n in range(0, 60, 10)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == len(text)


def test_a_prejudice_is_cut_where_the_corpus_teaches_it() -> None:
    assert pieces.split("a prejudice", pieces.learned())[-3:] == (" pre", "jud", "ice")
    assert pieces.split("a prejudice", ()) == tuple("a prejudice")


@proves("Find the most frequent pair of neighbouring pieces in a small text, join it, and repeat")
def test_each_merge_joins_the_most_frequent_pair_of_the_corpus_as_it_is_then() -> None:
    """By counting over the whole corpus again, before each of the merges."""
    known = pieces.learned()
    assert len(known) > 50
    for n, merge in enumerate(known):
        counts: Counter[tuple[str, str]] = Counter()
        for word in pieces.chunks(pieces.CORPUS):
            counts.update(itertools.pairwise(pieces.split(word, known[:n])))
        assert counts[merge.pair] == merge.count == max(counts.values()) >= pieces.LEAST
        assert merge.pair == min(pair for pair, c in counts.items() if c == merge.count)


def test_a_merge_joins_from_the_left_and_none_twice() -> None:
    merges = pieces.learned(corpus="aaa aaa aaa")
    assert merges[0].pair == ("a", "a")
    assert pieces.split("aaa", merges[:1]) == ("aa", "a")


def test_the_stages_say_which_merge_made_them() -> None:
    found = pieces.stages("a prejudice", pieces.learned())
    assert found[0] == (None, tuple("a prejudice"))
    for (_, before), (merge, after) in itertools.pairwise(found):
        assert merge is not None
        assert merge.piece in after
        assert len(after) < len(before)
    words, learned = len(pieces.piece_vocabulary(pieces.learned())), len(pieces.learned())
    assert words == len(set(pieces.CORPUS)) + learned


@pytest.mark.parametrize(("text", "says"), [("", "no text"), ("   ", "no text"), ("x" * 61, "61")])
def test_no_text_and_too_much_are_refused(text: str, says: str) -> None:
    refuses(says, pieces.short_text, text)


def test_one_hot_rows_are_all_root_two_apart_and_pick_their_row() -> None:
    words = list(TABLE)
    apart = distances(one_hot_rows(words))
    np.testing.assert_allclose(apart, np.sqrt(2) * (1 - np.eye(len(words))))
    wanted = torch.cdist(torch.tensor(embedding_table()), torch.tensor(embedding_table()))
    np.testing.assert_allclose(distances(embedding_table()), wanted, atol=1e-6)
    embedding = torch.nn.Embedding.from_pretrained(torch.tensor(embedding_table()))
    ids = torch.tensor([words.index(word) for word in ("money", "bank", "river")])
    np.testing.assert_array_equal(lookup_of("money bank river")["X"], embedding(ids))


def test_every_love_goes_in_alike_and_comes_out_different() -> None:
    found = neighbours.loves()
    assert len(found.sentence) == sum(text.split().count("love") for text in neighbours.LOVES) == 4
    assert distances(found.before).max() == 0
    assert distances(found.after).max() > 1
    first, second = (np.array(found.after[n]) for n in (0, 2))
    np.testing.assert_allclose(first, second)  # both have read “I love” and nothing else


@given(st.lists(st.integers(0, 10), min_size=4, max_size=4).filter(any))
def test_a_mean_with_dials_is_the_expectation(dials: list[int]) -> None:
    trace = mean_family(dials).run()
    shares = np.array([Fraction(d, sum(dials)) for d in dials])
    wanted = [float(sum(shares * [*map(Fraction, column)])) for column in VALUES.T.tolist()]
    np.testing.assert_allclose(mean_of(trace), wanted, atol=1e-12)
    assert (mean_of(trace) >= VALUES.min(axis=0) - 1e-12).all()
    assert (mean_of(trace) <= VALUES.max(axis=0) + 1e-12).all()
    drawn = drawn_mean(trace["weights"][0], 20_000, seed=1)
    assert np.abs(drawn - wanted).max() < 0.1
