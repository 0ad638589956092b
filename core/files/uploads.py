"""Uploaded files to matrices: text, code, .json, .html, .npy, .npz, .safetensors and .pt.

Text is decoded and read by `core.files.text`, NumPy's own files by `core.files.npy`, those of
models by `core.files.tensors` and `core.pytorch.torch_files`.
"""

import json
import re
from base64 import b64decode
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np

from core.attention.given.model_names import attention_layers, chosen_names, our_name
from core.errors import check_most, input_error
from core.files import matrices
from core.files.dialects.scripts import code_of_notebook
from core.files.npy import are_tokens, read_npy, read_npz
from core.files.numerals import is_number, matrix_of_words, too_deep
from core.files.tensors import read_safetensors
from core.files.text import parse_matrices
from core.pytorch.torch_files import read_torch_file
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_FILE_BYTES = 2_000_000
_NUMBERS_OF_PAGE = re.compile(r'<script type="text/plain" id="numbers">([^<]*)</script>')
"""Where a page that the stage saves has its numbers: an .npz in base64."""


def read_matrix_file(
    name: str, data: bytes, wanted: Collection[str] | None = None, layer: str | None = None
) -> matrices.GivenArrays:
    """Return the matrices in a file by their names in it; "" if the file gives no names.

    float64, or bool if the file says so; a list is one row; at most `MAX_ARRAYS`. If it is said
    which names are `wanted`, only what `chosen_names` chooses is read: of a whole model the one
    layer of attention, or the named one.

    Raises `InputError` if the file is too large, damaged, not numbers, or not what its ending says,
    and if its names do not say which matrices are meant.
    """
    stored = _stored(name, data)
    is_asked = wanted is not None and _ending(name) not in _TEXT_KINDS
    chosen = chosen_names(stored, wanted or (), layer) if is_asked else tuple(stored)
    matrices.check_array_count(len(chosen))
    read: matrices.GivenArrays = {}
    total = 0
    for one in chosen:
        with matrices.in_array(one):
            array = stored[one]()
            total += array.nbytes
            check_most(TEXTS, "all_unpacked", "bytes", total, matrices.MAX_READ_BYTES)
        if is_asked or array.dtype.kind != "U":  # our own files have their tokens as text
            read[one] = array
    matrices.check_array_count(len(read))
    return read


def file_layers(name: str, data: bytes) -> tuple[str, ...]:
    """Return the layers of attention that a file has, by their paths in it."""
    return attention_layers(_stored(name, data))


def _stored(name: str, data: bytes) -> matrices.StoredArrays:
    """The arrays of a file, none of them read yet."""
    if _ending(name) not in _READERS:
        raise input_error(
            TEXTS, "wrong_kind", name=matrices.shorten(name), endings=", ".join(_READERS)
        )
    check_most(TEXTS, "large_file", "bytes", len(data), MAX_FILE_BYTES)
    return _READERS[_ending(name)](data)


def _ending(name: str) -> str:
    return name[name.rfind(".") :].lower()


def text_of_file(name: str, data: bytes) -> str | None:
    """Return the text of a file that is read as one, or the code of a notebook; None of others.

    Raises `InputError` as `read_matrix_file` does.
    """
    if _ending(name) not in _TEXT_KINDS:
        return None
    check_most(TEXTS, "large_file", "bytes", len(data), MAX_FILE_BYTES)
    text = _decoded(data)
    return code_of_notebook(text) if _ending(name) == _NOTEBOOK else text


def _read_page(data: bytes) -> matrices.StoredArrays:
    """What the run of a saved page started from, or the tables of any other page."""
    text = _decoded(data)
    found = _NUMBERS_OF_PAGE.search(text)
    if not found:
        return _named_arrays(text)
    try:
        return read_npz(b64decode(found[1], validate=True))
    except ValueError as error:
        raise input_error(TEXTS, "damaged") from error


def _named_arrays(text: str) -> matrices.StoredArrays:
    """The matrices of a text by their names."""
    parsed = parse_matrices(text)
    return {name: partial(np.asarray, one.array) for name, one in parsed.items()}


def _read_json(data: bytes) -> matrices.StoredArrays:
    """A nested list, or an object of them."""
    value = _json(_decoded(data))
    named = value if isinstance(value, dict) else {"": value}
    matrices.check_array_count(max(1, len(named)), matrices.MAX_STORED)
    return {
        name: partial(_json_array, nested, _is_token_list(name))
        for name, nested in named.items()
        if not name or _is_token_list(name) or not _is_list_of_texts(nested)
    }


_NOTEBOOK = ".ipynb"
_TEXT_KINDS = (".csv", ".tsv", ".txt", ".py", _NOTEBOOK)
_READERS: dict[str, Callable[[bytes], matrices.StoredArrays]] = {
    **dict.fromkeys(_TEXT_KINDS, lambda data: _named_arrays(_decoded(data))),
    _NOTEBOOK: lambda data: _named_arrays(code_of_notebook(_decoded(data))),
    ".json": _read_json,
    ".html": _read_page,
    ".npy": read_npy,
    ".npz": read_npz,
    ".safetensors": read_safetensors,
    ".pt": read_torch_file,
    ".pth": read_torch_file,
}
FILE_ENDINGS = tuple(ending[1:] for ending in _READERS)
"""The kinds of files that can be read."""


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise input_error(TEXTS, "not_utf8", at=f"{error.start + 1:,}") from error


def _json(text: str) -> Any:
    """The value of a JSON text; its numbers stay words, for their checks to quote."""
    try:
        return json.loads(
            text,
            parse_int=_Numeral,
            parse_float=_Numeral,
            parse_constant=_Numeral,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        raise input_error(TEXTS, "not_json", line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise too_deep() from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(pairs)
    if len(named) != len(pairs):
        raise matrices.same_name()
    return named


class _Numeral(str):
    """A number of JSON as it is spelled there."""


def _is_token_list(name: str) -> bool:
    return our_name(name) in ("tokens", "key_tokens")


def _is_list_of_texts(nested: Any) -> bool:
    """Whether a value of JSON is a list of strings, and some of them spell no number."""
    return (
        isinstance(nested, list)
        and all(isinstance(one, str) and not isinstance(one, _Numeral) for one in nested)
        and not all(map(is_number, nested))
    )


def _json_array(nested: Any, may_be_tokens: bool) -> np.ndarray:
    """The matrix of nested lists, or the text of a list of tokens."""
    if not (may_be_tokens and _is_list_of_texts(nested)):
        matrix = matrix_of_words(nested, numbers=matrices.NumberRange.OR_HIDDEN)
        leaves = np.array(nested, dtype=object).flat  # the lists are known to be regular
        return matrix.astype(bool) if all(isinstance(leaf, bool) for leaf in leaves) else matrix
    tokens = np.array(list(map(str, nested)))
    if not are_tokens(tokens.shape, tokens.dtype):
        matrices.check_real(tokens.dtype, TEXTS("this_array"))
    return tokens
