"""What tokens read, as percentages and in sentences: worked out again by plain loops."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core import attention_program, explain
from core.attention.setups import DEFAULT_TEXT, Setup
from core.chapters.debug_lab.lab import lab_runs
from core.models.captures import load_capture, trace_of
from core.program.labels import sentence_parts
from core.program.reading import (
    LITTLE,
    NEARLY_ALL,
    REMOVED,
    made_between,
    own_keys,
    percentages,
    spoken_places,
    told_reading,
    told_sum,
    weight_percent,
    weights_between_tokens,
)
from tests.registry import REGISTRY

KEYS = ["“we”", "“sat”", "“by”", "“the”", "itself"]


def read(*row: str) -> str:
    return told_reading("“bank”", KEYS[: len(row)], row, "tokens").replace("\u00a0", " ")


def test_a_percentage_is_the_number_of_the_cell() -> None:
    weights = np.array([[0.745, 0.2549999, 0.0], [0.005, 0.00499, 1.0], [1e-12, 0.1 + 0.2, 0.115]])
    removed = np.array([[False, False, True], [False] * 3, [False] * 3])
    assert percentages(weights, removed) == [
        "75", "25", REMOVED, "1", LITTLE, "100", LITTLE, "30", "12",
    ]  # fmt: skip
    assert percentages(np.array([[0.0, 1.0]]), None) == ["0", "100"]


@given(st.floats(0, 1))
@example(0.995)
@example(0.99995)
@example(0.9999996)
@example(1 - 2e-9)
def test_only_a_weight_of_1_is_100_percent(weight: float) -> None:
    """Softmax gives every visible key something, so a row of several keys has no weight of 1."""
    (whole,), exact = percentages(np.array([weight]), None), weight_percent(weight)
    is_one = weight > 1 - 1e-9
    assert (whole == "100", exact == "100.00") == (is_one, is_one)
    assert (whole == ">99") == (weight >= 0.995 and not is_one)
    assert (exact == ">99.99") == (weight >= 0.99995 and not is_one)


def test_no_cell_of_a_head_that_reads_one_token_says_100_percent() -> None:
    trace = trace_of(load_capture("smollm2-first-token"))
    weights = trace["weights"][0]
    assert (weights[1:].max(axis=1) > 0.999).all()
    for i, j in zip(*np.nonzero(weights > 0.99), strict=True):
        words = explain(trace, "weights", (0, int(i), int(j))).words
        assert (" 100.00 %" in words) == (i == 0), words


def test_the_sentence_names_what_is_read_most_or_how_many_are_read_alike() -> None:
    assert read("4", "74", "22") == "“bank” reads 74 % from “sat”."
    assert read("25", "35", "30", "10") == "“bank” reads most from “sat”: 35 %."
    assert read("10", "10", "10", "10", "60") == "“bank” reads 60 % from itself."
    assert read("", "", "", "", "100") == "“bank” reads only itself."
    assert read("", "100") == "“bank” reads only “sat”."
    assert read(LITTLE, NEARLY_ALL) == "“bank” reads >99 % from “sat”."
    assert read("50", "50") == "“bank” reads 50 % each from “we” and “sat”."
    assert read("40", "20", "40") == "“bank” reads 40 % each from “we” and “by”."
    assert read("20", "20", "20", "20", "20") == "“bank” reads 20 % from each of 5 tokens."
    assert read("", "", "") == "“bank” reads nothing."
    assert read("0", "", "0") == "“bank” reads nothing."


def test_a_row_says_why_it_does_not_add_up_to_100() -> None:
    assert told_sum(["33", "33", "33"], 1.0) == "(rounding: 99\u00a0%)"
    assert told_sum(["50", "50", REMOVED], 1.0) == ""
    assert told_sum(["100", LITTLE], 1.0) == told_sum([NEARLY_ALL, LITTLE], 1.0) == ""
    assert told_sum(["50", "34"], 0.836) == "(adds up to 84\u00a0%)"
    assert told_sum(["", ""], 0.0) == ""


def between(name: str) -> list[str]:
    return weights_between_tokens(REGISTRY[name].run())


def test_only_weights_between_tokens_with_which_a_later_step_reads_are_found() -> None:
    assert between("attention") == ["weights"]
    assert between("block, post, relu, none, 2") == ["weights_1", "weights_2"]
    assert between("one query, 2") == ["a_t", "weights"]
    assert between("two sentences") == ["weights"]
    assert between("similarity, additive") == ["weights"]
    # Shares of a vocabulary are read from no token; and these are between rows, not tokens.
    assert between("a language model") == ["weights_1"]
    assert between("recall, 1") == between("a mean with dials") == []
    # Numbers outside [0, 1]: no softmax, or negative ones.
    assert between("softmax over none") == between("linear, pairs, none") == []
    assert between("mixed by convolution") == []


def test_given_weights_are_read_where_all_of_them_are_from_0_to_1() -> None:
    run = attention_program(heads=2, mask="none").run
    inputs = {n: Setup().trace[n] for n in ("X", "W_Q", "W_K", "W_V", "W_O")}
    weights = np.full((2, 6, 6), 1 / 6)
    given = run(inputs, pinned={"weights": weights})
    assert weights_between_tokens(given) == made_between(given, "weights") == ["weights"]
    for wrong in (1.01, -0.01):
        weights[0, 2, 1] = wrong
        assert weights_between_tokens(run(inputs, pinned={"weights": weights})) == []


def test_weights_with_a_nan_among_them_are_not_read() -> None:
    broken = lab_runs(DEFAULT_TEXT).broken
    assert np.isnan(broken["plain"]["weights"]).any()
    assert weights_between_tokens(broken["plain"]) == []
    assert weights_between_tokens(broken["axis"]) == ["weights"]


@pytest.mark.parametrize(("tokens", "found"), [(256, ["weights"]), (257, [])])
def test_more_tokens_than_a_real_model_may_have_are_not_read(tokens: int, found: list[str]) -> None:
    entry = REGISTRY["attention"]
    inputs = entry.inputs()
    inputs["X"] = np.resize(inputs["X"], (tokens, inputs["X"].shape[1]))
    assert weights_between_tokens(entry.program.run(inputs)) == found


def test_between_scores_and_weights_stand_the_arrays_of_the_same_tokens() -> None:
    trace = REGISTRY["attention"].run()
    assert set(made_between(trace, "weights")) == {"weights", "masked", "mask", "scaled", "scores"}
    additive = REGISTRY["similarity, additive"].run()
    assert set(made_between(additive, "weights")) == {"weights", "scores"}


@pytest.mark.parametrize(
    ("name", "own"),
    [("attention", [0, 1, 2]), ("one query, 2", [2]), ("two sentences", [None, None])],
)
def test_a_query_knows_its_own_token_among_the_keys(name: str, own: list[int | None]) -> None:
    trace = REGISTRY[name].run()
    query, key = trace.program.letters[weights_between_tokens(trace)[0]][-2:]
    assert own_keys(trace, query, key) == own


def test_tokens_of_a_sentence_are_quoted_and_other_places_are_numbered() -> None:
    trace = Setup(preset="river-bank").trace
    asking, keys = spoken_places(trace, "i")[5], spoken_places(trace, "j")
    said = told_reading(asking, keys, ["77", "23"], "tokens")
    assert sentence_parts(said) == ["“", "bank", "” reads 77\u00a0% from “", "we", "”."]
    places = spoken_places(REGISTRY["two sentences"].run(), "j")
    said = told_reading(places[2], places, ["77", "23"], "keys")
    assert said == "Key 3 reads 77\u00a0% from key 1."
