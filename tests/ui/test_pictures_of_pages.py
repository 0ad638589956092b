"""The pictures that pages open on: every number is that of a run made without the page."""

import numpy as np
import pytest

from core.attention.setups import Setup
from core.chapters.queries_keys_values.lookup import library, lookup_family
from tests.ui.support import opened, told


@pytest.mark.parametrize(("at", "word"), [(0, "river"), (1, "money")])
def test_words_show_what_bank_reads_and_its_row_before_and_after(at: int, word: str) -> None:
    [[readings]] = told(opened("words"), "word_readings")
    shown = readings[at]
    trace = Setup(preset="river-bank", text=f"we sat by the {word} bank", heads=2).trace
    weights, X = trace["weights"][0, -1], trace["X"]
    assert tuple(shown["tokens"]) == trace.tokens
    assert shown["reads"] == [f"{100 * weight:.0f}" for weight in weights]
    for row, values in (("before", X[-1]), ("after", weights @ X)):
        texts = np.array([float(text) for text, _ in shown[row]])
        np.testing.assert_allclose(texts, values, atol=0.0051)
    assert shown["features"][shown["largest"]] == {"river": "water", "money": "money"}[word]


@pytest.mark.parametrize("word", library().tokens)
def test_the_library_shows_a_search_with_the_weights_of_its_stage(word: str) -> None:
    [[search]] = told(opened("queries_keys_values", qkv_search=word), "soft_library")
    trace = lookup_family().run()
    i = library().tokens.index(word)
    assert search["token"] == word
    parts = [entry["part"] for entry in search["entries"]]
    assert parts == [f"{100 * weight:.0f}" for weight in trace["weights"][0, i]]
    fits = [float(entry["fit"]) for entry in search["entries"]]
    np.testing.assert_allclose(fits, trace["Q"][0, i] @ trace["K"][0].T, atol=0.0051)
    powers = np.exp(2 * np.array(fits))  # as the page says
    np.testing.assert_allclose(powers / powers.sum(), trace["weights"][0, i], atol=0.0051)
    returned = [float(x) for x in search["returned"].strip("()").split(", ")]
    np.testing.assert_allclose(returned, trace["context"][0, i], atol=0.0051)
