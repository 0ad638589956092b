"""What a key of a link may say, and that what is packed in one comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from ui.links.links import LONGEST_LINK, packed_data, parse_cell, unpacked_data, whole_number_reader


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


@given(st.binary(max_size=2_000))
def test_data_comes_back_in_letters_of_an_address(raw: bytes) -> None:
    packed = packed_data(raw)
    assert not set(packed) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert unpacked_data(packed, 2_001) == raw
    part = 1 + len(raw) // 2
    assert unpacked_data(packed, part) == raw[:part]


def test_what_is_longer_than_a_link_is_refused() -> None:
    raw = b"".join(number.to_bytes(4, "big") for number in range(0, 2**31, 2**31 // 5_000))
    packed = packed_data(raw)
    assert len(packed) > LONGEST_LINK
    with pytest.raises(ValueError, match=r"^$"):
        unpacked_data(packed, 1_000_000)
