from functools import partial

import numpy as np
import pytest

from core.files.numerals import matrix_of_words
from tests.core.files import support

refusal_of = partial(support.refusal_of, matrix_of_words)


def words(*shape):
    return np.arange(np.prod(shape)).reshape(shape).astype(str).tolist()


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ((5,), (1, 5)), ((3, 5), (3, 5)), ((2, 3, 5), (2, 3, 5)), ((1, 1, 1), (1, 1, 1)),
        ((1, 2, 3, 5), (2, 3, 5)), ((1, 1, 1, 3, 5), (1, 3, 5)),
    ],
)  # fmt: skip
def test_lists_become_a_matrix_and_triple_lists_a_stack(shape, wanted):
    matrix = matrix_of_words(words(*shape))
    np.testing.assert_array_equal(matrix, np.arange(np.prod(shape)).reshape(wanted))
    assert matrix.dtype == np.float64


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("7", 7), ("-7", -7), ("+7", 7), ("7.", 7), (".5", 0.5), ("-.5e1", -5), ("5E-1", 0.5),
        ("1000000", 1e6), ("1e-400", 0), ('"0.5"', 0.5), ("True", 1), ("false", 0), (True, 1),
        ("1/2", 0.5), ("-1 / 3", -1 / 3), ("0.5/2", 0.25), ("50%", 0.5), ("-12.3 %", -0.123),
    ],
)  # fmt: skip
def test_a_word_that_is_a_number_becomes_it(word, number):
    np.testing.assert_array_equal(matrix_of_words([[word]]), [[number]])


@pytest.mark.parametrize(
    "word",
    ["x", "1_000", "1.2.3", "1e", "e5", ".", "+", "--1", "0x10", "１", "1/0", "1/2/3", "5%%",
     "5e1%", "1/-", "'1'", '"',
     '""', "1\n", "1 ", "nan2"],
)  # fmt: skip
def test_a_word_that_is_not_a_number_is_refused(word):
    assert "row 2, column 1" in refusal_of([["0"], [word]]).lower()


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ([["1", "nan"]], "nan in row 1, column 2 is not finite"),
        ([["1"], ["-Infinity"]], "-Infinity in row 2, column 1 is not finite"),
        ([[["1"]], [["∞"]]], "∞ in matrix 2, row 1, column 1 is not finite"),
        ([["1e308"]], "1e308 in row 1, column 1 is too large"),
        ([["-1000000.0000000002"]], "-1000000.0000000002 in row 1, column 1 is too large"),
        ([["-1e999"]], "-1e999 in row 1, column 1 is too large"),
        ([["1", "cat"]], "'cat' in row 1, column 2 is not a number"),
        ([["c" * 30]], f"'{'c' * 19}…' in row 1, column 1 is not a number"),
        ([["1", "2 3"]], "'2 3' in row 1, column 2 is more than one number"),
        ([["1", "..."]], "Row 1, column 2 has '...' in place of numbers"),
        ([["1", ""]], "Row 1, column 2 is empty"),
        ([["1", None]], "Row 1, column 2 is not a number"),
        ([["1", {}]], "Row 1, column 2 is not a number"),
        (["1", ["2"]], "Row 1, column 2 is not a number"),
        ([["1"], "2"], "Row 2 is not a list"),
        ([[["1"]], "2"], "Matrix 2 is not a list"),
        ([[["1"]], ["2"]], "Matrix 2, row 1 is not a list"),
        ([["1", "2", "3"], ["4", "5"]], "Row 2 has 2 columns; row 1 has 3"),
        ([["1"], []], "Row 2 has 0 columns; it may have 1 to 64"),
        ([words(2, 3), words(2, 5)], "Matrix 2 is 2 × 5; matrix 1 is 2 × 3"),
        ([[["1"]], []], "Matrix 2 has 0 rows; it may have 1 to 64"),
        ([], "The input holds no numbers"),
        ([[]], "The input holds no numbers"),
        ([[[]]], "The input holds no numbers"),
        ([[[["1"]]], [[["1"]]]], "The brackets are nested more than three deep"),
        ("1", "The input is not a list; a matrix is"),
        (words(65, 1), "The matrix has 65 rows; it may have 1 to 64: leave out 1"),
        (words(1, 67), "Row 1 has 67 columns; it may have 1 to 64: leave out 3"),
        (words(17, 1, 1), "The input has 17 matrices; it may have 1 to 16: leave out 1"),
    ],
)
def test_a_refusal_says_what_stands_where(nested, message):
    assert refusal_of(nested).startswith(message)


def test_the_largest_stack_is_allowed():
    assert matrix_of_words([[["0.1"] * 64] * 64] * 8).shape == (8, 64, 64)


def test_a_lower_limit_holds_for_rows_and_columns():
    assert matrix_of_words(words(5, 5), limit=5).shape == (5, 5)
    assert "may have 1 to 5" in refusal_of(words(6, 5), limit=5)
    assert "may have 1 to 5" in refusal_of(words(5, 6), limit=5)
