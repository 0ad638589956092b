"""The example with named features: what is said of its heads, toggles and words is so."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core import InputError, Trace
from core.attention.examples.presets import preset
from core.attention.examples.river_bank import BANK_LEXICON, LEXICON
from core.attention.examples.two_meanings import ASKED, FEATURE_NAMES
from core.attention.setups import Setup
from core.attention.tokens import tokenise
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
def test_unknown_words_are_no_top_key(words: list[str], asking: str, text: str, mask: str) -> None:
    mixed = f"{' '.join(words)} {text} {' '.join(words)} {asking}"
    assume(is_sentence(mixed))
    trace = run(mixed, mask=mask)
    unknown = np.array([not BANK_LEXICON.knows(token) for token in trace.tokens])
    for row, made in zip(trace["X"], trace["weights"][0], strict=True):
        if row[FEATURE_NAMES.index("open")]:
            assert not unknown[int(made.argmax())]
            assert max(made[unknown], default=0.0) < made.max()
        elif any(unknown):  # no more than any other word that head 1 reads nothing of
            assert max(made[unknown]) <= made.max() * (1 + 1e-12)
            silent = ~trace["X"][:, [FEATURE_NAMES.index(name) for name in ASKED]].any(axis=1)
            least = min(made[silent & (made > 0)], default=0)
            np.testing.assert_allclose(made[unknown & (made > 0)], least)


def test_every_entry_has_one_decimal() -> None:
    rows = [*LEXICON.values(), *(BANK_LEXICON.row_of(f"word{n}") for n in range(50))]
    for array in (*preset("river-bank").arrays.values(), *rows):
        np.testing.assert_array_equal(array, np.round(array, 1))
        assert not np.signbit(array[array == 0]).any()


def test_its_words_are_some_sixty_found_in_lower_case_too() -> None:
    assert len(LEXICON) >= 60
    assert all(word == word.lower() for word in LEXICON)
    assert BANK_LEXICON.knows("River")
    np.testing.assert_array_equal(BANK_LEXICON.row_of("RIVER"), LEXICON["river"])
    assert not BANK_LEXICON.knows("zebra")
    assert not BANK_LEXICON.row_of("zebra")[[FEATURE_NAMES.index(name) for name in ASKED]].any()
    assert BANK_LEXICON.row_of("zebra").any()
    assert (BANK_LEXICON.row_of("Zebra") != BANK_LEXICON.row_of("zebra")).any()


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
    np.testing.assert_array_equal(run("a cat ran", edits={"X": np.ones((3, 8))})["X"], 1)


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
    assert Setup(preset="river-bank", edits={"X": np.ones((3, 8))}).opening == (2, 1)
    assert Setup(preset="P4").opening == (1, 0)


MEANING = {
    "water": {"water"}, "money": {"money"}, "thing": {"thing", "small word"},
    "small word": {"thing", "small word"}, "open": {"water", "money", "thing", "small word"},
}  # fmt: skip
DOING = {
    "action": {"person"}, "person": {"action"}, "thing": {"action"}, "small word": {"action"},
    "place": {"action"},
}  # fmt: skip


@pytest.mark.parametrize(("head", "asks"), [(0, MEANING), (1, DOING)])
def test_a_feature_asks_for_those_it_is_said_to_alone(head: int, asks: dict[str, set[str]]) -> None:
    trace = run()
    scores = trace["W_Q"][head] @ trace["W_K"][head].T
    found = {
        asking: {FEATURE_NAMES[key] for key in np.flatnonzero(row > 0)}
        for asking, row in zip(FEATURE_NAMES, scores, strict=True)
        if row.any()
    }
    assert found == asks
    less = {(FEATURE_NAMES[q], FEATURE_NAMES[k]) for q, k in np.argwhere(scores < 0)}
    assert less == ({("open", "open")} if head == 0 else set()), "an open word reads no other"
