"""Words to numbers: nested lists of words, as text or JSON spells a matrix, become an array.

Every number that comes from text is made here, so every one is checked here, and a message says
where it stands: "'x' in matrix 2, row 1, column 3 is not a number".
"""

import re
from typing import Any

import numpy as np
from jaxtyping import Float

from core.errors import InputError, input_error
from core.files.matrices import (
    MAX_MATRICES,
    MAX_SIDE,
    InputPlace,
    NumberRange,
    count_text,
    refused_number,
    shorten,
    wrong_count,
)
from core.program.numbers.display import shape_text
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_DEPTH = 3
MAX_AXES = 8
"""Of an array with its batch axes."""

_PLAIN = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_NUMBER = re.compile(rf"{_PLAIN}(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_FRACTION = re.compile(rf"({_PLAIN}) ?/ ?({_PLAIN})", re.ASCII)
_PERCENTAGE = re.compile(rf"({_PLAIN}) ?%", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|∞|nan)", re.IGNORECASE)
_ANY = re.compile(
    rf"{_PLAIN}(?:e[+-]?\d+| ?%| ?/ ?{_PLAIN})?|{_NOT_FINITE.pattern}|true|false",
    re.ASCII | re.IGNORECASE,
)
_TRUTH = {"true": 1.0, "false": 0.0}


def is_number(word: str) -> bool:
    """Return whether a word spells a number, finite or not, or True or False."""
    return _ANY.fullmatch(word) is not None


def matrix_of_words(
    nested: Any, *, limit: int = MAX_SIDE, numbers: NumberRange = NumberRange.FINITE
) -> Float[np.ndarray, "..."]:
    """The matrix, or stack of them, that nested lists of words spell.

    Axes of length 1 before a stack's are a batch, and go. Raises `InputError` for a number that is
    out of the range of `numbers`.
    """
    nested = _without_batch(nested)
    depth = _depth(nested)
    if depth < MAX_DEPTH:
        return _matrix([nested] if depth == 1 else nested, 0, limit, numbers)
    _check_count(len(nested), -3, MAX_MATRICES, InputPlace())
    matrices = [_matrix(rows, m, limit, numbers) for m, rows in enumerate(nested, start=1)]
    for m, matrix in enumerate(matrices, start=1):
        if matrix.shape != matrices[0].shape:
            raise input_error(
                TEXTS, "unlike_first", place=InputPlace(m).text, shape=shape_text(matrix.shape),
                first=shape_text(matrices[0].shape),
            )  # fmt: skip
    return np.stack(matrices)


def too_deep() -> InputError:
    """Return the error for a list that is nested deeper than a stack of matrices."""
    return input_error(TEXTS, "too_deep")


def numbers_left_out(place: str) -> InputError:
    """Return the error for an ellipsis in place of numbers"""
    return input_error(TEXTS, "left_out", place=place)


def _without_batch(nested: Any) -> Any:
    """Nested lists without the outer ones of a single entry, down to a stack."""
    depth, inner = 0, nested
    while isinstance(inner, list) and inner:
        inner, depth = inner[0], depth + 1
    while MAX_DEPTH < depth <= MAX_AXES and len(nested) == 1:
        nested, depth = nested[0], depth - 1
    return nested


def _depth(nested: Any) -> int:
    """Return the number of lists around the first word: 1, 2 or 3."""
    depth = 0
    while isinstance(nested, list) and nested and depth <= MAX_DEPTH:
        nested, depth = nested[0], depth + 1
    if nested == []:
        raise input_error(TEXTS, "no_numbers")
    if depth == 0:
        raise input_error(TEXTS, "no_list")
    if depth > MAX_DEPTH:
        raise too_deep()
    return depth


def _matrix(
    rows: Any, which: int, limit: int, numbers: NumberRange
) -> Float[np.ndarray, "rows columns"]:
    """Return one matrix; `which` of a stack, counted from 1, or 0 if there is no stack."""
    _check_list(rows, InputPlace(which))
    _check_count(len(rows), -2, limit, InputPlace(which))
    values = []
    for i, row in enumerate(rows, start=1):
        here = InputPlace(which, i)
        _check_list(row, here)
        _check_count(len(row), -1, limit, here)
        if len(row) != len(rows[0]):
            raise input_error(
                TEXTS, "ragged", place=here.text, columns=count_text(len(row), -1),
                first=len(rows[0]),
            )  # fmt: skip
        places = (InputPlace(which, i, j) for j in range(1, len(row) + 1))
        values.append([_number(word, at, numbers) for word, at in zip(row, places, strict=True)])
    return np.array(values, dtype=np.float64)


def _check_list(value: Any, place: InputPlace) -> None:
    if not isinstance(value, list):
        raise input_error(TEXTS, "unlisted", place=place.text)


def _check_count(count: int, axis: int, limit: int, place: InputPlace) -> None:
    if not 1 <= count <= limit:
        whole = TEXTS("the_input" if axis == -3 else "the_matrix")
        raise wrong_count(count, axis, limit, place.text or whole)


def _number(word: Any, place: InputPlace, numbers: NumberRange) -> float:
    """Return the number of a word: the only place where a word becomes a number."""
    word = str(word) if isinstance(word, bool) else word
    if not isinstance(word, str):
        raise input_error(TEXTS, "no_word", place=place.text)
    word = word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word
    if word.lower() in _TRUTH:
        return _TRUTH[word.lower()]
    is_finite = not _NOT_FINITE.fullmatch(word)
    value = _value(word, place) if is_finite else float(word.replace("∞", "inf"))
    if not numbers.holds(value):
        raise refused_number(word, place.text, finite=is_finite)
    return value


def _value(word: str, place: InputPlace) -> float:
    """The value of 0.5, 1/2 or 50%, rounded once."""
    if _NUMBER.fullmatch(word):
        return float(word)
    if percentage := _PERCENTAGE.fullmatch(word):
        return float(f"{percentage[1]}e-2")
    if (fraction := _FRACTION.fullmatch(word)) and float(fraction[2]):
        return float(fraction[1]) / float(fraction[2])
    raise _not_a_number(word, place)


def _not_a_number(word: str, place: InputPlace) -> InputError:
    if not word:
        return input_error(TEXTS, "empty_cell", place=place.text)
    if word in ("...", "…"):
        return numbers_left_out(place.text)
    id = "two_numbers" if len(word.split()) > 1 else "not_number"
    return input_error(TEXTS, id, word=shorten(word), place=place.text)
