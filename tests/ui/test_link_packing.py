"""What travels in a link comes back as it was, and no more than is asked for is unpacked."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.link_packing import packed_data, unpacked_data
from ui.links import LONGEST_LINK


@given(st.binary(max_size=2_000))
def test_data_comes_back_in_letters_of_an_address(raw: bytes) -> None:
    packed = packed_data(raw)
    assert not set(packed) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert unpacked_data(packed, 2_001) == raw


def test_of_what_unpacks_to_megabytes_no_more_is_unpacked_than_asked_for() -> None:
    packed = packed_data(bytes(5_000_000))
    tracemalloc.start()
    assert unpacked_data(packed, 1_000) == bytes(1_000)
    assert tracemalloc.get_traced_memory()[1] < 500_000
    tracemalloc.stop()


def test_what_is_longer_than_a_link_is_refused() -> None:
    raw = b"".join(number.to_bytes(4, "big") for number in range(0, 2**31, 2**31 // 5_000))
    packed = packed_data(raw)
    assert len(packed) > LONGEST_LINK
    with pytest.raises(ValueError, match=r"^$"):
        unpacked_data(packed, 1_000_000)
