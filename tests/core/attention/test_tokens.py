"""Tokens and their labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attention.tokens import SHORT, few_enough, neighbours, spaceless, tokenise
from core.errors import InputError
from core.limits import MAX_TOKENS
from core.program.labels import token_labels
from tests.core.support import refuses


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sat.", ["The", "cat", "sat", "."]),
        ("don't stop!", ["don't", "stop", "!"]),
        ("don\u2019t stop!", ["don\u2019t", "stop", "!"]),
        ("e\u0301te\u0301", ["\u00e9t\u00e9"]),
        ("\u05e9\u05dc\u05d5\u05dd \u05e2", ["\u05e9\u05dc\u05d5\u05dd", "\u05e2"]),
        (
            "hi \U0001f468\u200d\U0001f469\u200d\U0001f467 x",
            ["hi", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "x"],
        ),
        ("\u0928\u092e\u0938\u094d\u0924\u0947", ["\u0928\u092e\u0938\u094d\u0924\u0947"]),
        ("a\u0000b\u202ec", ["a", "b", "c"]),
        ("3.14", ["3", ".", "14"]),
        ("猫が座った。", ["猫", "が", "座", "っ", "た", "。"]),
        ("コーヒー2杯", ["コ", "ー", "ヒ", "ー", "2", "杯"]),
        ("我爱Python吗", ["我", "爱", "Python", "吗"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("ｺｰﾋｰ", ["ｺ", "ｰ", "ﾋ", "ｰ"]),
        ("고양이가 앉았다", ["고양이가", "앉았다"]),
    ],
)
def test_words_and_marks_are_tokens(text: str, tokens: list[str]) -> None:
    assert tokenise(text) == tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [("猫が座った", True), ("我 爱", True), ("the 猫 sat", True), ("ｺｰﾋｰ", True), ("a b", False)],
)
def test_a_text_without_spaces_is_noticed(text: str, found: bool) -> None:
    assert spaceless(tokenise(text)) == found


@pytest.mark.parametrize("text", ["", "   ", "\u200d\u202e", "\u0000"])
def test_a_text_without_tokens_is_refused(text: str) -> None:
    refuses("empty", tokenise, text)


def test_too_many_tokens_are_refused_with_a_count_and_a_remedy() -> None:
    refuses("70 tokens; the limit is 64: leave out 6", tokenise, "a " * (MAX_TOKENS + 6))
    refuses("10,001 characters; the limit is 10,000", tokenise, "a" * 10_001)


@given(st.text(max_size=300))
def test_any_text_gives_tokens_or_an_input_error(text: str) -> None:
    try:
        tokens = tokenise(text)
    except InputError:
        return
    assert 1 <= len(tokens) <= MAX_TOKENS
    labels = token_labels(tokens)
    assert len(set(labels)) == len(tokens) or any("₁" in t or "…" in t for t in labels)
    assert all(token.strip() for token in tokens)


def test_tokens_that_occur_twice_are_numbered_and_long_ones_shortened() -> None:
    assert token_labels(["the", "cat", "the", "The"]) == ["the₁", "cat", "the₂", "The"]
    (label,) = token_labels(["x" * 40])
    assert label == "x" * 13 + "…"


def test_a_page_opens_on_neighbours_that_are_there() -> None:
    assert [neighbours(tokens) for tokens in (1, 2, 3, 4, 64)] == [
        (0, 0), (1, 0), (2, 1), (2, 1), (2, 1)
    ]  # fmt: skip


def test_a_sentence_that_is_drawn_whole_has_few_tokens() -> None:
    eight = "a b c d e f g h"
    assert len(tokenise(eight)) == SHORT
    assert few_enough(eight) == eight
    refuses("9 tokens; the limit here is 8: shorten it", few_enough, f"{eight} i")
