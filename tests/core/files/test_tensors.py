"""Files of safetensors: what the library writes is read, anything else is refused."""

import json
import tracemalloc
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save
from safetensors.torch import save as save_torch

from core.files.matrices import MAX_STORED
from core.files.tensors import MAX_TENSORS_HEADER
from core.files.uploads import MAX_FILE_BYTES, file_layers, read_matrix_file
from tests.core.files import support
from tests.sampling import DEEP

NAME = "weights.safetensors"
VALID = save({"W_Q": support.MATRIX, "mask": support.MASK, "W_K": np.eye(2, dtype="f2")})
DAMAGED = "The file is damaged, or not one of safetensors"


def file_of(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype: str, shape: list[int], size: int, start: int = 0) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, start + size]}


refusal_of = partial(support.file_refusal, NAME)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
)
def test_every_real_type_of_numpy_is_read(dtype: str) -> None:
    given = (np.arange(30).reshape(2, 3, 5) % 7 - (dtype[0] in "if") * 3).astype(dtype)
    wanted = given.astype(bool if dtype == "?" else np.float64)
    support.assert_reads_as(NAME, save({"a": given}), {"a": wanted})


def test_bfloat16_is_read_as_pytorch_reads_it() -> None:
    tensor = torch.randn(6, 5).bfloat16()
    support.assert_reads_as(NAME, save_torch({"W_Q": tensor}), {"W_Q": tensor.double().numpy()})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", DAMAGED),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), DAMAGED),
        (VALID[:-1], DAMAGED),
        (VALID + b"0", DAMAGED),
        (VALID[:40], DAMAGED),
        (bytes(8), DAMAGED),
        (b"\xff" * 8 + VALID, DAMAGED),
        (file_of(b"[" * 9_999), DAMAGED),
        (file_of(b'{"a":' * 9_999), DAMAGED),
        (file_of({"a": entry("F64", [2**40, 2**40], 0)}), DAMAGED),
        (file_of({"a": entry("F64", [2**20], 8)}, bytes(8)), DAMAGED),
        (file_of({"a": entry("F64", [1], 8), "b": entry("F64", [1], 8)}, bytes(8)), DAMAGED),
        (file_of({"a": entry("F99", [1], 8)}, bytes(8)), DAMAGED),
        (file_of({}), "The file holds 0 matrices"),
        (file_of({"a": entry("F64", [0, 2**63], 0)}), "'a': The array is 0 × 922337203685477…"),
        (save({"a": np.zeros(())}), "'a': The array is "),
        (save({"a": np.zeros((65, 1))}), "'a': The array is 65 × 1; it may be 1 × 1 to 16 ×"),
        (save({"a": np.zeros((1, 1, 1, 1))}), "'a': The array is 1 × 1 × 1 × 1"),
        (save({"a": np.array([[1, np.nan]])}), "'a': nan in the array, row 1, column 2 is not fin"),
        (save({"a": np.array([[1e7]])}), "'a': 1e+07 in the array, row 1, column 1 is too large"),
        (file_of({"a": entry("C64", [1], 8)}, bytes(8)), "'a': The array holds values of type C64"),
        (file_of({"a": entry("F8_E4M3", [1], 1)}, b"0"), "'a': The array holds values of type F8"),
        (file_of(b" " * MAX_TENSORS_HEADER + b"{}"), "The header of the file has 200,002 bytes"),
        (bytes(MAX_FILE_BYTES + 1), "The file has 2,000,001 bytes"),
        (
            save({f"a{n}": np.zeros((0,)) for n in range(MAX_STORED + 1)}),
            "The file holds 1,001 matrices; it may hold 1 to 1,000",
        ),
        (
            save({f"a{n}": support.MATRIX for n in range(257)}),
            "The file holds 257 matrices; it may",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(data: bytes, message: str) -> None:
    assert refusal_of(data).startswith(message)


def checkpoint(layers: int, E: int = 8) -> dict[str, np.ndarray]:
    """Names and shapes of GPT-2; embeddings are larger than any matrix here may be."""
    state: dict[str, np.ndarray] = {}
    state |= {"wte.weight": np.zeros((500, E)), "wpe.weight": np.zeros((100, E))}
    for n in range(layers):
        state |= {
            f"h.{n}.ln_1.weight": np.zeros(E),
            f"h.{n}.attn.bias": np.zeros((1, 1, 100, 100), dtype=bool),
            f"h.{n}.attn.c_attn.weight": np.full((E, 3 * E), n),
            f"h.{n}.attn.c_attn.bias": np.full(3 * E, n),
            f"h.{n}.attn.c_proj.weight": np.full((E, E), n),
            f"h.{n}.attn.c_proj.bias": np.full(E, n),
            f"h.{n}.mlp.c_proj.weight": np.zeros((4 * E, E)),
        }
    return state


def test_of_a_whole_model_one_layer_is_read() -> None:
    data = save(checkpoint(12))
    assert file_layers(NAME, data) == tuple(f"h.{n}.attn" for n in range(12))
    read = read_matrix_file(NAME, data, support.WANTED, "h.11.attn")
    kept = {f"c_{name}.{kind}" for name in ("attn", "proj") for kind in ("weight", "bias")}
    assert read.keys() == {f"h.11.attn.{name}" for name in kept}
    assert all((array == 11).all() for array in read.values())
    only = read_matrix_file(NAME, save(checkpoint(1)), support.WANTED)
    assert only.keys() == {f"h.0.attn.{name}" for name in kept}


def test_a_whole_model_says_which_layers_it_has() -> None:
    message = refusal_of(save(checkpoint(12)), wanted=support.WANTED)
    assert message.startswith("There are 12 layers of attention: h.0.attn, h.1.attn, h.2.attn")
    assert "choose one, or save only the arrays whose names begin with 'h.0.attn'" in message
    message = refusal_of(save({"wte.weight": np.zeros((500, 8))}), wanted=support.WANTED)
    assert message.startswith("The file holds wte.weight; these names do not say")


def test_three_projections_in_one_may_be_three_times_as_large() -> None:
    E = 64
    state = {"h.c_attn.weight": np.ones((E, 3 * E)), "h.c_attn.bias": np.ones(3 * E)}
    assert read_matrix_file(NAME, save(state), support.WANTED)["h.c_attn.weight"].shape == (64, 192)
    assert read_matrix_file(NAME, save({"in_proj_weight": np.ones((192, 64))}), support.WANTED)
    message = refusal_of(save({"in_proj_weight": np.ones((195, 64))}), wanted=support.WANTED)
    assert "'in_proj_weight': The array is 65 × 64" in message
    larger = save({"q_proj.weight": np.ones((195, 64))})
    assert "195 × 64" in refusal_of(larger, wanted=support.WANTED)


def assert_read_or_refused(data: bytes) -> None:
    for wanted in (None, support.WANTED):
        support.read_or_refused(read_matrix_file, NAME, data, wanted)


def test_hostile_files_are_read_or_refused_within_a_second() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5_000 if DEEP else 60):
        mutated = bytearray(VALID if rng.random() < 0.5 else save(checkpoint(2)))
        header = int.from_bytes(mutated[:8], "little")
        for _ in range(rng.integers(1, 6)):
            at = int(rng.integers(0, header + 8 if rng.random() < 0.8 else len(mutated)))
            mutated[at : at + int(rng.integers(0, 4))] = rng.bytes(int(rng.integers(0, 4)))
        assert_read_or_refused(bytes(mutated))


