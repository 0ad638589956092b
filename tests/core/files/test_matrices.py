import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.errors import InputError
from core.files.matrices import check_matrix, shorten
from core.limits import LARGEST
from tests.core.files.support import refusal_of

WHOLE = st.integers(1, 7)


@given(arrays(np.float64, (3, 5), elements=st.floats(-LARGEST, LARGEST)))
def test_a_matrix_that_fits_comes_back_as_an_equal_copy(matrix):
    for shape in [(3, 5), (None, 5), (3, None), (None, None)]:
        copy = check_matrix(matrix, shape, "Q")
        np.testing.assert_array_equal(copy, matrix)
        assert copy.dtype == np.float64
        assert not np.shares_memory(copy, matrix)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.longdouble, ">f4"])
def test_real_numbers_of_any_type_become_float64(dtype):
    matrix = np.array([[0, 1, 1]]).astype(dtype)
    copy = check_matrix(matrix, (1, 3), "Q")
    assert copy.dtype == np.dtype(np.float64)
    np.testing.assert_array_equal(copy, [[0, 1, 1]])


@pytest.mark.parametrize(
    ("given_shape", "wanted", "message"),
    [
        ((3, 5), (7, 5), "W_Q is 3 × 5; it must be 7 × 5: add 4 rows"),
        ((3, 5), (2, 7), "W_Q is 3 × 5; it must be 2 × 7: remove 1 row and add 2 columns"),
        ((2, 3, 5), (1, 3, 5), "W_Q is 2 × 3 × 5; it must be 1 × 3 × 5: remove 1 matrix"),
        ((3, 0), (None, None), "W_Q is 3 × 0; it must be any × any: add 1 column"),
        ((3,), (3, 5), "W_Q is a list of 3; it must be 3 × 5: give it 2 axes (rows, columns)"),
        ((), (3,), "W_Q is a single number; it must be a list of 3: give it 1 axis (columns)"),
    ],
)
def test_another_shape_is_refused_with_what_to_change(given_shape, wanted, message):
    assert refusal_of(check_matrix, np.zeros(given_shape), wanted, "W_Q") == message


@given(st.tuples(WHOLE, WHOLE), st.tuples(WHOLE, WHOLE))
def test_a_shape_passes_exactly_when_it_is_the_wanted_one(shape, wanted):
    if shape == wanted:
        assert check_matrix(np.zeros(shape), wanted, "Q").shape == wanted
    else:
        with pytest.raises(InputError):
            check_matrix(np.zeros(shape), wanted, "Q")


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (np.nan, "nan in Q, row 2, column 3 is not finite"),
        (-np.inf, "-inf in Q, row 2, column 3 is not finite"),
        (1e308, "1e+308 in Q, row 2, column 3 is too large"),
        (np.nextafter(LARGEST, np.inf), "1e+06 in Q, row 2, column 3 is too large"),
    ],
)
def test_the_first_unusable_cell_is_named_counting_from_1(number, fault):
    matrix = np.zeros((5, 7))
    matrix[1, 2], matrix[3, 0] = number, np.nan
    said = refusal_of(check_matrix, matrix, (5, 7), "Q")
    assert said.startswith(f"{fault}; numbers may go from -1,000,000 to 1,000,000")


def test_the_matrix_of_a_stack_is_named_too():
    stack = np.zeros((2, 3, 5))
    stack[1, 2, 4] = np.inf
    said = refusal_of(check_matrix, stack, (2, 3, 5), "Q")
    assert said.startswith("inf in Q, matrix 2, row 3, column 5 is not finite")


def test_the_largest_magnitude_is_allowed():
    matrix = np.array([[LARGEST, -LARGEST]])
    np.testing.assert_array_equal(check_matrix(matrix, (1, 2), "Q"), matrix)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (np.iinfo(np.int64).min, "is too large"),  # its magnitude overflows
        (-(10**7), "is too large"),
        (np.longdouble("1e4000"), "Q, row 1, column 1 is not finite"),
        *((cell, "must hold real numbers") for cell in (1j, "1", None, np.datetime64("2020"))),
    ],
)
def test_what_is_no_number_of_ours_is_refused(cell, message):
    assert message in refusal_of(check_matrix, np.array([[cell]]), (1, 1), "Q")


@given(st.text())
def test_a_shortened_piece_is_printable_and_at_most_20_characters(piece):
    short = shorten(piece)
    assert short.isprintable()
    assert len(short) <= 20
    if piece.isprintable() and len(piece) <= 20:
        assert short == piece
