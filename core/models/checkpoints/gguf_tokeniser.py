"""The tokeniser of a GGUF file, from the lists in its header.

A file names the kind of its tokeniser: `gpt2` (byte-level BPE), `llama` (SentencePiece) or `bert`
(WordPiece). If a file leaves something out, it is what llama.cpp takes (src/llama-vocab.cpp
of github.com/ggml-org/llama.cpp).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import must_hold
from core.models.checkpoints.tokeniser import (
    SPACE_SIGN,
    Tokeniser,
    library_errors,
    tokeniser_library,
)
from core.models.checkpoints.tokeniser_parts import GPT2_PATTERN, LLAMA3_PATTERN, QWEN2_PATTERN

_START = "tokenizer.ggml."
_LLAMA3 = ("llama3", "llama-v3", "llama-bpe", "falcon3")
"""Rules whose texts begin with a token of their own, and whose words may be tokens as they are."""
_QWEN2 = ("qwen2", "deepseek-r1-qwen")
_BY_DIGITS = ("smollm", "starcoder", "refact", "command-r")
_PATTERNS: Mapping[str, str] = {
    **dict.fromkeys(("gpt-2", "default", *_BY_DIGITS), GPT2_PATTERN),
    **dict.fromkeys((*_LLAMA3, "smaug-bpe"), LLAMA3_PATTERN),
    **dict.fromkeys(_QWEN2, QWEN2_PATTERN),
}
"""What cuts a text into words, by the name that a file has for its rule (`pre`)."""
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED = 1, 2, 3, 4
"""Types of tokens, as in SentencePiece."""
_SPECIAL_OF_BERT = (
    (("unknown",), 100),
    (("cls", "bos"), 101),
    (("seperator", "separator", "eos"), 102),
    (("mask",), 103),
    (("padding",), 0),
)
"""Names of the tokens that BERT has next to words, as files spell them, and their usual numbers."""
_MOST_PIECE, _MOST_CHARACTERS = 256, 1_000_000
"""Characters of a token that is merged, and of all: every way to cut a token is tried.
Llama 2 has 16, and 190,000.
"""
_MOST_ADDED = 5_000
"""Tokens that are looked for in a text before it is cut into words. Llama 3 has 256."""


@dataclass(frozen=True)
class _Lists:
    """What a header says of a tokeniser: its tokens by their numbers, and the type of each."""

    settings: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return str(self.get("model"))

    @property
    def rule(self) -> str:
        return str(self.get("pre", "default"))

    @property
    def tokens(self) -> Sequence[str]:
        given = self.get("tokens")
        return given if isinstance(given, list) else ()

    @property
    def types(self) -> Sequence[int]:
        return self.get("token_type") or [_NORMAL] * len(self.tokens)

    def get(self, name: str, default: Any = None) -> Any:
        return self.settings.get(f"{_START}{name}", default)

    def id(self, *names: str, default: int) -> tuple[int, ...]:
        """The number of a token that the file names in one of these ways; () if it has none."""
        given = [self.get(f"{name}_token_id") for name in names]
        found = next((id for id in given if id is not None), default)
        return (found,) if isinstance(found, int) and 0 <= found < len(self.tokens) else ()

    def of_types(self, *types: int) -> Iterator[str]:
        return (token for token, one in zip(self.tokens, self.types, strict=True) if one in types)


def tokeniser_of_gguf(settings: Mapping[str, Any]) -> Tokeniser | None:
    """Return the tokeniser of a file's header; None if it has none of a kind that is known here.

    Raises `InputError` if its lists do not fit each other.
    """
    lists = _Lists(settings)
    build, needed = _BUILDERS.get(lists.kind, (None, ""))
    is_known = lists.kind != "gpt2" or lists.rule in _PATTERNS
    if build is None or not (is_known and lists.tokens and lists.get(needed)):
        return None
    library = tokeniser_library()
    with library_errors("tokenizer.ggml"):
        must_hold(len(set(lists.tokens)) == len(lists.tokens))
        return build(library, lists)


def _byte_level(library: Any, lists: _Lists) -> Tokeniser:
    """Byte-level BPE (Radford et al. 2019), with the rule that the file names."""
    pairs = [tuple(merge.split(" ")) for merge in lists.get("merges")]
    is_llama3 = lists.rule in _LLAMA3
    model = library.models.BPE(_numbered(lists.tokens), pairs, ignore_merges=is_llama3)
    found, split = library.Tokenizer(model), library.pre_tokenizers
    by_words = split.Split(library.Regex(_PATTERNS[lists.rule]), "isolated")
    by_bytes = split.ByteLevel(add_prefix_space=False, use_regex=False)
    by_digits = [split.Digits(individual_digits=True)] if lists.rule in _BY_DIGITS else []
    found.pre_tokenizer = split.Sequence([*by_digits, by_words, by_bytes])
    if lists.rule in _QWEN2:
        found.normalizer = library.normalizers.NFC()
    found.decoder = library.decoders.ByteLevel()
    return _tokeniser(library, found, lists, begins=is_llama3)


def _sentence_piece(library: Any, lists: _Lists) -> Tokeniser:
    """BPE of SentencePiece (Kudo and Richardson 2018): of all pairs, the best score is merged."""
    vocabulary, merges = _numbered(lists.tokens), _merges(lists)
    model = library.models.BPE(vocabulary, merges, fuse_unk=True, byte_fallback=True)
    for unknown in lists.id("unknown", default=0):
        model.unk_token = lists.tokens[unknown]
    found, change = library.Tokenizer(model), library.normalizers
    spaces = change.Replace(" ", SPACE_SIGN)
    is_prefixed = lists.get("add_space_prefix") is not False
    found.normalizer = (
        change.Sequence([change.Prepend(SPACE_SIGN), spaces]) if is_prefixed else spaces
    )
    back = library.decoders
    found.decoder = back.Sequence([back.Replace(SPACE_SIGN, " "), back.ByteFallback(), back.Fuse()])
    return _tokeniser(library, found, lists, begins=True)


def _merges(lists: _Lists) -> list[tuple[str, str]]:
    """Every way to make a token of two, best score first."""
    scores = dict(zip(lists.tokens, lists.get("scores"), strict=True))
    merged = list(lists.of_types(_NORMAL, _USER_DEFINED))
    must_hold(sum(map(len, merged)) <= _MOST_CHARACTERS and max(map(len, merged)) <= _MOST_PIECE)
    merged.sort(key=lambda token: -scores[token])
    return [
        (token[:at], token[at:])
        for token in merged
        for at in range(1, len(token))
        if token[:at] in scores and token[at:] in scores
    ]


def _word_piece(library: Any, lists: _Lists) -> Tokeniser:
    """WordPiece of BERT (Devlin et al. 2019). A file has ▁ before words and no ## before the rest.

    If the file does not say whether text becomes small letters, its vocabulary does: without
    capitals, capitals could not be read.
    """
    words = [_word_piece_spelled(token) for token in lists.tokens]
    unknown, first, last, hidden, filler = (
        lists.id(*names, default=default) for names, default in _SPECIAL_OF_BERT
    )
    model = library.models.WordPiece(_numbered(words), unk_token=words[unknown[0]])
    found = library.Tokenizer(model)
    has_capitals = any(word != word.lower() for word in words if not _is_special(word))
    is_small = lists.get("normalizer.lowercase", not has_capitals) is True
    found.normalizer = library.normalizers.BertNormalizer(
        lowercase=is_small, strip_accents=lists.get("normalizer.strip_accents", is_small) is True
    )
    found.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    found.decoder = library.decoders.WordPiece()
    special = [words[id] for id in (*unknown, *first, *last, *hidden, *filler)]
    found.add_special_tokens([library.AddedToken(word, special=True) for word in special])
    return Tokeniser(found, first, last)


def _word_piece_spelled(token: str) -> str:
    """A token as BERT's vocabulary has it."""
    if token.startswith(SPACE_SIGN):
        return token.removeprefix(SPACE_SIGN)
    return token if _is_special(token) else f"##{token}"


