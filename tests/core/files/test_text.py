import time
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.errors import InputError
from core.files.matrices import MAX_MATRICES, MAX_SIDE
from core.files.text import MAX_CHARACTERS, parse_matrices, parse_matrix
from core.limits import LARGEST
from tests.core.files import support
from tests.quotes import proves
from tests.sampling import DEEP, paired, some

NUMBERS = st.floats(-LARGEST, LARGEST)
SIDE = st.sampled_from([1, 2, 3, 5, 7])
MATRICES = st.tuples(SIDE, SIDE).flatmap(lambda shape: arrays(np.float64, shape, elements=NUMBERS))


def numpy_text(matrix, separator=" "):
    return np.array2string(matrix, separator=separator, threshold=10**6, floatmode="unique")


def joined(matrix, between, row_end):
    return row_end.join(between.join(map(repr, row)) for row in matrix.tolist())


WAYS_TO_WRITE = {
    "CSV": lambda m: joined(m, ",", "\n"),
    "CSV of Windows": lambda m: "\ufeff" + joined(m, ",", "\r\n") + "\r\n",
    "CSV, rows ending in commas": lambda m: joined(m, ",", ",\n") + ",",
    "commas and spaces": lambda m: joined(m, ", ", "\n"),
    "tabs": lambda m: joined(m, "\t", "\n"),
    "spaces": lambda m: joined(m, "  ", "\n\n"),
    "semicolons": lambda m: joined(m, ";", "\n"),
    "Unicode minus": lambda m: joined(m, ",", "\n").replace("-", "−"),
    "Python": lambda m: str(m.tolist()),
    "a Python assignment": lambda m: f"W_Q = {m.tolist()}\n",
    "a list of NumPy numbers": lambda m: str([list(row) for row in m]),
    "a list of arrays": lambda m: f"[{', '.join(f'array({row})' for row in m.tolist())}]",
    "NumPy str": numpy_text,
    "NumPy repr": lambda m: f"array({numpy_text(m, ', ')})",
    "NumPy with dtype": lambda m: f"np.array({m.tolist()}, dtype=np.float64)",
    "PyTorch": lambda m: f"tensor({m.tolist()}, dtype=torch.float64, grad_fn=<MmBackward0>)",
    "MATLAB": lambda m: "[" + joined(m, " ", "; ") + "]",
    "MATLAB with commas": lambda m: "A = [" + joined(m, ", ", ";\n") + "];",
    "MATLAB, a row a line": lambda m: "A = [" + joined(m, " ", "\n     ") + "];",
    "MATLAB, continued": lambda m: "[" + joined(m, " ...\n  ", ";\n") + ";]",
    "MATLAB as displayed": lambda m: "A =\n\n   " + joined(m, "   ", "\n   ") + "\n",
}


refusal_of = partial(support.refusal_of, parse_matrix)


@pytest.mark.parametrize("way", WAYS_TO_WRITE)
@given(matrix=MATRICES)
def test_a_matrix_reads_back_as_exactly_the_same_floats(way, matrix):
    np.testing.assert_array_equal(parse_matrix(WAYS_TO_WRITE[way](matrix)), matrix, strict=True)


@pytest.mark.parametrize("way", ["\t", ";"])
@given(matrix=arrays(np.float64, (3, 2), elements=NUMBERS))
@example(matrix=np.array([[1.234, 5.678], [1.234, 5.678], [9.876, 5.432]]))
def test_decimal_commas_are_read_exactly_or_refused(way, matrix):
    text = joined(matrix, way, "\n").replace(".", ",")
    try:
        read = parse_matrix(text)
    except InputError:
        return
    np.testing.assert_array_equal(read, matrix)


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("0,5\t1,5", [[0.5, 1.5]]), ("0,5;-1,5\n1,234;3", [[0.5, -1.5], [1.234, 3]]),
        ("1;2;3", [[1, 2, 3]]), ("1 2; 3 4", [[1, 2], [3, 4]]), ("1 2;\n3 4;", [[1, 2], [3, 4]]),
        ("1, 2; 3, 4", [[1, 2], [3, 4]]), ("0,5\n1,5", [[0, 5], [1, 5]]),
        ("[0,5; 1,5]", [[0, 5], [1, 5]]), ("[1, 2,\n 3, 4]", [[1, 2, 3, 4]]),
        ("[[1, 2,],\n [3, 4,],]", [[1, 2], [3, 4]]), ('"1","2"', [[1, 2]]),
        ("[[True, False]]", [[1, 0]]), ("5", [[5]]), ("[5]", [[5]]),
        ("np.array([np.float64(0.5), np.float64(1)], dtype=float)", [[0.5, 1]]),
        ("0 1\n1 0", [[0, 1], [1, 0]]),
        ("A =\n\n   0   1   2\n   3   4   5\n", [[0, 1, 2], [3, 4, 5]]),
        ("2×3 Matrix{Int64}:\n 0  1  2\n 3  4  5", [[0, 1, 2], [3, 4, 5]]),
        (r"\begin{bmatrix} 0 & 1 & 2 \\ 3 & 4 & 5 \end{bmatrix}", [[0, 1, 2], [3, 4, 5]]),
        ("a b\n\n1 2\n3 4\n\n", [[1, 2], [3, 4]]),
    ],
)  # fmt: skip
def test_what_could_be_doubtful_has_one_documented_meaning(text, matrix):
    np.testing.assert_array_equal(parse_matrix(text), matrix)


