import struct
import tracemalloc
import warnings
import zipfile
import zlib
from io import BytesIO

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.files.uploads import MAX_FILE_BYTES, read_matrix_file
from tests.core.files import support
from tests.core.files.support import MATRIX, STACK, assert_reads_as, file_refusal, saved

LARGE = np.arange(4096.0).reshape(64, 64)
MEGABYTE = 2**20
DAMAGED = "The file is damaged, or not of the kind its name says"


def npy(array, **options):
    return saved(np.lib.format.write_array, np.asanyarray(array), **options)


def npz(**named):
    return saved(np.savez, **named)


def archive(members, compression=zipfile.ZIP_DEFLATED):
    stream = BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", compression) as written:
        warnings.simplefilter("ignore")  # of names given twice
        for name, content in members:
            written.writestr(name, content)
    return stream.getvalue()


def npy_with_header(header, content=b"", version=(1, 0)):
    length = struct.pack("<H" if version == (1, 0) else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + length + header.encode("latin-1") + content


def described(descr, shape, fortran=False):
    return f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


@pytest.mark.parametrize("dtype", ["?", "i1", "<u2", ">i4", "u8", "f2", ">f4", ">f8", "g"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_an_npy_of_any_real_type_order_and_version_is_read(dtype, order, version):
    given = np.asarray(np.arange(30).reshape(2, 3, 5) % 7 > 2, dtype=dtype, order=order)
    wanted = given.astype(bool if dtype == "?" else np.float64)
    assert_reads_as("W.npy", npy(given, version=version), {"": wanted})


def test_a_damaged_mask_holds_nothing_but_true_and_false():
    data = npy_with_header(described("|b1", (1, 3)), b"\x00\x01\xff")
    mask = read_matrix_file("mask.npy", data)[""]
    np.testing.assert_array_equal(mask.view(np.uint8), [[0, 1, 1]])


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("W.npy", b"\x89PNG\r\n\x1a\n" + bytes(99), DAMAGED),
        ("W.npy", b"", DAMAGED),
        ("W.npy", npz(W=MATRIX), DAMAGED),
        ("W.npy", npy(MATRIX)[:-1], "The array has less data than its shape says"),
        ("W.npy", npy(MATRIX)[:50], DAMAGED),
        ("W.npy", npy(MATRIX) + b"0", "The array has more data than its shape says"),
        ("W.npy", npy([["a"]]), "The array holds values of type <U1; it must hold real numbers"),
        ("W.npy", npy([[1j]]), "The array holds values of type complex128"),
        ("W.npy", npy(np.zeros(3, "f4,f8")), "The array holds values of type"),
        ("W.npy", npy([[np.nan]]), "nan in the array, row 1, column 1 is not finite"),
        ("W.npy", npy(STACK * 1e99), "1e+99 in the array, matrix 1, row 1, column 2 is too large"),
        ("W.npy", npy(np.zeros((65, 3))), "The array is 65 × 3; it may be 1 × 1 to 16 × 64 × 64"),
        ("W.npy", npy(np.zeros((17, 1, 1))), "The array is 17 × 1 × 1; it may be"),
        ("W.npy", npy(np.zeros((1, 1, 1, 1))), "The array is 1 × 1 × 1 × 1; it may be"),
        ("W.npy", npy(np.zeros((0, 3))), "The array is 0 × 3; it may be"),
        ("W.npy", npy(7.0), "The array is a single number; it may be"),
        ("W.npy", npy_with_header(described("<f8", (-1, 3))), "The array is -1 × 3"),
        ("W.npy", npy_with_header(described("<f8", (10**9, 10**9))), "The array is 1000000000 ×"),
        ("W.npy", npy_with_header(described("<f8", (1, 1)), bytes(8), (3, 0)), DAMAGED),
        ("W.npy", npy_with_header("-" * 9000 + "1"), DAMAGED),
        ("W.npz", b"\x89PNG\r\n\x1a\n" + bytes(99), DAMAGED),
        ("W.npz", npy(MATRIX), DAMAGED),
        ("W.npz", npz(W=MATRIX)[:-9], DAMAGED),
        ("W.npy", npy_with_header(" " * 1000 + described("<f8", (1, 1)), bytes(8)), DAMAGED),
        ("W.npz", npz(W=MATRIX).replace(MATRIX.tobytes(), STACK[0].tobytes()), f"'W': {DAMAGED}"),
        ("W.npz", npz(W=LARGE).replace(LARGE[63].tobytes(), bytes(512)), f"'W': {DAMAGED}"),
        ("W.npz", archive([("W.npy", npy(MATRIX) + bytes(2_000_000))]), "'W': The array would"),
        ("W.npz", archive([]), "The file holds 0 matrices; it may hold 1 to 256"),
        ("W.npz", archive([("a.txt", b"1 2")]), "'a.txt': This part of the file is not an array"),
        ("W.npz", archive([("Q.npy", b"junk")]), f"'Q': {DAMAGED}"),
        ("W.npz", archive([("Q.npy", npy(MATRIX))] * 2), "'Q': The file has two matrices of one"),
        ("W.npz", npz(Q=np.zeros((65, 3))), "'Q': The array is 65 × 3"),
    ],
)
def test_a_refusal_says_what_is_wrong(name, data, message):
    assert file_refusal(name, data).startswith(message)


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_that_cannot_be_unpacked_piecemeal_is_refused(compression):
    data = archive([("Q.npy", npy(MATRIX))], compression)
    assert "compressed in a way NumPy does not use" in file_refusal("W.npz", data)


class Dangerous:
    def __reduce__(self):
        return pytest.fail, ("the file's code was run",)


def test_pickles_are_refused_unread_with_the_reason():
    objects = np.array([[Dangerous()]], dtype=object)
    for name, data in {"W.npy": npy(objects), "W.npz": npz(W=objects)}.items():
        assert "because reading them can run hidden code" in file_refusal(name, data)
    assert file_refusal("W.npy", objects.dumps()).startswith(DAMAGED)


def peak_memory(read, *arguments):
    tracemalloc.start()
    try:
        read(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bomb(header_shape, unpacked, declared=None):
    """An .npz of zeros that unpacks to so many bytes, whatever its header and directory say."""
    content = npy_with_header(described("<f8", header_shape), bytes(unpacked))
    data = bytearray(archive([("W.npy", content)]))
    if declared is not None:
        for signature, crc_at in ((b"PK\x03\x04", 14), (b"PK\x01\x02", 16)):
            at = data.rfind(signature) + crc_at
            struct.pack_into("<I", data, at, zlib.crc32(content[:declared]))
            struct.pack_into("<I", data, at + 8, declared)
    return bytes(data)


HUGE = 64 * MEGABYTE


def test_all_arrays_of_an_archive_together_have_a_limit():
    largest = npy(np.zeros((16, 64, 64), np.longdouble))
    data = archive([(f"{n}.npy", largest) for n in range(33)])
    assert len(data) < MEGABYTE
    assert "The arrays would unpack to" in file_refusal("W.npz", data)


def test_text_in_an_archive_is_left_out_and_alone_is_no_matrix():
    words = np.array(["the", "cat"])
    assert_reads_as("W.npz", npz(tokens=words, W=MATRIX), {"W": MATRIX})
    assert file_refusal("W.npz", npz(tokens=words)).startswith("The file holds 0 matrices")


@pytest.mark.parametrize("declared", [None, 300])
@pytest.mark.parametrize("shape", [(HUGE // 8, 1), (3, 5)])
def test_a_decompression_bomb_is_refused_without_using_memory(shape, declared):
    data = bomb(shape, HUGE, declared)
    assert len(data) < MEGABYTE
    assert peak_memory(file_refusal, "W.npz", data) < MEGABYTE


def test_an_archive_is_not_unpacked_beyond_what_its_directory_says():
    header = npy_with_header(described("<f8", (3, 5)))
    data = bomb((3, 5), HUGE, declared=len(header) + 120)
    assert peak_memory(assert_reads_as, "W.npz", data, {"W": np.zeros((3, 5))}) < MEGABYTE


def test_a_shape_of_many_axes_is_named_in_short():
    said = file_refusal("W.npy", npy_with_header(described("<f8", (1,) * 200), bytes(8)))
    assert "1 × 1 ×" in said
    assert len(said) < 300


def test_an_archive_of_very_many_members_is_refused_without_using_memory():
    data = archive([(f"{n}.npy", b"") for n in range(15_000)], zipfile.ZIP_STORED)
    assert len(data) < MAX_FILE_BYTES
    assert peak_memory(file_refusal, "W.npz", data) < MEGABYTE


@given(st.text(max_size=200), st.binary(max_size=40), st.sampled_from([(1, 0), (2, 0), (3, 0)]))
@example("{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L), }", bytes(16), (1, 0))
@example("{'descr': '<f8', 'fortran_order': False, 'shape': (True, 2), }", bytes(16), (1, 0))
@example("{'descr': '(3,)<f8', 'fortran_order': False, 'shape': (1,), }", bytes(24), (1, 0))
@example("{'descr': '<f8', 'fortran_order': 7, 'shape': (1, 2), }", bytes(16), (1, 0))
@example("(" * 190, b"", (1, 0))
def test_any_npy_header_is_read_or_refused(header, content, version):
    encodable = header.encode("latin-1", "replace").decode("latin-1")
    support.read_or_refused(read_matrix_file, "W.npy", npy_with_header(encodable, content, version))
