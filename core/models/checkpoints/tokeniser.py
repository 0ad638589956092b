"""A checkpoint's own tokeniser: a text as numbers of its vocabulary, and how it writes each."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.errors import check_most, input_error
from core.limits import LONGEST_TOKEN, MAX_TEXT
from core.models.checkpoints.config import printable, read_json_object
from core.models.checkpoints.tokeniser_parts import TOKENIZER, check_tokeniser
from core.models.token_text import NO_BREAK, label_text, text_of_bytes
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

MOST_TOKENIZER_BYTES = 24_000_000
SPACE_SIGN = "▁"
MASK_TOKENS = ("[MASK]", "<mask>")
"""How BERT and RoBERTa write a hidden token."""
MOST_PADDING = 1_024
"""Rows of a model's table that its tokeniser may have no token for: tables are rounded up."""
_PARTS = ("decoders", "models", "normalizers", "pre_tokenizers")
_PANIC = "PanicException"


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
    """A tokeniser of the library `tokenizers`, and what a file puts around every text."""

    library: Any
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    def encode(self, text: str) -> Encoded:
        """Return the tokens of a text, special ones too. Raises `InputError` for a long one."""
        check_most(TEXTS, "long_prompt", "count", len(text), MAX_TEXT)
        with library_errors(TOKENIZER):
            encoded = self.library.encode(text)
        ids = [*self.before, *encoded.ids, *self.after]
        typed = [text[start:end] for start, end in encoded.offsets]
        pieces = ["" for _ in self.before] + typed + ["" for _ in self.after]
        labels = [self._label(id, piece) for id, piece in zip(ids, pieces, strict=True)]
        return Encoded(ids, [self.token(id) for id in ids], labels)

    @property
    def mask_token(self) -> str | None:
        """The token that stands for a hidden one; None if there is none."""
        known = (token for token in MASK_TOKENS if self.library.token_to_id(token) is not None)
        return next(known, None)

    @property
    def mask_id(self) -> int | None:
        """The number of that token."""
        if self.mask_token is None:
            return None
        found: int = self.library.token_to_id(self.mask_token)
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

        WordPiece's ## stays: it says that the token goes on with a word. A number that no token
        has is named: a model may have more numbers than tokens.
        """
        written = self.token(token) if isinstance(token, int) else token
        if isinstance(token, int) and not written:
            return TEXTS("no_token", number=token).replace(" ", NO_BREAK)
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


def tokeniser_next_to(file: Path, vocabulary: int) -> Tokeniser | None:
    """Return the tokeniser of a file's folder, for a model with so many tokens; None if none.

    The folder may have files of several models. Raises `InputError` for one of another size.
    """
    found = tokeniser_of_folder(file.parent)
    if found is not None:
        size = found.library.get_vocab_size()
        if not vocabulary - MOST_PADDING <= size <= vocabulary:
            name, count, most = printable(file.name), f"{size:,}", f"{vocabulary:,}"
            numbers = {"count": count, "most": most, "padding": f"{MOST_PADDING:,}"}
            raise input_error(TEXTS, "other_vocabulary", file=name, **numbers)
    return found


def tokeniser_of_folder(folder: Path) -> Tokeniser | None:
    """Return the tokeniser of a folder; None if there is none. Raises `InputError`."""
    path = folder / TOKENIZER
    if not os.path.isfile(path):
        return None
    said = read_json_object(path, MOST_TOKENIZER_BYTES)
    check_tokeniser(said)
    library = tokeniser_library()
    with library_errors(TOKENIZER):
        found = library.Tokenizer.from_str(json.dumps(said))
        found.no_padding()
        found.no_truncation()
    return Tokeniser(found)


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