@proves("""
    The first row ({row}) can be read in two ways | it can be a header or a row of numbers | remove
    it if it is a header; else write its numbers with a point, as in 1.0 | The first column
    ({column}) can be read in two ways | it can be labels that number the rows, or numbers of the
    matrix | remove it if it is labels; else write its numbers with a point, as in 1.0 | A blank
    line between the rows can be read in two ways | it can separate two matrices, or rows of one
    matrix | remove it if there is one matrix; else write a name above each
""")
@pytest.mark.parametrize(
    ("text", "removed", "as_told"),
    [
        ("0 1\n7 0\n5 5", "7 0\n5 5", "0.0 1.0\n7 0\n5 5"),
        ("0 7 5\n1 6 6\n2 3 3", "7 5\n6 6\n3 3", "0.0 7 5\n1.0 6 6\n2.0 3 3"),
        ("1 2\n3 4\n\n5 6", "1 2\n3 4\n5 6", "Q:\n1 2\n3 4\n\nK:\n5 6"),
    ],
)
def test_what_can_be_read_in_two_ways_is_read_as_the_refusal_says(text, removed, as_told):
    """All of its numbers, or those of the second matrix apart."""
    refusal_of(text)
    rows = [[float(cell) for cell in row.split()] for row in text.split("\n") if row]
    matrices = [found.array.tolist() for found in parse_matrices(as_told).values()]
    assert [row for matrix in matrices for row in matrix] == rows
    assert parse_matrix(removed).tolist() == [[*map(float, r.split())] for r in removed.split("\n")]
    assert len(matrices) == 1 + ("\n\n" in text)


@pytest.mark.parametrize(
    "call", ['2, 3, order="F"', '(2, 3), order="F"', '-1, 2, order="C"', "3, 2"]
)
def test_an_array_is_reshaped_in_the_order_that_the_code_says(call):
    wanted = eval(f"np.array([1, 2, 3, 4, 5, 6]).reshape({call})", {"np": np})
    read = parse_matrix(f"X = np.array([1, 2, 3, 4, 5, 6]).reshape({call})")
    np.testing.assert_array_equal(read, wanted)


@pytest.mark.parametrize("call", ['2, 3, order="A"', "2, 3, order=o", "2, 3, copy=False", "n, 3"])
def test_a_shape_that_is_not_written_out_is_refused(call):
    assert "would have to be computed" in refusal_of(f"np.array([1, 2, 3]).reshape({call})")


@pytest.mark.parametrize(
    "text",
    ["0,5;1,5", "1,2;\n3,4;", "1,234\t5,678", "1,234;1\n2;3", "12,345;1\n2;3", "123,456;1\n2;3",
     "1,5;2.5\n3;4", "1,2; 3 4", "1,5\t2,", "1,2,3\t4", "1,000,000\t1"],
)  # fmt: skip
def test_a_comma_of_two_meanings_is_refused(text):
    assert "has more than one meaning" in refusal_of(text)


