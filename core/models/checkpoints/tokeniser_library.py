"""The library `tokenizers`, which is optional, and its errors as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from core.errors import input_error
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

_PARTS = ("decoders", "models", "normalizers", "pre_tokenizers")
_PANIC = "PanicException"


def tokeniser_library() -> Any:
    """Return the library with its parts. Raises `InputError` if it is not installed."""
    if find_spec("tokenizers") is None:
        raise input_error(TEXTS, "no_tokenizers")
    for part in _PARTS:
        import_module(f"tokenizers.{part}")
    return import_module("tokenizers")


@contextmanager
def library_errors(file: str) -> Iterator[None]:
    """Turn what the library raises into an `InputError`: it does not say all that may be.

    Its panics are no `Exception`, and are known by their name, because the class cannot be
    imported.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == _PANIC:
            raise input_error(TEXTS, "damaged", file=file) from error
        raise
