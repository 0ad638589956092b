import json
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save

from core.errors import InputError
from core.files.matrices import MAX_ARRAYS
from core.files.uploads import FILE_ENDINGS, MAX_FILE_BYTES, read_matrix_file
from core.limits import LARGEST
from tests.core.files import support
from tests.core.files.support import MASK, MATRIX, WANTED, assert_reads_as, file_refusal, saved

NUMBERS = st.floats(-LARGEST, LARGEST)
VALID = {
    "csv": b"1,2.5\n3,4",
    "tsv": b"1\t2.5\n3\t4",
    "txt": b"[[1. 2.5]\n [3. 4.]]",
    "json": b'{"W": [[1, 2.5], [3, 4]], "mask": [[true, false]]}',
    "py": b"import numpy as np\nW = np.array([[1, 2.5], [3, 4]])\nW @ W",
    "ipynb": b'{"cells": [{"cell_type": "code", "source": ["W = [[1, 2.5]]\\n", "W"]}]}',
    "npy": saved(np.save, MATRIX),
    "npz": saved(np.savez_compressed, W=MATRIX, mask=MASK),
}


PLAIN, HIDDEN = np.array([[1, 2.5], [3, 4]]), np.array([[0, -np.inf], [0, 0]])


@pytest.mark.parametrize(
    ("name", "data", "array"),
    [
        ("W.CSV", b"\xef\xbb\xbf1,2.5\r\n3,4\r\n", PLAIN),
        ("my.best W.tsv", b"1\t2.5\n3\t4\n", PLAIN),
        ("W.txt", b"1 2.5\n3 4\n", PLAIN),
        ("W.txt", repr(PLAIN).encode(), PLAIN),
        ("W.json", b"\xef\xbb\xbf[[1,\r\n2.5], [3, 4e0]]", PLAIN),
        ("W.csv", b"0,-inf\n0,0", HIDDEN),
        ("W.txt", b"[[0, -inf], [0, 0]]", HIDDEN),
        ("W.json", b"[[0, -Infinity], [0, 0]]", HIDDEN),
        ("W.npy", saved(np.save, HIDDEN), HIDDEN),
        ("W.json", b"[[true, 0.5]]", np.array([[1, 0.5]])),
        ("W.npy", saved(np.save, [1.0, 2, 3]), np.array([[1.0, 2, 3]])),
        ("W.json", b"[1, 2, 3]", np.array([[1.0, 2, 3]])),
    ],
)
def test_the_only_matrix_of_a_file_has_no_name(name, data, array):
    assert_reads_as(name, data, {"": array})


WITH_NAMES = {
    "a.npz": lambda named: saved(np.savez, **named),
    "packed.npz": lambda named: saved(np.savez_compressed, **named),
    "a.json": lambda named: json.dumps({n: a.tolist() for n, a in named.items()}).encode(),
    "a.safetensors": save,
}


@pytest.mark.parametrize("name", WITH_NAMES)
def test_arrays_keep_their_names_and_masks_stay_bool(name):
    named = {"W_Q": support.STACK, "X": MATRIX, "mask": MASK}
    assert_reads_as(name, WITH_NAMES[name](named), named)


@given(arrays(np.float64, (3, 5), elements=NUMBERS))
def test_every_kind_of_file_gives_back_exactly_the_same_floats(matrix):
    rows = matrix.tolist()
    for name, data in {
        "W.csv": "\n".join(",".join(map(repr, row)) for row in rows).encode(),
        "W.tsv": "\n".join("\t".join(map(repr, row)) for row in rows).encode(),
        "W.txt": str(rows).encode(),
        "W.json": json.dumps(rows).encode(),
        "W.npy": saved(np.save, matrix),
    }.items():
        assert_reads_as(name, data, {"": matrix})
    assert_reads_as("W.npz", saved(np.savez, W=matrix), {"W": matrix})


def test_a_text_with_one_matrix_and_a_file_of_vectors_say_their_names():
    assert_reads_as("a.txt", b"W_Q = [[1, 2]]", {"W_Q": np.array([[1.0, 2]])})
    assert_reads_as("W.safetensors", save({"b": np.arange(3.0)}), {"b": np.array([[0.0, 1, 2]])})


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("W.png", b"", "'W.png' is of another kind; files must end in .csv"),
        ("csv", b"1", "'csv' is of another kind"),
        ("W.npy", b"0" * (MAX_FILE_BYTES + 1), "The file has 2,000,001 bytes"),
        ("W.csv", b"1,2\n3", "Row 2 has 1 column; row 1 has 2"),
        ("W.csv", "1\t2".encode("utf-16"), "Byte 1 of the file is not UTF-8"),
        ("W.json", b"[[1, NaN]]", "NaN in row 1, column 2 is not finite"),
        ("W.json", b'{"Q": [[1, Infinity]]}', "'Q': Infinity in row 1, column 2 is not finite"),
        ("W.json", b"[[1], [1e308]]", "1e308 in row 2, column 1 is too large"),
        ("W.json", b"[[1], [2 3]]", "Line 1, column 10 of the file is not JSON"),
        ("W.json", b"7", "The input is not a list; a matrix is"),
        ("W.json", b'{"Q": {"W": [[1]]}}', "'Q': The input is not a list; a matrix is"),
        ("W.json", b'{"Q": [[null]]}', "'Q': Row 1, column 1 is not a number"),
        ("W.json", b'{"Q": [[1]], "Q": [[2]]}', "The file has two matrices of one name"),
        ("W.json", b"{}", "The file holds 0 matrices"),
        ("W.json", b"[" * 10**6, "The brackets are nested more than three deep"),
        ("W.json", b'{"a":' * 10**5, "The brackets are nested more than three deep"),
        ("W.json", b"[" * 900 + b"]" * 900, "The brackets are nested more than three deep"),
    ],
)
def test_a_refusal_says_what_is_wrong(name, data, message):
    assert file_refusal(name, data).startswith(message)