def test_every_truncation_is_refused() -> None:
    for length in range(len(VALID)):
        refusal_of(VALID[:length])


DIMENSIONS = st.one_of(st.integers(0, 70), st.sampled_from([2**31, 2**63, 2**64 - 1, -1, 2**70]))


@given(
    st.dictionaries(
        st.text(max_size=9),
        st.tuples(
            st.sampled_from(["F64", "F32", "F16", "BF16", "I64", "BOOL", "F4", "C64", "F8_E5M2"]),
            st.lists(DIMENSIONS, max_size=4),
            st.integers(-9, 99),
            st.integers(-9, 99),
        ),
        max_size=4,
    ),
    st.binary(max_size=99),
)
def test_any_header_is_read_or_refused(tensors: dict[str, Any], data: bytes) -> None:
    header = {
        name: {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
        for name, (dtype, shape, start, end) in tensors.items()
    }
    assert_read_or_refused(file_of(header, data))


def test_the_longest_header_is_read_in_no_time_and_little_memory() -> None:
    data = file_of({f"{n}": entry("F64", [0], 0) for n in range(2_900)})
    assert MAX_TENSORS_HEADER * 0.9 < len(data) < MAX_TENSORS_HEADER
    start = perf_counter()
    tracemalloc.start()
    assert refusal_of(data).startswith("The file holds 2,900 matrices")
    assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    tracemalloc.stop()
    assert perf_counter() - start < 1
