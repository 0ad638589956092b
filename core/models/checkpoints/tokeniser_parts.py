"""What a tokenizer.json may be made of, checked before the library builds it.

Such a file is close to a program: its rules can make a text a million times as long, or search it
with a pattern that never ends. So its parts are those of published GPT-2, Llama and BERT models.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from core.errors import InputError, input_error
from core.models.checkpoints.config import printable
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

TOKENIZER = "tokenizer.json"
MODELS = (None, "BPE", "Unigram", "WordLevel", "WordPiece")
"""Files from before 2021 do not say it."""
_KINDS = {
    "normalizer": "BertNormalizer Lowercase NFC NFD NFKC NFKD Prepend Replace Strip StripAccents",
    "pre_tokenizer": "BertPreTokenizer Digits Metaspace Punctuation Split Whitespace "
    "WhitespaceSplit",
    "post_processor": "BertProcessing RobertaProcessing TemplateProcessing",
    "decoder": "BPEDecoder ByteFallback Fuse WordPiece",
}
STAGES = tuple(_KINDS)
KNOWN_PARTS = frozenset(["ByteLevel", "Sequence", *" ".join(_KINDS.values()).split()])
"""Kinds of parts, as the library calls them."""
_LETTERS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""Of GPT-2 (Radford et al. 2019, encoder.py of github.com/openai/gpt-2)."""
QWEN2_PATTERN = rf"{_LETTERS}\p{{N}}{_REST}"
"""Of the tokenizer.json that was published with Qwen 2: each digit is a word."""
LLAMA3_PATTERN = rf"{_LETTERS}\p{{N}}{{1,3}}{_REST}"
"""Of Llama 3 (llama/tokenizer.py of github.com/meta-llama/llama3): up to three digits."""
PATTERNS = (GPT2_PATTERN, QWEN2_PATTERN, LLAMA3_PATTERN, r"\p{N}{1,3}", r"\p{N}")
"""The regular expressions that are known. None of them tries a place many times."""
MOST_STAGE = 8_000
"""Characters of a stage as JSON: Llama 3's longest has 800."""
MOST_PREPENDED = 8
MOST_WORD = 1_000
"""Characters of a word that WordPiece takes apart: it tries each part of it."""


def check_tokeniser(said: Mapping[str, Any]) -> None:
    """Raise `InputError` for a tokenizer.json with parts that a text cannot be given to safely."""
    model = said.get("model")
    if not isinstance(model, dict):
        raise input_error(TEXTS, "damaged", file=TOKENIZER)
    if model.get("type") not in MODELS:
        raise _refused(model["type"])
    if model.get("dropout") is not None:  # tokens would be drawn
        raise _refused("dropout")
    longest = model.get("max_input_chars_per_word", 0)
    if not (isinstance(longest, int) and 0 <= longest <= MOST_WORD):
        raise _refused("max_input_chars_per_word")
    for stage in STAGES:
        if len(json.dumps(said.get(stage))) > MOST_STAGE:
            raise _refused(stage)
        for part in _objects(said.get(stage)):
            _check_part(part)


def _check_part(part: Mapping[str, Any]) -> None:
    """Refuse kinds that are not known, patterns that may not end, and rules that lengthen."""
    if not KNOWN_PARTS.issuperset([str(part.get("type", "Sequence"))]):
        raise _refused(part["type"])
    if part.get("Regex", PATTERNS[0]) not in PATTERNS:
        raise _refused(part["Regex"])
    if part.get("type") == "Prepend" and len(str(part.get("prepend"))) > MOST_PREPENDED:
        raise _refused("Prepend")
    if part.get("type") == "Replace":
        pattern = part.get("pattern")
        found = pattern.get("String") if isinstance(pattern, dict) else None
        if not isinstance(found, str) or not 0 < len(str(part.get("content"))) <= len(found):
            raise _refused("Replace")


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a JSON value, at any depth."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else []


def _refused(part: object) -> InputError:
    return input_error(TEXTS, "tokeniser_part", part=printable(part))
