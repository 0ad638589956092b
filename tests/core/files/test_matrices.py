import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.matrices import checked_floats, shorten
from core.limits import LARGEST
from tests.core.files.support import refusal_of


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.longdouble, ">f4"])
def test_real_numbers_of_any_type_become_float64(dtype):
    matrix = np.array([[0, 1, 1]]).astype(dtype)
    copy = checked_floats(matrix, "Q")
    assert copy.dtype == np.dtype(np.float64)
    assert not np.shares_memory(copy, matrix)
    np.testing.assert_array_equal(copy, [[0, 1, 1]])


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (np.nan, "nan in Q, row 2, column 3 is not finite"),
        (-np.inf, "-inf in Q, row 2, column 3 is not finite"),
        (1e308, "1e+308 in Q, row 2, column 3 is too large"),
        (np.nextafter(LARGEST, np.inf), "1e+06 in Q, row 2, column 3 is too large"),
        (np.longdouble("1e4000"), "inf in Q, row 2, column 3 is not finite"),
        (np.iinfo(np.int64).min, "-9.22337e+18 in Q, row 2, column 3 is too large"),
    ],
)
def test_the_first_unusable_cell_is_named_counting_from_1(number, fault):
    matrix = np.zeros((5, 7), np.array(number).dtype)
    matrix[1, 2], matrix[3, 0] = number, LARGEST + 1
    said = refusal_of(checked_floats, matrix, "Q")
    assert said.startswith(f"{fault}; numbers may go from -1,000,000 to 1,000,000")


def test_the_matrix_of_a_stack_is_named_too():
    stack = np.zeros((2, 3, 5))
    stack[1, 2, 4] = np.inf
    said = refusal_of(checked_floats, stack, "Q")
    assert said.startswith("inf in Q, matrix 2, row 3, column 5 is not finite")


def test_the_largest_magnitude_is_allowed():
    matrix = np.array([[LARGEST, -LARGEST]])
    np.testing.assert_array_equal(checked_floats(matrix, "Q"), matrix)


@given(st.text())
def test_a_shortened_piece_is_printable_and_at_most_20_characters(piece):
    short = shorten(piece)
    assert short.isprintable()
    assert len(short) <= 20
    if piece.isprintable() and len(piece) <= 20:
        assert short == piece