def _is_special(word: str) -> bool:
    return word.startswith("[") and word.endswith("]")


def _tokeniser(library: Any, found: Any, lists: _Lists, begins: bool) -> Tokeniser:
    """A tokeniser with the tokens that are looked for whole, and those around every text."""
    special = list(lists.of_types(_UNKNOWN, _CONTROL))
    defined = list(lists.of_types(_USER_DEFINED))
    must_hold(len(special) + len(defined) <= _MOST_ADDED)
    added = library.AddedToken
    found.add_special_tokens([added(token, normalized=False, special=True) for token in special])
    found.add_tokens([added(token, normalized=False) for token in defined])
    first = lists.id("bos", default=1) if lists.get("add_bos_token", begins) is True else ()
    last = lists.id("eos", default=2) if lists.get("add_eos_token", False) is True else ()
    return Tokeniser(found, first, last)


def _numbered(tokens: Sequence[str]) -> dict[str, int]:
    return {token: n for n, token in enumerate(tokens)}


_BUILDERS: Mapping[str, tuple[Callable[[Any, _Lists], Tokeniser], str]] = {
    "gpt2": (_byte_level, "merges"),
    "llama": (_sentence_piece, "scores"),
    "bert": (_word_piece, "tokens"),
}
"""What builds a tokeniser by the name of its kind, and the list that it cannot be without."""
