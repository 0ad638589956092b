"""The example with named features: what is said of its heads, toggles and words is so."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core import Trace
from core.attention.lexicon import ASKED, FEATURE_NAMES
from core.attention.presets import preset
from core.attention.river_bank import LEXICON, embedding_row, known
from core.attention.setups import Setup
from core.attention.tokens import tokenise
from core.errors import InputError
from tests.sampling import examples

OPEN = sorted(word for word, row in LEXICON.items() if row[FEATURE_NAMES.index("open")] > 0)
TEXTS = [
    "we sat by the river bank",
    "we sat by the money bank",
    "people paid at the bank",
    "children swam in the lake and teachers saved money by the pool",
    "The cat sat on the mat",
    "sailors rowed a boat from the deposit to the banks",
]


def run(text: str | None = None, **chosen: object) -> Trace:
    return Setup(preset="river-bank", text=text, **chosen).trace  # type: ignore[arg-type]


def feature(trace: Trace, at: int, name: str) -> float:
    return float(trace["X"][at, FEATURE_NAMES.index(name)])


def weights(trace: Trace, head: int, row: int) -> list[float]:
    """A row of weights, from X and the weight matrices alone."""
    X, query = trace["X"], trace["X"][row] @ trace["W_Q"][head]
    scores = [float(query @ (X[j] @ trace["W_K"][head])) / 2 for j in range(row + 1)]
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers] + [0.0] * (len(X) - row - 1)


@pytest.mark.parametrize("text", TEXTS)
def test_the_weights_are_those_of_the_matrices_alone(text: str) -> None:
    trace = run(text)
    for head, row in np.ndindex(trace["weights"].shape[:2]):
        np.testing.assert_allclose(trace["weights"][head, row], weights(trace, head, row))


@pytest.mark.parametrize("text", TEXTS)
def test_in_head_1_words_of_two_meanings_ask_for_a_word_that_tells(text: str) -> None:
    trace = run(text)
    for row in range(len(trace.tokens)):
        if not feature(trace, row, "open"):
            continue
        made = weights(trace, 0, row)[: row + 1]
        tells = [max(feature(trace, j, "water"), feature(trace, j, "money")) for j in range(row)]
        clear = [j for j in range(row) if tells[j] >= 0.8]
        assert int(np.argmax(made)) == (tells.index(max(tells)) if clear else row)


@pytest.mark.parametrize("text", TEXTS)
def test_in_head_1_the_others_look_a_little_for_things_or_read_all_alike(text: str) -> None:
    trace = run(text)
    for row in range(len(trace.tokens)):
        made = weights(trace, 0, row)[: row + 1]
        if not any(feature(trace, row, name) for name in ASKED):
            np.testing.assert_allclose(made, 1 / (row + 1))
        elif not feature(trace, row, "open"):
            things = [feature(trace, j, "thing") for j in range(row + 1)]
            top = int(np.argmax(made))
            assert made[top] < 0.6 or row == 0
            if max(things) >= 0.5:
                assert any(feature(trace, top, name) for name in ("water", "money", "thing"))


@pytest.mark.parametrize("text", TEXTS)
def test_in_head_2_an_action_asks_for_a_person_and_the_others_for_an_action(text: str) -> None:
    trace = run(text)
    for row, token in enumerate(trace.tokens):
        if not known(token):
            continue
        made = weights(trace, 1, row)[: row + 1]
        asks = "person" if feature(trace, row, "action") else "action"
        parts = ("action", "person", "thing", "place", "small word")
        takes_part = any(feature(trace, row, name) for name in parts)
        sought = [feature(trace, j, asks) if known(trace.tokens[j]) else 0.0 for j in range(row)]
        if not takes_part:
            np.testing.assert_allclose(made, 1 / (row + 1))
        elif any(sought) and all(map(known, trace.tokens[: row + 1])):
            assert made[sought.index(max(sought))] == pytest.approx(max(made))


def test_money_in_the_place_of_river_turns_what_bank_becomes() -> None:
    def largest(text: str) -> str:
        return FEATURE_NAMES[run(text)["output"][-1].argmax()]

    assert largest("we sat by the river bank") == "water"
    assert largest("we sat by the money bank") == "money"


@pytest.mark.parametrize("word", OPEN)
@pytest.mark.parametrize("meaning", ["water", "money"])
def test_a_word_of_two_meanings_takes_that_of_the_word_before(word: str, meaning: str) -> None:
    clues = [w for w, row in LEXICON.items() if row[FEATURE_NAMES.index(meaning)] >= 1.6]
    assert len(clues) >= 4
    for clue in clues:
        trace = run(f"the {clue} {word}")
        assert trace["weights"][0, 2].argmax() == 1
        assert FEATURE_NAMES[trace["output"][2].argmax()] == meaning


def test_without_the_mask_earlier_words_read_later_ones() -> None:
    masked, free = run(), run(mask="none")
    assert masked["weights"][1, 0].tolist() == [1, 0, 0, 0, 0, 0]
    assert free["weights"][1, 0].argmax() == 1  # "we" reads "sat"
    assert free["weights"][1, 0, 1] > 0.5
    before = run("the bank by the river", mask="causal")["weights"][0, 1]
    after = run("the bank by the river", mask="none")["weights"][0, 1]
    assert before.argmax() == 1
    assert after.argmax() == 4


@pytest.mark.parametrize("text", TEXTS)
def test_without_the_scale_every_word_that_asks_reads_more_sharply(text: str) -> None:
    scaled, sharp = run(text), run(text, scale=False)
    asked = 0
    for head, row in np.ndindex(scaled["weights"].shape[:2]):
        before, after = scaled["weights"][head, row], sharp["weights"][head, row]
        seen = scaled["masked"][head, row, : row + 1]
        if np.ptp(seen) > 1e-9:
            asked += 1
            assert after.max() > before.max()
        else:
            np.testing.assert_allclose(after, before)
    assert asked


WORDS = st.one_of(
    st.text(min_size=1, max_size=12, alphabet=st.characters(categories=("L", "N", "M", "P", "S"))),
    st.sampled_from(["mat", "zebra", "Xylophone", "teh", "河", "!"]),
)


def is_sentence(text: str) -> bool:
    try:
        return bool(tokenise(text))
    except InputError:  # more tokens than a sentence may have
        return False


@examples(12)
@given(st.lists(WORDS, min_size=1, max_size=5), st.sampled_from(OPEN), st.sampled_from(TEXTS),
       st.sampled_from(["causal", "none"]))  # fmt: skip
def test_an_unknown_word_is_never_the_top_key_of_head_1(
    words: list[str], asking: str, text: str, mask: str
) -> None:
    mixed = f"{' '.join(words)} {text} {' '.join(words)} {asking}"
    assume(is_sentence(mixed))
    trace = run(mixed, mask=mask)
    unknown = np.array([not known(token) for token in trace.tokens])
    for row, made in zip(trace["X"], trace["weights"][0], strict=True):
        if row[FEATURE_NAMES.index("open")]:
            assert not unknown[int(made.argmax())]
            assert max(made[unknown], default=0.0) < made.max()
        elif any(unknown):  # no more than any other word that head 1 reads nothing of
            assert max(made[unknown]) <= made.max() * (1 + 1e-12)
            silent = ~trace["X"][:, [FEATURE_NAMES.index(name) for name in ASKED]].any(axis=1)
            np.testing.assert_allclose(
                made[unknown & (made > 0)], min(made[silent & (made > 0)], default=0)
            )


def test_every_entry_has_one_decimal() -> None:
    rows = [*LEXICON.values(), *(embedding_row(f"word{n}") for n in range(50))]
    for array in (*preset("river-bank").arrays.values(), *rows):
        np.testing.assert_array_equal(array, np.round(array, 1))
        assert not np.signbit(array[array == 0]).any()


def test_its_words_are_some_sixty_found_in_lower_case_too() -> None:
    assert len(LEXICON) >= 60
    assert all(word == word.lower() for word in LEXICON)
    assert known("River")
    np.testing.assert_array_equal(embedding_row("RIVER"), LEXICON["river"])
    assert not known("zebra")
    assert not embedding_row("zebra")[[FEATURE_NAMES.index(name) for name in ASKED]].any()
    assert embedding_row("zebra").any()
    assert (embedding_row("Zebra") != embedding_row("zebra")).any()


def test_what_head_1_reads_is_what_drawn_rows_lack() -> None:
    W_Q, W_K = (preset("river-bank").arrays[name][0] for name in ("W_Q", "W_K"))
    read = {FEATURE_NAMES[m] for m in np.flatnonzero(W_Q.any(axis=1) | W_K.any(axis=1))}
    assert read == set(ASKED)


def test_only_what_a_setup_asks_of_it_follows_from_the_text() -> None:
    own, other = run(), run("a Cat ran")
    assert other.tokens == ("a", "Cat", "ran")
    np.testing.assert_array_equal(other["X"], [LEXICON[w] for w in ("a", "cat", "ran")])
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        np.testing.assert_array_equal(own[name], other[name])
    edited = run("a cat ran", edits={"X": np.ones((3, 8))})
    np.testing.assert_array_equal(edited["X"], 1)


def test_a_setup_names_the_words_that_are_drawn() -> None:
    said = Setup(preset="river-bank", text="A zebra by the bank, zebra!")
    assert said.drawn_words == ("zebra", ",", "!")
    assert Setup(preset="river-bank").drawn_words == ()
    assert Setup(text="a zebra").drawn_words == ()
    assert Setup(preset="P4", text="a zebra").drawn_words == ()
    edited = Setup(preset="river-bank", text="a zebra", edits={"X": np.ones((2, 8))})
    assert edited.drawn_words == ()


def test_it_opens_at_the_word_that_asks_and_the_one_that_tells() -> None:
    own = Setup(preset="river-bank")
    assert [own.trace.tokens[at] for at in own.opening] == ["bank", "river"]
    assert Setup(preset="river-bank", text="we sat by the money bank").opening == (5, 4)
    assert Setup(preset="river-bank", text="we sat by the river").opening == (2, 1)
    assert Setup(preset="river-bank", text="we saw zebra and the tree").opening == (5, 4)
    assert Setup(preset="river-bank", text="teh zebra qua").opening == (2, 1)
    assert Setup(preset="river-bank", text="a zebra saw the money in the pool").opening == (7, 4)
    assert Setup(preset="river-bank", text="the bank by the river", mask="none").opening == (1, 1)
    assert Setup(preset="river-bank", text="bank").opening == (0, 0)
    edited = Setup(preset="river-bank", edits={"X": np.ones((3, 8))})
    assert edited.opening == (2, 1)
    assert Setup(preset="P4").opening == (1, 0)
