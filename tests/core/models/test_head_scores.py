"""Scores of heads: each equals a plain loop over its formula, and sees what it is for."""

import math
import string

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from core.models.head_scores import HEAD_SCORES, first_token_by_layer, is_punctuation, linked_words
from tests.quotes import proves

CLAUSE = ["the", "cat", "sat", ",", "the", "cat", "ran", ",", "the", "end", "."]


def random_weights(T: int, causal: bool, seed: int = 0) -> np.ndarray:
    """Rows that add up to 1, in the lower triangle only if causal."""
    drawn = np.random.default_rng(seed).exponential(size=(T, T)) ** 2
    if causal:
        drawn = np.tril(drawn)
    return drawn / drawn.sum(axis=1, keepdims=True)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def looped(w: np.ndarray, t: list[str], causal: bool) -> dict[str, float]:
    """Every score, written out with loops."""
    T = len(t)
    marks = set(string.punctuation)
    same, induced, marked, entropies, far = [], [], [], [], []
    for i in range(T):
        earlier = [j for j in range(i) if t[j] == t[i]]
        if earlier:
            same.append(sum(w[i, j] for j in earlier))
        if any(j + 1 < i for j in earlier):
            induced.append(sum(w[i, j + 1] for j in earlier if j + 1 < i))
        before = [j for j in range(i) if t[j] in marks]
        if before:
            marked.append(sum(w[i, j] for j in before))
        if i:
            n = i + 1 if causal else T
            entropy = -sum(w[i, j] * math.log(w[i, j]) for j in range(T) if w[i, j] > 0)
            entropies.append(entropy / math.log(n))
            far.append(sum(w[i, j] * abs(i - j) for j in range(T)) / (T - 1))
    return {
        "previous_token": mean([w[i, i - 1] for i in range(1, T)]),
        "next_token": mean([w[i, i + 1] for i in range(T - 1)]),
        "own_token": mean([w[i, i] for i in range(1, T)]),
        "first_token": mean([w[i, 0] for i in range(1, T)]),
        "last_token": mean([w[i, T - 1] for i in range(T - 1)]),
        "same_token": mean(same),
        "induction": mean(induced),
        "punctuation": mean(marked),
        "evenness": mean(entropies),
        "distance": mean(far),
    }


@proves("""
    On this text, a token gives {percent} % of its weight to the token before it, on average | On
    this text, a token gives {percent} % of its weight to the token after it, on average | On this
    text, a token gives {percent} % of its weight to itself, on average; the first token is not
    counted | On this text, a token gives {percent} % of its weight to the last token, on average |
    On this text, a token that occurred before gives {percent} % of its weight to its earlier
    occurrences, on average | On this text, a token that occurred before gives {percent} % of its
    weight to the token that came next then, on average | On this text, a token gives {percent} % of
    its weight to punctuation before it, on average | On this text, the entropy of a row is
    {percent} % of what equal weights would have, on average | On this text, the mean distance
    between a token and what it reads is {percent} % of the longest distance | On this text, a token
    gives {percent} % of its weight to the first token, on average
""")
@example(CLAUSE, True, 0)
@example(CLAUSE, False, 0)
@example(["a", "b", "c"], True, 0)
@given(
    st.lists(st.sampled_from(["a", "b", "Ġa", ",", "Ċ"]), min_size=2, max_size=7),
    st.booleans(),
    st.integers(0, 99),
)
def test_a_score_equals_loops_over_its_formula(tokens: list[str], causal: bool, seed: int) -> None:
    weights = random_weights(len(tokens), causal, seed)
    expected = looped(weights, tokens, causal)
    assert expected.keys() == HEAD_SCORES.keys()
    for name, score in HEAD_SCORES.items():
        found = score(weights, tokens)
        np.testing.assert_allclose(found, expected[name], atol=1e-12, err_msg=name)
        assert 0 <= found <= 1 + 1e-12, name


def test_linked_words_are_the_mean_of_the_chosen_weights() -> None:
    weights = random_weights(5, causal=False)
    assert linked_words(weights, [(4, 1), (2, 3)]) == (weights[4, 1] + weights[2, 3]) / 2
    assert linked_words(weights, []) == 0


def test_the_first_tokens_part_of_each_layer_is_a_mean_over_heads_and_later_rows() -> None:
    maps = np.stack([[random_weights(5, True, seed + 10 * h) for h in range(3)] for seed in (1, 2)])
    cells = [(h, i) for h in range(3) for i in range(1, 5)]
    expected = [mean([maps[layer, h, i, 0] for h, i in cells]) for layer in (0, 1)]
    np.testing.assert_allclose(first_token_by_layer(maps), expected)


def test_punctuation_is_what_has_neither_letters_nor_digits() -> None:
    marks = [".", "Ġ,", "):", "Ċ-", "Ġ="]
    others = ["Ġa", "3", "Ċ", "ĊĠĠĠ", "Ġ", "[CLS]", "##ed", "Ġit's", "é"]
    assert all(map(is_punctuation, marks))
    assert not any(map(is_punctuation, others))
