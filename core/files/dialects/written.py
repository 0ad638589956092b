"""A matrix as a text has it, before its words become numbers, and after."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from core.errors import InputError, input_error
from core.files.matrices import shorten
from core.texts import core_texts

TEXTS = core_texts("files")


@dataclass(frozen=True)
class Parsed:
    """A matrix or a stack of them (two or three axes), its name and the labels found beside it.

    "" and () where the text has none. Labels are those of the last two axes.
    """

    array: Float[np.ndarray, "..."] | Bool[np.ndarray, "..."]
    name: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


MatrixOperation = Callable[[Parsed], Parsed]
"""What stands after a matrix, or before: .T, / 10, .astype(float)."""


@dataclass(frozen=True)
class WrittenMatrix:
    """A matrix as nested lists of words, and what is to be done to it in turn."""

    words: Any
    name: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    operations: tuple[MatrixOperation, ...] = ()


@dataclass(frozen=True)
class Paste:
    """The matrices of a text, its lists of words by name, and what would have to be computed."""

    matrices: list[WrittenMatrix]
    computed: list[str] = field(default_factory=list)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def transposed(parsed: Parsed) -> Parsed:
    """Swap rows and columns; three axes are reversed, as NumPy's .T does."""
    if parsed.array.ndim == 3 and (parsed.rows or parsed.columns):
        return Parsed(parsed.array.T, parsed.name)
    return replace(parsed, array=parsed.array.T, rows=parsed.columns, columns=parsed.rows)


def swapped(parsed: Parsed) -> Parsed:
    """Swap the last two axes."""
    array = parsed.array.swapaxes(-1, -2) if parsed.array.ndim > 1 else parsed.array
    return replace(parsed, array=array, rows=parsed.columns, columns=parsed.rows)


def times(factor: float) -> MatrixOperation:
    return lambda parsed: replace(parsed, array=parsed.array * factor)


def divided(divisor: float) -> MatrixOperation:
    return lambda parsed: replace(parsed, array=parsed.array / divisor)


def reshaped(shape: tuple[int, ...], order: Any = "C") -> MatrixOperation:
    """Give an array another shape, as NumPy does; -1 is what is left."""

    def reshape(parsed: Parsed) -> Parsed:
        try:
            return Parsed(parsed.array.reshape(shape, order=order), parsed.name)
        except (ValueError, OverflowError) as error:
            count, axes = f"{parsed.array.size:,}", shorten(", ".join(map(str, shape)))
            raise input_error(TEXTS, "reshape", count=count, shape=axes) from error

    return reshape


def squeezed(parsed: Parsed) -> Parsed:
    return Parsed(parsed.array.squeeze(), parsed.name)


def as_integers(kind: str) -> MatrixOperation:
    """Return whole numbers of a NumPy type as they are; it raises `InputError` for any other."""
    range = np.iinfo(kind)

    def cast(parsed: Parsed) -> Parsed:
        array = parsed.array
        fits = np.isfinite(array) & (array >= range.min) & (array <= range.max)
        if not np.all(fits & (array == np.round(array))):
            raise input_error(TEXTS, "cast")
        return parsed

    return cast


def as_flags(parsed: Parsed) -> Parsed:
    """Return 0 and 1 as they are. Raises `InputError` if a cast would change a number."""
    if not np.isin(parsed.array, (0, 1)).all():
        raise input_error(TEXTS, "cast")
    return parsed


def rows_as_one(rows: Iterable[WrittenMatrix]) -> WrittenMatrix:
    """Return one matrix of several lists; their names are the labels of its rows."""
    rows = list(rows)
    names = tuple(row.name for row in rows)
    return WrittenMatrix([row.words for row in rows], rows=names if all(names) else ())


def is_list(written: WrittenMatrix) -> bool:
    """Return whether something written is one list of words."""
    words = written.words
    return (
        isinstance(words, list)
        and not written.operations
        and not any(isinstance(word, list) for word in words)
    )


def several_lists() -> InputError:
    return input_error(TEXTS, "several_lists")


def computed(code: str) -> InputError:
    """Return the error for code that would have to be run."""
    return input_error(TEXTS, "computed", code=shorten(code))


def without_comments(text: str, opening: str, closing: str) -> str:
    """A text without its comments, in one pass."""
    kept, at = [], 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(closing)
    return "".join([*kept, text[at:]])
