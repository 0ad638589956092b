"""What is shown while what was typed cannot be used, and that the link says the same."""

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from tests.ui.support import opened, places, stages
from ui.last_valid import fitting

SENTENCES = [
    ("dot_products", "dot_text"), ("debug_lab", "lab_text"), ("heads", "heads_text"),
    ("why_mask", "mask_text"),
]  # fmt: skip
GOOD = "one two three four five"


def link(page: AppTest) -> dict[str, str]:
    return {key: str(value) for key, value in page.query_params.items()}


def errors(page: AppTest) -> list[str]:
    return [error.value.replace("\\", "") for error in page.error]


@pytest.mark.parametrize(("page", "key"), SENTENCES)
def test_the_last_sentence_that_worked_stays_and_the_link_holds_it(page: str, key: str) -> None:
    shown = opened(page, **{key: GOOD})
    before, stood = stages(shown), places(shown)
    shown.text_input(key=key).set_value("  ").run()
    assert errors(shown) == [
        "The sentence is empty; it needs at least one word: type a word. "
        "Shown below: the sentence, as it last worked."
    ]
    assert stages(shown) == before
    assert places(shown) == stood, "what is said has moved what stands below"
    assert shown.text_input(key=key).value == "  "
    assert link(shown)[key] == GOOD
    again = opened(page, **link(shown))
    assert not again.error
    assert not again.warning
    assert stages(again) == before
    shown.text_input(key=key).set_value("six seven eight nine ten").run()
    assert not shown.error
    assert link(shown)[key] == "six seven eight nine ten"


@pytest.mark.parametrize(("page", "key"), SENTENCES)
@pytest.mark.parametrize("text", ["", "a " * 65])
def test_a_sentence_of_a_link_that_cannot_be_used_is_said(page: str, key: str, text: str) -> None:
    shown = opened(page, **{key: text})
    assert not shown.error
    (said,) = [warning.value.replace("\\", "") for warning in shown.warning]
    assert said.startswith("In the link: The sentence ")
    assert said.endswith("The default is used instead.")
    untouched = opened(page)
    assert stages(shown) == stages(untouched)
    assert places(shown) == places(untouched)
    assert link(shown) == {}


def test_of_a_link_only_what_does_not_fit_gives_way() -> None:
    shown = opened("queries_keys_values", qkv_part="sizes", qkv_d_q="8", qkv_T="5", qkv_d_v="3")
    assert "K has 4 along key feature" in shown.warning[0].value.replace("\\", "")
    assert not shown.error
    kept = {"qkv_part": "sizes", "qkv_T": "5", "qkv_d_v": "3"}
    assert link(shown) == kept | {"qkv_ladder_step": "scores"}  # what such a link means by its step
    shown = opened("why_mask", mask_text=GOOD, mask_at="9", mask_word="new")
    (said,) = [warning.value.replace("\\", "") for warning in shown.warning]
    assert "Token 9 is not there; the sentence has 5 tokens: choose 1 to 5" in said
    assert link(shown) == {"mask_text": GOOD, "mask_word": "new"}
    assert stages(shown)[0].labels("X")[0] == ["one", "two", "three", "new", "five"]


def test_each_value_that_cannot_be_used_is_said_by_itself() -> None:
    shown = opened("why_mask")
    shown.session_state["mask_at"] = 64
    shown.session_state["mask_word"] = "two words"
    shown.run()
    token, word = errors(shown)
    assert token.startswith("Token 64 is not there")
    assert token.endswith("Shown below: token = 4, as it last worked.")
    assert word.startswith("'two words' is not one token")
    assert link(shown) == {}


def sums_to_at_most(most: int, **values: int) -> int:
    if sum(values.values()) > most:
        raise InputError(f"The sum is {sum(values.values())}", f"at most {most}", "take less")
    return sum(values.values())


def test_a_value_is_kept_if_it_fits_with_those_after_it() -> None:
    def make(**values: int) -> int:
        return sums_to_at_most(12, **values)

    instead = {"a": 1, "b": 1, "c": 1}
    fits = fitting(make, {"a": 3, "b": 4, "c": 5}, instead)
    assert (fits.values, fits.made, fits.faults) == ({"a": 3, "b": 4, "c": 5}, 12, {})
    first = fitting(make, {"a": 5, "b": 4, "c": 5}, instead)
    assert (first.values, first.made) == ({"a": 1, "b": 4, "c": 5}, 10)
    assert [str(fault) for fault in first.faults.values()] == [
        "The sum is 14; at most 12: take less"
    ]
    large = fitting(make, {"a": 5, "b": 20, "c": 5}, instead)
    assert (large.values, large.made, list(large.faults)) == ({"a": 5, "b": 1, "c": 5}, 11, ["b"])
    both = fitting(make, {"a": 30, "b": 20, "c": 5}, instead)
    assert both.values == {"a": 1, "b": 1, "c": 5}
    assert {name: str(fault)[:13] for name, fault in both.faults.items()} == {
        "a": "The sum is 36",
        "b": "The sum is 26",
    }
    assert list(both.faults) == ["a", "b"], "not in the order of the words"


def test_where_nothing_fits_an_error_is_raised() -> None:
    with pytest.raises(InputError, match="The sum is 8"):
        fitting(lambda **values: sums_to_at_most(7, **values), {"a": 9}, {"a": 8})


def test_each_value_costs_one_try() -> None:
    tries = []

    def make(**values: int) -> int:
        tries.append(values)
        return sums_to_at_most(10, **values)

    wanted = {f"v{n}": 2 for n in range(10)}
    assert len(fitting(make, wanted, dict.fromkeys(wanted, 1)).faults) == 10
    assert len(tries) == 1 + 1 + 10
