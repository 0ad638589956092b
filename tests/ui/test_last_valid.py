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
    assert link(shown) == {"qkv_part": "sizes", "qkv_T": "5", "qkv_d_v": "3"}
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


def products(wanted: int, **values: int) -> int:
    product = 1
    for value in values.values():
        product *= value
    if product != wanted:
        raise InputError(f"The product is {product}", f"it must be {wanted}", "choose others")
    return product


def test_as_few_values_as_possible_give_way_the_first_first() -> None:
    def make(**values: int) -> int:
        return products(12, **values)

    fits = fitting(make, {"a": 3, "b": 4, "c": 1}, {"a": 1, "b": 1, "c": 12})
    assert (fits.values, fits.made, fits.faults) == ({"a": 3, "b": 4, "c": 1}, 12, {})
    one = fitting(make, {"a": 4, "b": 4, "c": 1}, {"a": 3, "b": 3, "c": 12})
    assert one.values == {"a": 3, "b": 4, "c": 1}
    assert [str(fault) for fault in one.faults.values()] == [
        "The product is 16; it must be 12: choose others"
    ]
    two = fitting(make, {"a": 5, "b": 7, "c": 1}, {"a": 3, "b": 4, "c": 12})
    assert list(two.faults) == ["a", "b"]
    assert "15" not in str(two.faults["b"])
    assert "20" in str(two.faults["a"])


def test_where_nothing_fits_the_first_error_is_raised() -> None:
    with pytest.raises(InputError, match="The product is 2"):
        fitting(lambda **values: products(7, **values), {"a": 2}, {"a": 3})


def test_many_values_cost_tens_of_tries() -> None:
    tries = []

    def make(**values: int) -> int:
        tries.append(values)
        return products(0, **values)

    wanted = {f"v{n}": 1 for n in range(10)}
    with pytest.raises(InputError):
        fitting(make, wanted, dict.fromkeys(wanted, 2))
    assert len(tries) == 1 + 10 + 45 + 1
