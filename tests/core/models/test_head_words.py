"""What is said of a head are its own numbers."""

import re

import pytest

from core.models import captures, head_scores, head_words, token_text
from tests.ui.real_heads import percent


@pytest.mark.parametrize("name", captures.captured_heads())
def test_a_sentence_says_the_percentages_of_the_heads_own_weights(name: str) -> None:
    capture = captures.load_capture(name)
    head, tokens, weights = capture.head, capture.run.tokens, capture.weights
    if head.score in head_scores.HEAD_SCORES:
        parts = [head_scores.HEAD_SCORES[head.score](weights, tokens)]
    else:
        T, causal = len(tokens), capture.run.mask == "causal"
        parts = []
        for i, j in head.pairs:
            others = [k for k in range(T) if k not in (i, j) and (not causal or k > j)]
            parts += [weights[i, j], sum(weights[k, j] for k in others) / len(others)]
    said = re.findall(r"(\S+) %", head_words.head_words(capture))
    for text, part in zip(said, parts, strict=True):
        percent(text, part)
    if head.score in head_scores.HEAD_SCORES:
        assert head_words.head_title(capture) == head_words.TEXTS.sources[f"{head.score}_title"]
    else:
        linked = (tokens[j].strip("Ġ") for pair in head.pairs for j in pair)
        assert re.split(" → |, ", head_words.head_title(capture)) == list(linked)


def test_each_pair_is_a_query_the_key_that_it_reads_and_how_much_of_it() -> None:
    capture = captures.load_capture("smollm2-pronouns")
    words = [token_text.plain_token(token).strip() for token in capture.run.tokens]
    said = re.findall(r"(\w+) → (\w+): (\d+) %", head_words.measured_texts(capture)[0].pairs)
    for (query, key, share), (i, j) in zip(said, capture.head.pairs, strict=True):
        assert (query, key) == (words[i], words[j])
        percent(share, capture.weights[i, j])


def test_linked_words_are_named_as_a_reader_knows_them() -> None:
    assert re.fullmatch(
        r"On this text, “he” gives \d+ % .*“John” .*, and “she” gives \d+ % .*“Mary” .*\.",
        head_words.head_words(captures.load_capture("smollm2-pronouns")),
    )


def test_every_score_has_a_title_and_a_sentence() -> None:
    for score in (*head_scores.HEAD_SCORES, "linked_words"):
        assert head_words.TEXTS.sources[f"{score}_title"]
        assert head_words.TEXTS.placeholders(f"{score}_words") in ({"percent"}, {"pairs"})


def test_signs_of_tokenisers_are_what_they_stand_for() -> None:
    tokens = ("Ġa", "▁a", "Ċ", "##ed", "a")
    assert [token_text.plain_token(t) for t in tokens] == [" a", " a", "\n", "ed", "a"]
    assert [token_text.spaced_token(t) for t in tokens] == [" a", " a", "\n", "##ed", "a"]
    assert [token_text.label_token(t) for t in ("Ġ", "▁", "▁a")] == ["␣", "␣", "a"]
