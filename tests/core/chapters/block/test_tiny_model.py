"""The model that was set by hand does its job on every prompt, and edits change what they name."""

import itertools
import random

import numpy as np
import pytest

from core.attention.layers.language_model import likeliest, probabilities
from core.attention.tokens import SHORT
from core.chapters.block import tiny_model
from core.models.trained.shipped import shipped_training
from tests.core.support import refuses
from tests.quotes import proves
from tests.sampling import DEEP


def after_last(tokens: list[str]) -> str | None:
    """By walking back from the end."""
    for at in range(len(tokens) - 2, -1, -1):
        if tokens[at] == tokens[-1]:
            return tokens[at + 1]
    return None


def prompts() -> list[list[str]]:
    short = [list(p) for T in range(1, 6) for p in itertools.product("abc", repeat=T)]
    draw = random.Random(7)
    every = short + [[draw.choice("abcde") for _ in range(draw.randint(6, 8))] for _ in range(400)]
    return every if DEEP else every[::8]


@proves("find where the last word occurred before, and write what came after it")
def test_after_a_word_that_stood_before_it_writes_the_word_that_came_after_it() -> None:
    done = 0
    for tokens in prompts():
        wanted = after_last(tokens)
        assert tiny_model.copied(tokens) == wanted
        family = tiny_model.model_family(" ".join(tokens), {})
        for run in tiny_model.RUN.options:
            trace = family.run(block_weights="hand", block_run=run)
            if wanted is not None:
                assert likeliest(trace) == wanted, tokens
                assert probabilities(trace)[wanted] > 0.999
                done += 1
    assert done > 60


@proves("""
    In layer 1 each token reads the token before it and notes which word it is. In layer 2 it looks
    for a token that comes after its own word, and reads that token. If there is none, it reads
    itself. The feed-forward nets are all zeros, and each norm's gain and bias undo the norm
""")
def test_in_layer_1_each_token_reads_the_one_before_and_its_norms_are_undone() -> None:
    trace = tiny_model.model_family("a cat saw a cat", {}).run(block_weights="hand")
    weights = trace["weights_1"][0]
    for i in range(1, 5):
        assert weights[i, i - 1] > 0.999
    assert trace["weights_2"][0, 4].argmax() == 2  # saw, before which cat stood
    assert trace["weights_2"][0, 2].argmax() == 2  # nothing came after saw before it
    for norm, source in (("N_1a", "X"), ("N_1b", "Z_1"), ("N_2a", "H_1"), ("N", "H_2")):
        np.testing.assert_allclose(trace[norm], trace[source], atol=1e-3)
    assert not trace["down_1"].any()
    assert not trace["down_2"].any()


@pytest.mark.parametrize("weights", tiny_model.WEIGHTS.options)
def test_the_last_token_with_a_cache_says_what_the_whole_prompt_says(weights: str) -> None:
    family = tiny_model.model_family("the cat saw the", {})
    runs = tiny_model.RUN.options
    whole, cached = (family.run(block_weights=weights, block_run=run) for run in runs)
    assert cached["probs"].shape == (1, 3)
    np.testing.assert_allclose(cached["probs"][-1], whole["probs"][-1], rtol=0, atol=1e-12)
    alone = tiny_model.model_family("the", {}).run(block_weights=weights, block_run="cache")
    assert alone["probs"].shape == (1, 1)


def test_numbers_of_longer_prompts_are_those_of_shorter_ones_and_more() -> None:
    for arrays in (tiny_model.hand_arrays, tiny_model.random_arrays):
        short, long = arrays(("a", "b"), 3), arrays(("a", "b"), 5)
        assert short.keys() == long.keys()
        for name in short:
            np.testing.assert_array_equal(short[name], long[name][: len(short[name])])


def test_an_edit_changes_the_cell_that_it_names_and_one_that_is_not_there_changes_nothing() -> None:
    edits = {("W_U", (0, 1)): 2.5, ("E", (9, 9)): 1.0, ("moon", (0,)): 1.0, ("E", (0,)): 1.0}
    before, after = (tiny_model.model_inputs("a b", "random", made) for made in ({}, edits))
    for name in before:
        changed = np.argwhere(before[name] != after[name]).tolist()
        assert changed == ([[0, 1]] if name == "W_U" else [])
    assert after["W_U"][0, 1] == 2.5
    # What was made before is not touched: the next model has its own numbers again.
    again = tiny_model.model_inputs("a b", "random", {})
    np.testing.assert_array_equal(again["W_U"], before["W_U"])


def test_a_prompt_has_few_tokens_and_few_words() -> None:
    assert tiny_model.prompt_vocabulary("b a b") == ("b", "a")
    assert len(tiny_model.prompt_vocabulary("a b c d e")) == tiny_model.MOST_WORDS
    for text, said in (("a b c d e f", "6 different tokens"), ("a " * 9, "9 tokens")):
        refuses(said, tiny_model.prompt_vocabulary, text)


def test_writing_on_adds_the_likeliest_word() -> None:
    trace = tiny_model.model_family("a cat saw a", {}).run(block_weights="hand")
    assert tiny_model.written_on(trace) == "a cat saw a cat"
    again = tiny_model.model_family(tiny_model.written_on(trace), {}).run(block_weights="hand")
    assert tiny_model.written_on(again) == "a cat saw a cat saw"


@pytest.mark.parametrize("count", [3, 4, 5])
def test_the_learned_weights_write_what_came_after_the_last_word_before(count: int) -> None:
    words = ["one", "two", "three", "four", "five"][:count]
    for order in list(itertools.permutations(words))[:: 1 if DEEP else 5]:
        for again in range(1, SHORT + 1 - count):
            text = [order[at % count] for at in range(count + again)]
            trace = tiny_model.model_family(" ".join(text), {}).run()
            assert trace["weights_1"].shape[0] == 2
            assert likeliest(trace) == after_last(text) == order[again % count]
            assert max(probabilities(trace).values()) > 0.9


def test_the_learned_weights_are_those_of_the_training_for_the_words_of_the_prompt() -> None:
    trained = shipped_training("repeats").weights[800]
    trace = tiny_model.model_family("a cat saw a", {}).run()
    for name in (array.name for array in trace.program.inputs):
        if name == "one_hot":
            continue
        whole = trained[name]
        few = {"E": whole[:3], "P": whole[:4]}.get(name, whole)
        few = whole[:, :3] if name == "W_U" else few
        np.testing.assert_array_equal(trace[name], few)
