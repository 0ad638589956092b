"""What a person worked out by hand, and what it is taken for."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.typed import NONE, RIGHT, WRONG, judged

MISTAKES = {"unscaled": "0.80", "the same": "0.40", "negated": "-0.40"}


@pytest.mark.parametrize(
    ("typed", "shown", "verdict"),
    [
        ("0.4", "0.40", RIGHT), (" 0,40 ", "0.40", RIGHT), (".404", "0.40", RIGHT),
        ("0.405", "0.40", WRONG), ("1/8", "0.13", RIGHT),  # half away from zero, as a cell
        ("0.395", "0.40", RIGHT), ("−0.40", "0.40", "negated"), ("0.8", "0.40", "unscaled"),
        ("4e-1", "0.40", RIGHT), ("0.9", "1", WRONG), ("1.00", "1", RIGHT), ("0", "0.00", RIGHT),
        ("0.00", "3e-7", RIGHT), ("0", "3e-7", WRONG),  # as far as it is written
        ("3e-7", "3e-7", RIGHT), ("-∞", "-inf", RIGHT), ("-inf", "-inf", RIGHT),
        ("inf", "-inf", WRONG), ("0", "-inf", WRONG), ("0", "NaN", WRONG), ("", "0.40", NONE),
        ("0.4.0", "0.40", NONE), ("1/4", "0.25", RIGHT), ("3/6", "0.50", RIGHT),
        ("−1 / 3", "-0.33", RIGHT), ("1/3", "0.34", WRONG), ("4/5", "0.40", "unscaled"),
        ("40 %", "0.40", RIGHT), ("16.7%", "0.17", RIGHT), ("1/0", "0.40", NONE),
        ("1/2/3", "0.17", NONE), ("٤", "4", NONE), ("1e999", "0.40", WRONG),
        ("9" * 30, "0.40", NONE),
    ],
)  # fmt: skip
def test_a_number_is_right_named_wrong_or_none(typed: str, shown: str, verdict: str) -> None:
    assert judged(typed, shown, MISTAKES) == verdict


@given(st.decimals(-50, 50, places=4), st.decimals(-50, 50, places=2))
def test_what_is_right_is_within_half_a_hundredth(typed: Decimal, shown: Decimal) -> None:
    near = abs(typed - shown) <= Decimal("0.005")
    if judged(str(typed), str(shown), {}) == RIGHT:
        assert near
    elif abs(typed - shown) < Decimal("0.005"):
        pytest.fail(f"{typed} is {shown} to two decimals")


def test_a_mistake_that_gives_the_right_text_is_not_named() -> None:
    assert judged("0.40", "0.40", {"the same": "0.40"}) == RIGHT
    assert judged("0.4", "0.41", {"first": "0.40", "second": "0.40"}) == "first"
