"""Which tokenisers are built: those of published models, and none that can harm."""

import json
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from core.models.checkpoints.tokeniser_parts import PATTERNS, check_tokeniser
from tests.core.models.test_hostile_files import BOMBS
from tests.core.support import refuses


def built(model: Any, **parts: Any) -> Tokenizer:
    made = Tokenizer(model)
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def patterned(pattern: str) -> Any:
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    of_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([split, of_bytes])


AROUND = processors.TemplateProcessing(
    single="<s> $A </s>", pair="<s> $A </s> $B:1", special_tokens=[("<s>", 0), ("</s>", 1)]
)
LIKE = {
    "GPT-2": built(
        models.BPE({"a": 0}, []),
        pre_tokenizer=pre_tokenizers.ByteLevel(),
        post_processor=processors.ByteLevel(),
        decoder=decoders.ByteLevel(),
    ),
    "BERT": built(
        models.WordPiece({"a": 0, "[UNK]": 1}),
        normalizer=normalizers.BertNormalizer(),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        post_processor=AROUND,
        decoder=decoders.WordPiece(),
    ),
    "Llama 2": built(
        models.BPE({"a": 0}, [], byte_fallback=True),
        normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        post_processor=AROUND,
        decoder=decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
             decoders.Strip(" ", 1, 0)]
        ),
    ),
    "SmolLM2": built(
        models.BPE({"a": 0}, []),
        pre_tokenizer=pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel()]
        ),
        decoder=decoders.ByteLevel(),
    ),
    **{
        f"pattern {n}": built(
            models.BPE({"a": 0}, []),
            normalizer=normalizers.NFC(),
            pre_tokenizer=patterned(pattern),
            post_processor=processors.Sequence([processors.ByteLevel(), AROUND]),
            decoder=decoders.ByteLevel(),
        )
        for n, pattern in enumerate(PATTERNS)
    },
}  # fmt: skip


@pytest.mark.parametrize("name", LIKE)
def test_tokenisers_like_the_published_ones_pass(name: str) -> None:
    said = json.loads(LIKE[name].to_str())
    check_tokeniser(said)
    del said["model"]["type"]  # as files from before 2021
    check_tokeniser(said)


LIBRARYS = ("panic", "without words", "that is missing")
"""Those that only the library finds."""


@pytest.mark.parametrize(
    "name", [name for name in BOMBS if not any(word in name for word in LIBRARYS)]
)
def test_what_could_harm_is_refused_before_the_library_sees_it(name: str) -> None:
    plain = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    refuses("not known here", check_tokeniser, {"model": plain, **BOMBS[name]})
