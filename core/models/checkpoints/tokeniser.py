"""A checkpoint's own tokeniser: a text as numbers of its vocabulary, and how it writes each."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.errors import input_error
from core.limits import LONGEST_TOKEN, MAX_TEXT
from core.models.checkpoints.config import read_json_object
from core.models.checkpoints.tokeniser_parts import TOKENIZER, check_tokeniser
from core.models.token_text import label_text, text_of_bytes
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

MOST_TOKENIZER_BYTES = 24_000_000
SPACE_SIGN = "▁"
_PANIC = "PanicException"
_DIGITS: Mapping[str, bool] = MappingProxyType({"gpt-2": False, "default": False, "smollm": True})
"""Whether numbers are split into digits, by the name that a GGUF file has for its rule."""


@dataclass(frozen=True)
class Encoded:
    """A text as a model reads it: numbers in its vocabulary, and the tokens as it writes them.

    `labels` are the tokens as matrices name them: with what was typed, and without the signs that
    the tokeniser puts in for a space or for the rest of a word.
    """

    ids: list[int]
    tokens: list[str]
    labels: list[str]


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser of the library `tokenizers`, and what a file puts before every text."""

    library: Any
    before: tuple[int, ...] = ()

    def encode(self, text: str) -> Encoded:
        """Return the tokens of a text, special ones too. Raises `InputError` for a long one."""
        if len(text) > MAX_TEXT:
            raise input_error(TEXTS, "long_prompt", count=f"{len(text):,}", most=f"{MAX_TEXT:,}")
        with _damage_said(TOKENIZER):
            encoded = self.library.encode(text)
        ids = [*self.before, *encoded.ids]
        pieces = ["" for _ in self.before] + [text[start:end] for start, end in encoded.offsets]
        labels = [self._label(id, piece) for id, piece in zip(ids, pieces, strict=True)]
        return Encoded(ids, [self.token(id) for id in ids], labels)

    @property
    def mask_id(self) -> int | None:
        """The number of the token that stands for a hidden one in BERT; None if there is none."""
        found: int | None = self.library.token_to_id("[MASK]")
        return found

    @cached_property
    def is_byte_level(self) -> bool:
        """Whether a token stands for bytes of the text, each written as one character."""
        return "ByteLevel" in repr(self.library.decoder)

    @cached_property
    def has_space_sign(self) -> bool:
        """Whether ▁ stands for a space in a token."""
        return SPACE_SIGN in repr(self.library.decoder)

    def readable(self, token: int | str) -> str:
        """Return a token, given as written or by its number, as the text that it stands for.

        WordPiece's ## stays: it says that the token goes on with a word.
        """
        written = self.token(token) if isinstance(token, int) else token
        if self.is_byte_level:
            return text_of_bytes(written)
        return written.replace(SPACE_SIGN, " ") if self.has_space_sign else written

    def token(self, id: int) -> str:
        """Return a token as the tokeniser writes it, cut if it is very long; "" for no token."""
        found: str = self.library.id_to_token(id) or ""
        return found[:LONGEST_TOKEN]

    def _label(self, id: int, piece: str) -> str:
        """The label of a token. It is the typed `piece` that says whether somebody typed a ▁."""
        if self.has_space_sign and SPACE_SIGN in piece:
            return label_text(piece)
        joins = getattr(self.library.model, "continuing_subword_prefix", None) or ""
        return label_text(self.readable(id).removeprefix(joins))


def tokeniser_of_folder(folder: Path) -> Tokeniser | None:
    """Return the tokeniser of a folder; None if there is none. Raises `InputError`."""
    path = folder / TOKENIZER
    if not os.path.isfile(path):
        return None
    said = read_json_object(path, MOST_TOKENIZER_BYTES)
    check_tokeniser(said)
    library = _library()
    with _damage_said(TOKENIZER):
        found = library.Tokenizer.from_str(json.dumps(said))
        found.no_padding()
        found.no_truncation()
    return Tokeniser(found)


def tokeniser_of_gguf(settings: Mapping[str, Any]) -> Tokeniser | None:
    """Return the byte-level BPE of a GGUF file; None if the file has another kind of tokeniser."""
    kind, rule = (settings.get(f"tokenizer.ggml.{name}") for name in ("model", "pre"))
    tokens, merges = (settings.get(f"tokenizer.ggml.{name}") for name in ("tokens", "merges"))
    rule = "default" if rule is None else rule
    if kind != "gpt2" or rule not in _DIGITS or not (tokens and merges):
        return None
    library = _library()
    with _damage_said("tokenizer.ggml"):
        pairs = [tuple(str(merge).split(" ")) for merge in merges]
        vocabulary = {str(token): n for n, token in enumerate(tokens)}
        found = library.Tokenizer(library.models.BPE(vocabulary, pairs))
    split = library.pre_tokenizers
    by_bytes = split.ByteLevel(add_prefix_space=False, use_regex=True)
    by_digits = [split.Digits(individual_digits=True)] if _DIGITS[rule] else []
    found.pre_tokenizer = split.Sequence([*by_digits, by_bytes])
    found.decoder = library.decoders.ByteLevel()
    first = settings.get("tokenizer.ggml.bos_token_id")
    is_put_first = settings.get("tokenizer.ggml.add_bos_token") is True and isinstance(first, int)
    return Tokeniser(found, (first,) if is_put_first and isinstance(first, int) else ())


@contextmanager
def _damage_said(file: str) -> Iterator[None]:
    """Turn what the library raises into an `InputError`: it does not say all that may be.

    Its panics are no `Exception`, and are told by their name, because the class cannot be imported.
    """
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == _PANIC:
            raise input_error(TEXTS, "damaged", file=file) from error
        raise


def _library() -> Any:
    """The library. Raises `InputError` if it is not installed."""
    if find_spec("tokenizers") is None:
        raise input_error(TEXTS, "no_tokenizers")
    import_module("tokenizers.models")
    import_module("tokenizers.pre_tokenizers")
    import_module("tokenizers.decoders")
    return import_module("tokenizers")
