"""What a key of a link may say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from ui.links import parse_cell, whole_number_reader


@given(st.text(max_size=30))
def test_any_text_is_a_cell_or_none(text: str) -> None:
    found = parse_cell(text)
    assert found is None or all(isinstance(n, int) for n in found[1])


@pytest.mark.parametrize("text", ["7", "07", "64"])
def test_a_whole_number_is_read(text: str) -> None:
    assert whole_number_reader(1, 64)("window", text) == int(text)


@pytest.mark.parametrize(
    "text", ["0", "65", "00000000155", "0000000019", "0" * 5_000, "0" * 5_000 + "7", "٣", "+7", ""]
)
def test_every_digit_of_a_whole_number_counts(text: str) -> None:
    with pytest.raises(InputError, match="it must be a whole number from 1 to 64: choose one"):
        whole_number_reader(1, 64)("window", text)
