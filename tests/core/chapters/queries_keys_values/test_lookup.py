"""A soft lookup returns the mean when nothing counts, and the stored value when all does."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import Inputs
from core.chapters.queries_keys_values import lookup
from tests.quotes import proves
from tests.sampling import examples


def random_table(seed: int, T: int = 5, d_k: int = 3, d_v: int = 2) -> Inputs:
    draw = np.random.default_rng(seed)
    sizes = {"Q": d_k, "K": d_k, "V": d_v}
    given = {name: draw.normal(size=(1, T, width)) for name, width in sizes.items()}
    return Inputs(given, tuple("abcdefghijk"[:T]))


@proves("""
    A fit is the score of a query and a key. Each fit is multiplied by a number β, then softmax
    gives the percentages | Queries and keys decide what to read; values are what gets read
""")
@given(st.integers(0, 2**32 - 1), st.integers(1, 11), st.sampled_from(lookup.SHARPNESS))
@examples(15)
def test_what_is_found_is_pytorchs_attention_times_beta(seed: int, T: int, beta: float) -> None:
    table = random_table(seed, T)
    q, k, v = (torch.tensor(table[name]) for name in "QKV")
    fused = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=beta)
    found = lookup.lookup_program(beta).run(table)["context"]
    np.testing.assert_allclose(found, fused, rtol=0, atol=1e-11)


def test_without_sharpness_every_search_returns_the_mean() -> None:
    for table in (lookup.library(), random_table(1)):
        context = lookup.lookup_program(0.0).run(table)["context"][0]
        mean = table["V"][0].mean(axis=0)
        np.testing.assert_allclose(context, np.tile(mean, (len(context), 1)), rtol=0, atol=1e-12)
    assert lookup.mean_content(lookup.lookup_program(2.0).run(lookup.library())).tolist() == [2, 3]


def test_a_sharp_search_returns_the_stored_value() -> None:
    table = lookup.library()
    trace = lookup.lookup_program(lookup.SHARPNESS[-1]).run(table)
    stored = [table["V"][0, lookup.best_match(trace, i)] for i in range(3)]
    np.testing.assert_allclose(trace["context"][0], stored, rtol=0, atol=1e-9)
    assert [trace.tokens[lookup.best_match(trace, i)] for i in range(3)] == ["ball", "ball", "red"]


def test_every_best_title_of_the_library_is_the_only_best() -> None:
    scores = np.sort(lookup.lookup_program(1.0).run(lookup.library())["scores"][0], axis=1)
    assert (scores[:, -1] > scores[:, -2]).all()


@proves("A larger β gives the best fit more weight")
@given(st.integers(0, 2**32 - 1))
@examples(8)
def test_sharper_is_nearer_to_the_best_match(seed: int) -> None:
    table = random_table(seed)
    shares = []
    for beta in lookup.SHARPNESS:
        trace = lookup.lookup_program(beta).run(table)
        shares.append(trace["weights"][0, 0, lookup.best_match(trace, 0)])
    assert np.diff(shares).min() >= -1e-12
