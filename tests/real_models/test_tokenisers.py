"""Tokenisers of GGUF files next to real ones: MiniLM's, and one that SentencePiece learns here.

SentencePiece is no requirement: `pip install sentencepiece`.
"""

import io
from pathlib import Path
from typing import Any

import pytest

from core.models.checkpoints.gguf_tokeniser import tokeniser_of_gguf
from core.models.checkpoints.opening import MINILM
from tests.real_models.test_packages import unless_missing

PAGE = (Path(__file__).parents[2] / "core/DECISIONS.md").read_text("utf-8")[:60_000]
TEXTS = [
    *(PAGE[n : n + 300] for n in range(0, len(PAGE), 300)),
    "  two  spaces ",
    "Émile said: naïve café, 東京 🙂\n\n  x\t12345",
    "",
]


def built(**settings: Any) -> Any:
    made = tokeniser_of_gguf({f"tokenizer.ggml.{name}": value for name, value in settings.items()})
    assert made is not None
    return made


def test_the_words_of_minilm_in_a_gguf_file_give_its_numbers() -> None:
    unless_missing(MINILM)
    theirs = MINILM.open().tokeniser
    vocabulary = theirs.library.get_vocab()
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    whole = {word for word in words if word[0] == "[" and word[-1] == "]"}
    written = [
        word if word in whole else word[2:] if word[:2] == "##" else f"▁{word}" for word in words
    ]
    ours = built(model="bert", tokens=written, cls_token_id=101, seperator_token_id=102)
    for text in [*TEXTS, "The [MASK] of France"]:
        assert ours.encode(text).ids == theirs.encode(text).ids


def test_pieces_that_sentencepiece_learns_give_its_numbers() -> None:
    reason = "SentencePiece is not installed: pip install sentencepiece"
    library = pytest.importorskip("sentencepiece", reason=reason)
    file = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(PAGE.splitlines()),
        model_writer=file,
        model_type="bpe",
        vocab_size=700,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        character_coverage=0.99,
        minloglevel=2,
    )
    theirs = library.SentencePieceProcessor(model_proto=file.getvalue())
    ids = range(theirs.vocab_size())
    named = {2: theirs.is_unknown, 3: theirs.is_control, 6: theirs.is_byte}
    kinds = [next((kind for kind, has in named.items() if has(id)), 1) for id in ids]
    ours = built(
        model="llama",
        tokens=[theirs.id_to_piece(id) for id in ids],
        scores=[theirs.get_score(id) for id in ids],
        token_type=kinds,
        add_bos_token=False,
    )
    for text in TEXTS:
        assert ours.encode(text).ids == theirs.encode(text)
