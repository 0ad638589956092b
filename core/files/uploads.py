"""Uploaded files to matrices: .csv, .tsv, .txt, .json, .py, .ipynb, .npy and .npz.

Text is decoded and read by `core.files.text`, NumPy's own files by `core.files.npy`.
"""

import json
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from core.errors import input_error
from core.files.dialects.scripts import code_of_notebook
from core.files.matrices import (
    GivenArrays,
    NumberRange,
    check_array_count,
    in_array,
    same_name,
    shorten,
)
from core.files.npy import read_npy, read_npz
from core.files.numerals import matrix_of_words, too_deep
from core.files.text import parse_matrices
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_FILE_BYTES = 2_000_000


def read_matrix_file(name: str, data: bytes, wanted: Collection[str] | None = None) -> GivenArrays:
    """Return the matrices in a file by their names in it; "" if the file gives no names.

    If an .npz holds any of the `wanted` names, only those are read.

    float64, or bool if the file says so; a list is one row; at most `MAX_ARRAYS`. Raises
    `InputError` if the file is too large, damaged, not numbers, or not what its ending says.
    """
    ending = name[name.rfind(".") :].lower()
    if ending not in _READERS:
        raise input_error(TEXTS, "wrong_kind", name=shorten(name), endings=", ".join(_READERS))
    if len(data) > MAX_FILE_BYTES:
        size, most = f"{len(data):,}", f"{MAX_FILE_BYTES:,}"
        raise input_error(TEXTS, "large_file", bytes=size, most=most)
    if ending == ".npz" and wanted is not None and (named := read_npz(data, wanted)):
        return named
    return _READERS[ending](data)


def _read_text(data: bytes) -> GivenArrays:
    """The matrices of a text by their names."""
    return _named_arrays(_decoded(data))


def _named_arrays(text: str) -> GivenArrays:
    return {name: parsed.array for name, parsed in parse_matrices(text).items()}


def _read_notebook(data: bytes) -> GivenArrays:
    """The matrices that the code of a Jupyter notebook writes out."""
    return _named_arrays(code_of_notebook(_decoded(data)))


def _read_json(data: bytes) -> GivenArrays:
    """A nested list, or an object of them."""
    value = _json(_decoded(data))
    named = value if isinstance(value, dict) else {"": value}
    check_array_count(len(named))
    arrays = {}
    for name, nested in named.items():
        with in_array(name):
            arrays[name] = _json_matrix(nested)
    return arrays


_READERS: dict[str, Callable[[bytes], GivenArrays]] = {
    ".csv": _read_text, ".tsv": _read_text, ".txt": _read_text, ".py": _read_text,
    ".ipynb": _read_notebook,
    ".json": _read_json, ".npy": read_npy, ".npz": read_npz,
}  # fmt: skip


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise input_error(TEXTS, "not_utf8", at=f"{error.start + 1:,}") from error


def _json(text: str) -> Any:
    """The value of a JSON text; its numbers stay words, for their checks to quote."""
    try:
        return json.loads(
            text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_unique
        )
    except json.JSONDecodeError as error:
        raise input_error(TEXTS, "not_json", line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise too_deep() from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(pairs)
    if len(named) != len(pairs):
        raise same_name()
    return named


def _json_matrix(nested: Any) -> np.ndarray:
    matrix = matrix_of_words(nested, numbers=NumberRange.OR_HIDDEN)
    leaves = np.array(nested, dtype=object).flat  # the lists are known to be regular
    return matrix.astype(bool) if all(isinstance(leaf, bool) for leaf in leaves) else matrix
