"""Byte-level tokens as text, beside the library's own decoding."""

import pytest
from tokenizers import decoders, pre_tokenizers

from core.models.head_words import tenth_percent
from core.models.token_text import label_text, text_of_bytes


def written(text: str) -> list[str]:
    """The pieces of a text as a byte-level tokeniser writes them."""
    pieces = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True).pre_tokenize_str(text)
    return [piece for piece, _ in pieces]


@pytest.mark.parametrize(
    "text", ["café", "naïve 🙂", "日本", "a\nb\tc", "§ ½ \u00ad ±", "Ġa Ċ ĉ▁ ## Ä", ""]
)
def test_a_byte_level_token_is_the_text_of_its_bytes(text: str) -> None:
    for token in written(text):
        assert text_of_bytes(token) == decoders.ByteLevel().decode([token])
    assert "".join(map(text_of_bytes, written(text))) == text


def test_bytes_that_are_no_whole_characters_are_written_in_hexadecimal() -> None:
    (smile,) = written("🙂")
    assert text_of_bytes(smile[:2]) == "⟨F0\u00a09F⟩"
    assert label_text(text_of_bytes(smile[:2])) == "⟨F0\u00a09F⟩", "no space that was typed"
    (spaced,) = written(" 日")
    assert text_of_bytes(spaced[:2]) == " ⟨E6⟩"
    assert label_text(text_of_bytes(spaced[:2])) == "⟨E6⟩"


def test_a_label_has_no_space_around_it_and_a_space_by_itself_is_seen() -> None:
    texts = (" a", "Ġ", "##", "\n", "  ", " \t", "")
    assert list(map(label_text, texts)) == ["a", "Ġ", "##", "⏎", "␣␣", "␣⇥", "␣"]


@pytest.mark.parametrize("token", ["日", "[CLS]\u2009", "🙂"])
def test_what_is_not_byte_level_stays(token: str) -> None:
    assert text_of_bytes(token) == token


def test_tenths_of_a_percent() -> None:
    parts = (0, 0.0004, 0.0005, 0.7725, 0.77251, 0.9995, 1.0)
    assert " ".join(map(tenth_percent, parts)) == "0.0 <0.1 0.1 77.3 77.3 >99.9 100.0"
