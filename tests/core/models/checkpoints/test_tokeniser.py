"""Tokens as a reader knows them: what was typed stays, what the tokeniser puts in does not."""

from collections.abc import Callable

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from core.models.checkpoints.tokeniser import Tokeniser
from core.texts import core_texts

TYPED = "a Ġa ▁a Ċ ##a"
"""Signs of tokenisers that somebody typed; Ġ and Ċ are letters of Maltese and Polish."""


def of_bytes() -> Tokenizer:
    """One token for each piece: every byte is a character, and all are merged."""
    split = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces = [piece for piece, _ in split.pre_tokenize_str(TYPED)]
    made = Tokenizer(models.WordLevel({piece: n for n, piece in enumerate(dict.fromkeys(pieces))}))
    made.pre_tokenizer, made.decoder = split, decoders.ByteLevel()
    return made


def of_words() -> Tokenizer:
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(TYPED.split())}))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def of_spaces() -> Tokenizer:
    """As Llama 2's: a space is written ▁, and so is a ▁."""
    made = Tokenizer(models.BPE({character: n for n, character in enumerate("▁aĠĊ#")}, []))
    parts = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    made.normalizer = normalizers.Sequence(parts)
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse()])
    return made


def labels(made: Tokenizer, text: str = TYPED) -> list[str]:
    return Tokeniser(made).encode(text).labels


@pytest.mark.parametrize("made", [of_bytes, of_words, of_spaces])
def test_what_was_typed_is_shown(made: Callable[[], Tokenizer]) -> None:
    assert "".join(labels(made())).replace("␣", "") == TYPED.replace(" ", "")


def test_a_space_is_no_part_of_a_word_and_is_seen_by_itself() -> None:
    assert labels(of_bytes(), "a Ġa") == ["a", "Ġa"]
    assert labels(of_spaces(), "a ▁") == ["␣", "a", "␣", "▁"]


def test_only_the_sign_of_word_pieces_is_left_out() -> None:
    words = {word: n for n, word in enumerate(("a", "##b", "Ġ", "##Ċ", "?"))}
    made = Tokenizer(models.WordPiece(words, unk_token="?"))
    made.pre_tokenizer, made.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    assert labels(made, "ab ĠĊ") == ["a", "b", "Ġ", "Ċ"]
    assert Tokeniser(made).readable("##b") == "##b"
    assert labels(of_words(), "##a") == ["##a"]


def test_tokens_that_a_file_puts_before_a_text_have_labels_too() -> None:
    assert Tokeniser(of_bytes(), (1,)).encode("a").labels == ["Ġa", "a"]


def test_a_token_is_read_with_its_space_and_a_number_without_one_has_none() -> None:
    assert [Tokeniser(of_bytes()).readable(one) for one in ("Ġa", "Äł")] == [" a", "Ġ"]
    assert Tokeniser(of_spaces()).readable("▁a") == " a"
    assert [Tokeniser(of_words()).readable(one) for one in ("Ġa", "▁a")] == ["Ġa", "▁a"]
    seen = [Tokeniser(made()).readable(n) for made in (of_bytes, of_spaces) for n in (98, 99)]
    assert seen == [f"no\u00a0token\u00a0{n}" for n in (98, 99)] * 2, "its spaces are no token's"


@pytest.mark.parametrize("reader", ["tokenizers", "gguf"])
def test_what_installs_a_reader_is_the_one_command(reader: str) -> None:
    remedy = core_texts("checkpoints").sources[f"no_{reader}_remedy"]
    assert "make models" in remedy
    assert "pip install --no-deps -r requirements-models.txt" in remedy
