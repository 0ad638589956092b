"""What is shown while what was typed cannot be used, and that the link says the same."""

from functools import partial
from unittest.mock import Mock

import pytest

from core.errors import InputError
from tests.sampling import paired
from tests.ui.support import changed, link_of, opened, places, refused, stages, untouched, warned
from ui.page.last_valid import fitting

SENTENCES = [
    ("dot_products", "dot_text"), ("debug_lab", "lab_text"), ("heads", "heads_text"),
    ("why_mask", "mask_text"), ("cost", "cost_text"), ("one_query", "query_text"),
]  # fmt: skip
GOOD = "one two three four five"


SAID = "The sentence is empty; it needs at least one word: type a word."


@pytest.mark.parametrize(("page", "key"), SENTENCES)
def test_the_last_sentence_that_worked_stays_and_the_link_holds_it(page: str, key: str) -> None:
    shown = opened(page, **{key: GOOD})
    before, stood = stages(shown), places(shown)
    shown.text_input(key=key).set_value("  ").run()
    assert refused(shown) == [f"{SAID} Shown below: the sentence, as it last worked."]
    assert stages(shown) == before
    assert places(shown) == stood, "what is said has moved what stands below"
    assert shown.text_input(key=key).value == "  "
    assert link_of(shown)[key] == GOOD
    again = opened(page, **link_of(shown))
    assert (refused(again), warned(again)) == ([], [])
    assert stages(again) == before
    shown.text_input(key=key).set_value("six seven eight nine ten").run()
    assert not shown.error
    assert link_of(shown)[key] == "six seven eight nine ten"


@pytest.mark.parametrize(("sentence", "text"), paired(SENTENCES, ["", "a " * 65]))
def test_an_unusable_sentence_of_a_link_is_said(sentence: tuple[str, str], text: str) -> None:
    page, key = sentence
    shown, bare = opened(page, **{key: text}), untouched(page)
    assert not shown.error
    (said,) = warned(shown)
    assert said.startswith("In the link: The sentence ")
    assert said.endswith("The default is used instead.")
    assert (stages(shown), places(shown)) == (stages(bare), places(bare))
    assert link_of(shown) == {}


def test_of_a_link_only_what_does_not_fit_gives_way() -> None:
    kept = {"qkv_part": "sizes", "qkv_T": "5", "qkv_d_v": "3"}
    shown = opened("queries_keys_values", **kept, qkv_d_q="8")
    assert "K has 4 along key feature" in warned(shown)[0]
    assert not shown.error
    # What such a link means by its step.
    assert link_of(shown) == kept | {"qkv_ladder_step": "scores"}
    shown = opened("why_mask", mask_text=GOOD, mask_at="9", mask_word="new")
    (said,) = warned(shown)
    assert "Token 9 is not there; the sentence has 5 tokens: choose 1 to 5" in said
    assert link_of(shown) == {"mask_text": GOOD, "mask_word": "new"}
    assert stages(shown)[0].labels("X")[0] == ["one", "two", "three", "new", "five"]


def test_each_value_that_cannot_be_used_is_said_by_itself() -> None:
    shown = changed(opened("why_mask"), mask_at=64, mask_word="two words")
    token, word = refused(shown)
    assert token.startswith("Token 64 is not there")
    assert token.endswith("Shown below: token = 4, as it last worked.")
    assert word.startswith("'two words' is not one token")
    assert link_of(shown) == {}


def sums_to_at_most(most: int, **values: int) -> int:
    if sum(values.values()) > most:
        raise InputError(f"The sum is {sum(values.values())}", f"at most {most}", "take less")
    return sum(values.values())


@pytest.mark.parametrize(
    ("wanted", "kept", "faults"),
    [
        ({"a": 3, "b": 4, "c": 5}, (3, 4, 5), []),
        ({"a": 5, "b": 4, "c": 5}, (1, 4, 5), ["a: The sum is 14; at most 12: take less"]),
        ({"a": 5, "b": 20, "c": 5}, (5, 1, 5), ["b: The sum is 26; at most 12: take less"]),
        ({"a": 30, "b": 20, "c": 5}, (1, 1, 5),
         ["a: The sum is 36; at most 12: take less", "b: The sum is 26; at most 12: take less"]),
    ],
)  # fmt: skip
def test_a_value_is_kept_if_it_fits_with_those_after_it(
    wanted: dict[str, int], kept: tuple[int, ...], faults: list[str]
) -> None:
    fits = fitting(partial(sums_to_at_most, 12), wanted, {"a": 1, "b": 1, "c": 1})
    assert (tuple(fits.values.values()), fits.made) == (kept, sum(kept))
    said = [f"{name}: {fault}" for name, fault in fits.faults.items()]
    assert said == faults, "or not in the order of the words"


def test_where_nothing_fits_an_error_is_raised() -> None:
    with pytest.raises(InputError, match="The sum is 8"):
        fitting(partial(sums_to_at_most, 7), {"a": 9}, {"a": 8})


def test_each_value_costs_one_try() -> None:
    make = Mock(wraps=partial(sums_to_at_most, 10))
    wanted = {f"v{n}": 2 for n in range(10)}
    assert len(fitting(make, wanted, dict.fromkeys(wanted, 1)).faults) == 10
    assert make.call_count == 1 + 1 + 10