@proves("""
    row 1 has {first} | the row below it has {row} | A row of the table has too many cells | The
    brackets are nested more than three deep | '{word}' in {place} is more than one number
""")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The input holds no numbers"),
        (" \r\n\t", "The input holds no numbers"),
        ("[]", "The input holds no numbers"),
        ("0,5 1,5", "The comma in '0,5' has more than one meaning"),
        ("0,5\n1,05", "The comma in '1,05' has more than one meaning"),
        ("1,2\n3,cat", "'cat' in row 2, column 2 is not a number"),
        ("1\t\t2", "Row 1, column 2 is empty"),
        ("1,,2", "Row 1, column 2 is empty"),
        ("1 -inf", "-inf in row 1, column 2 is not finite"),
        ("[[1, 2], [3, nan]]", "nan in row 2, column 2 is not finite"),
        ("[1 2; 3]", "Row 2 has 1 column; row 1 has 2"),
        ("1 2\n\n3", "Row 2 has 1 column; row 1 has 2"),
        ("1,float64(1)float64(2)", "'1,float64(1)float64…' would have to be computed"),
        ("sqrt(4)", "'sqrt(4)' would have to be computed"),
        ("[[1, 2], [3, sqrt(4)]]", "'sqrt(4)' in row 2, column 2 is not a number"),
        ("[[1, 2", "The brackets do not match; each [ needs one ]: add the ]"),
        ("[1, 2]]", "The brackets do not match; each [ needs one ]: remove the ]"),
        ("[[[[1]]], [[[2]]]]", "The brackets are nested more than three deep"),
        ("[" * 9_999 + "]" * 9_999, "The brackets are nested more than three deep"),
        ("[1, " + "[" * 9_000 + "]" * 9_000 + "]", "The brackets are nested more than three deep"),
        ("[" * 199_999, "The text has 99,999 pairs of brackets; the limit is 20,000"),
        ("[1 2]\n" * 257, "The text is not one list in brackets"),
        ("1\n" * 10_001, "The table has 10,001 lines; the limit is 10,000"),
        ("1 " * 501, "A row of the table has too many cells; the limit is 500"),
        ("[" + "1 " * 80_000, "The text has too many numbers and signs; the limit is 150,000"),
        ("a\n37,0", "The header of the table has 1 column; the row below it has 2"),
        ("[1, 2,, 3]", "'[1, 2,, 3]' would have to be computed"),
        ("2 * [1, 2]", "'* 2' after a list has two meanings"),
        ("[1, 2if 3]", "'[1, 2if 3]' would have to be computed"),
        ("[1 [2 3]]", "'1 [2 ,3]' in row 1, column 1 is more than one number"),
        (
            r"\begin{matrix} 1 & \begin{array}{c} 3 \end{array} \end{matrix}",
            r"'\begin{matrix}' would have to be computed",
        ),
        (str(np.zeros((40, 40))), "The text has '...' in place of numbers"),
        (repr(np.zeros((2, 2000))), "Row 1, column 4 has '...' in place of numbers"),
        ("[1 2 ... 3]", "The text has '...' in place of numbers"),
        ("[[1 2]\n ...\n [3 4]]", "The text has '...' in place of numbers"),
        ("0,1,2,3\n7,0,3,1\n5,5,2,2", "The first row (0, 1, 2, 3) can be read in two ways"),
        ("0 1\n7 0\n5 5", "The first row (0, 1) can be read in two ways"),
        ("0,7,5\n1,6,6\n2,3,3", "The first column (0, 1, 2) can be read in two ways"),
        ("1,0.1,0.2\n2,0.3,0.4", "The first column (1, 2) can be read in two ways"),
        ("1 2\n3 4\n\n5 6\n7 8", "A blank line between the rows can be read in two ways"),
        ("1,2\n\n5,6\n7,8", "A blank line between the rows can be read in two ways"),
        ("a b\n1 2\n3 4\n\n5 6\n7 8", "A blank line between the rows can be read in two ways"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(text, message):
    assert refusal_of(text).startswith(message)


def test_a_text_has_a_limit_and_a_lower_one_can_be_set():
    longest = "1".ljust(MAX_CHARACTERS)
    np.testing.assert_array_equal(parse_matrix(longest), [[1]])
    assert refusal_of(longest + " ").startswith("The text has 200,001 characters")
    assert parse_matrix("1 2\n3 4", limit=2).shape == (2, 2)
    assert "Row 1 has 3 columns; it may have 1 to 2" in refusal_of("1 2 3", limit=2)


LOOKS_LIKE_A_MATRIX = st.lists(
    st.sampled_from([*"[](){}0123456789.,;:=+-−eE \t\n\r'\"%#_∞", "...", "nan", "array(", "],\n["])
).map("".join)


@given(st.text() | LOOKS_LIKE_A_MATRIX)
def test_any_text_is_a_finite_matrix_or_a_refusal(text):
    for matrix in (support.read_or_refused(parse_matrix, text) or {}).values():
        assert max(matrix.shape[-2:]) <= MAX_SIDE
        assert matrix.ndim == 2 or len(matrix) <= MAX_MATRICES


UNITS = (
    ["9", "9.", "1,2;\n", "0,5\t", "[", "[]", "[1],", ",", ";", "\n", " ", "1...", ". ", "a", "a =",
     "array(", "array(1,a=", "tensor([1],", "float64(1)", "array(1,a= ", '"', "−", "|1|\n", "<td>",
     "<!--", "x<-", "/*", "\\begin{array}", "\\\\", "1/", "[1]'", "{1,2}\n", "Q:\n1\n", "1\\\n",
     "[1 2; 3 4];", "1if ", "9**", "-", "~", "not ", "()", "<![", "\t1", "the 1\n", "1.0e+03 *\n"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "opening"), paired(some(UNITS, 3), ["", "[[", "array(", "<td>", "Q = [[1 "])
)
def test_hostile_text_takes_linear_time(unit, opening):
    share = 1.0 if DEEP else 0.25
    length = int(MAX_CHARACTERS * share)
    text = (opening + unit * length)[: length - 1]
    started = time.process_time()
    for ending in ("]", "x"):
        with pytest.raises(InputError):
            parse_matrix(text + ending)
    # Of the whole length quadratic takes minutes, linear a fifth of a second.
    assert time.process_time() - started < 10 * share