def test_more_arrays_than_the_limit_are_refused():
    named = {f"W{n}": np.ones((1, 1)) for n in range(MAX_ARRAYS + 1)}
    message = "The file holds 257 matrices; it may hold 1 to 256: choose a file with fewer"
    assert file_refusal("W.npz", saved(np.savez, **named)) == message
    assert file_refusal("W.json", json.dumps({name: [[1]] for name in named}).encode()) == message
    del named["W0"]
    assert len(read_matrix_file("W.npz", saved(np.savez, **named))) == MAX_ARRAYS


assert_ends = partial(support.read_or_refused, read_matrix_file)


@pytest.mark.parametrize("ending", VALID)
@given(data=st.binary())
@example(data=b"")
@example(data=b"\x93NUMPY")
@example(data=b"PK\x05\x06" + bytes(18))
def test_any_bytes_are_read_or_refused(ending, data):
    assert_ends(f"W.{ending}", data)


@given(name=st.text(), data=st.binary())
def test_any_name_is_read_or_refused(name, data):
    assert_ends(name, data)


@pytest.mark.parametrize("ending", VALID)
def test_a_file_named_for_another_kind_is_read_or_refused(ending):
    for data in VALID.values():
        assert_ends(f"W.{ending}", data)


@pytest.mark.parametrize("ending", VALID)
@given(data=st.data())
def test_a_mutated_file_is_read_or_refused(ending, data):
    mutated = bytearray(VALID[ending])
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(mutated)))
        end = start + data.draw(st.integers(0, 3))
        mutated[start:end] = data.draw(st.binary(max_size=3))
    assert_ends(f"W.{ending}", bytes(mutated))


@pytest.mark.parametrize("ending", VALID)
def test_a_file_cut_short_anywhere_is_read_or_refused(ending):
    for length in range(len(VALID[ending])):
        assert_ends(f"W.{ending}", VALID[ending][:length])


@pytest.mark.parametrize("name", WITH_NAMES)
def test_names_in_a_file_say_what_is_read(name):
    named, save = {"w_q": MATRIX, "Q": MATRIX}, WITH_NAMES[name]
    assert set(read_matrix_file(name, save(named), WANTED)) == {"w_q"}
    assert set(read_matrix_file(name, save({"Q": MATRIX, "K": MATRIX}), WANTED)) == {"Q", "K"}
    assert set(read_matrix_file(name, save(named))) == {"w_q", "Q"}
    for strange in ({"foo": MATRIX}, {"W_Q": MATRIX, "foo": MATRIX}):
        with pytest.raises(InputError, match="The file holds foo; these names do not say which"):
            read_matrix_file(name, save(strange), WANTED)


def test_more_arrays_than_are_read_are_no_error_if_names_say_which_are_meant():
    named = {f"encoder.{n}.norm.weight": np.ones(3) for n in range(MAX_ARRAYS + 1)}
    named["encoder.0.q_proj.weight"] = MATRIX
    read = read_matrix_file("a.npz", saved(np.savez, **named), WANTED)
    assert set(read) == {"encoder.0.q_proj.weight"}


def test_an_array_that_numpy_saved_without_a_name_has_none():
    assert set(read_matrix_file("a.npz", saved(np.savez, MATRIX), WANTED)) == {""}
    with pytest.raises(InputError, match="The file holds arr_0 and arr_1; these names"):
        read_matrix_file("a.npz", saved(np.savez, MATRIX, MATRIX), WANTED)


def test_every_kind_of_file_is_named():
    assert {"safetensors", "pt", "pth", "html", *VALID} == set(FILE_ENDINGS)


def test_the_tokens_of_a_json_file_are_text_and_other_lists_of_words_are_left_out():
    named = {"X": [[1, 2], [3, 4]], "tokens": ["a", "1"], "authors": ["b"]}
    read = read_matrix_file("a.json", json.dumps(named).encode(), (*WANTED, "tokens"))
    assert set(read) == {"X", "tokens"}
    np.testing.assert_array_equal(read["tokens"], np.array(["a", "1"]), strict=True)
    assert set(read_matrix_file("a.json", json.dumps(named).encode())) == {"X"}
    long = json.dumps({"tokens": ["a" * 10_000]}).encode()
    with pytest.raises(InputError, match="'tokens': The array holds values of type <U10000"):
        read_matrix_file("a.json", long, (*WANTED, "tokens"))
