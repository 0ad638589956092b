"""A checkpoint's own tokeniser: a text as numbers of its vocabulary, and how it writes each."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.errors import InputError, input_error
from core.limits import MAX_TEXT
from core.models.checkpoints.config import printable
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

TOKENIZER = "tokenizer.json"
MOST_TOKENIZER_BYTES = 64_000_000
_DIGITS: Mapping[str, bool] = MappingProxyType({"gpt-2": False, "default": False, "smollm": True})
"""Whether numbers are split into digits, by the name that a GGUF file has for its rule."""


@dataclass(frozen=True)
class Encoded:
    """A text as a model reads it: numbers in its vocabulary, and the tokens as it writes them."""

    ids: list[int]
    tokens: list[str]


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser of the library `tokenizers`, and what a file puts before every text."""

    library: Any
    before: tuple[int, ...] = ()

    def encode(self, text: str) -> Encoded:
        """Return the tokens of a text, special ones too. Raises `InputError` for a long one."""
        if len(text) > MAX_TEXT:
            raise input_error(TEXTS, "long_prompt", count=f"{len(text):,}", most=f"{MAX_TEXT:,}")
        encoded = self.library.encode(text)
        ids = [*self.before, *encoded.ids]
        return Encoded(ids, [self.token(id) for id in ids])

    @property
    def mask_id(self) -> int | None:
        """The number of the token that stands for a hidden one in BERT; None if there is none."""
        found: int | None = self.library.token_to_id("[MASK]")
        return found

    def token(self, id: int) -> str:
        """Return a token as the tokeniser writes it; "" for a number that is none."""
        return self.library.id_to_token(id) or ""


def tokeniser_of_folder(folder: Path) -> Tokeniser | None:
    """Return the tokeniser of a folder; None if there is none. Raises `InputError`."""
    path = folder / TOKENIZER
    if not path.is_file():
        return None
    size = path.stat().st_size
    if size > MOST_TOKENIZER_BYTES:
        given, most = f"{size:,}", f"{MOST_TOKENIZER_BYTES:,}"
        raise input_error(TEXTS, "long_json", file=TOKENIZER, bytes=given, most=most)
    try:
        found = _library().Tokenizer.from_file(str(path))
        found.no_padding()
        found.no_truncation()
    except InputError:
        raise
    except Exception as error:  # the library does not say all that bad JSON can make it raise
        raise input_error(TEXTS, "damaged", file=TOKENIZER) from error
    return Tokeniser(found)


def tokeniser_of_gguf(settings: Mapping[str, Any]) -> Tokeniser | None:
    """Return the byte-level BPE of a GGUF file; None if the file has another kind of tokeniser."""
    kind, rule = (settings.get(f"tokenizer.ggml.{name}") for name in ("model", "pre"))
    tokens, merges = (settings.get(f"tokenizer.ggml.{name}") for name in ("tokens", "merges"))
    rule = "default" if rule is None else rule
    if kind != "gpt2" or rule not in _DIGITS or not (tokens and merges):
        return None
    library = _library()
    try:
        pairs = [tuple(str(merge).split(" ")) for merge in merges]
        vocabulary = {str(token): n for n, token in enumerate(tokens)}
        found = library.Tokenizer(library.models.BPE(vocabulary, pairs))
    except Exception as error:  # as above
        raise input_error(TEXTS, "damaged", file=printable("tokenizer.ggml")) from error
    split = library.pre_tokenizers
    by_bytes = split.ByteLevel(add_prefix_space=False, use_regex=True)
    by_digits = [split.Digits(individual_digits=True)] if _DIGITS[rule] else []
    found.pre_tokenizer = split.Sequence([*by_digits, by_bytes])
    first = settings.get("tokenizer.ggml.bos_token_id")
    is_put_first = settings.get("tokenizer.ggml.add_bos_token") is True and isinstance(first, int)
    return Tokeniser(found, (first,) if is_put_first and isinstance(first, int) else ())


def _library() -> Any:
    """The library. Raises `InputError` if it is not installed."""
    if find_spec("tokenizers") is None:
        raise input_error(TEXTS, "no_tokenizers")
    import_module("tokenizers.models")
    import_module("tokenizers.pre_tokenizers")
    return import_module("tokenizers")
