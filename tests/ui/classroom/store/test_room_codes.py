"""Codes can be read aloud and typed as people type them."""

from collections import Counter

import pytest

from ui.classroom.store.room import LENGTH, LETTERS, code_typed, new_code


def test_codes_have_no_signs_that_are_taken_for_each_other_and_are_of_all_letters() -> None:
    codes = [new_code() for _ in range(2_000)]
    assert {len(code) for code in codes} == {LENGTH}
    assert Counter("".join(codes)).keys() == set(LETTERS)
    assert len({*codes}) > 1_990
    assert not set(LETTERS) & set("0O1IL2Z5S8BAEU")


@pytest.mark.parametrize("typed", ["cdf 347", "CDF-347", " cDf347\n", "c d f 3 4 7"])
def test_a_code_is_read_as_people_type_it(typed: str) -> None:
    assert code_typed(typed) == "CDF347"


@pytest.mark.parametrize(
    "typed", ["", "CDF34", "CDF3477", "CDF34A", "CDF34\0", "ＣＤＦ347", " " * 15 + "CDF347"]
)
def test_what_is_no_code_is_none(typed: str) -> None:
    assert code_typed(typed) == ""
