"""What a captured head is called and what it does on its text, in words with its own numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.models.captures import LINKED, Capture, further_scores, score_of
from core.models.head_scores import others_weight
from core.models.token_text import one_line, plain_token
from core.program.numbers.rounding import decimal_text
from core.program.reading import NEAR, percentages
from core.texts import core_texts

TEXTS = core_texts("real_heads")


def head_title(capture: Capture) -> str:
    """Return what a head is called: the name of its score, or the words that it links."""
    if capture.head.score == LINKED:
        return TEXTS("linked_words_title", pairs=_pairs(capture))
    return TEXTS(f"{capture.head.score}_title")


def score_title(score: str) -> str:
    """Return the name of a score that needs no pairs."""
    return TEXTS(f"{score}_title")


def head_words(capture: Capture) -> str:
    """Return one sentence on what a head does on its text, with its score as a percentage."""
    if capture.head.score == LINKED:
        return TEXTS("linked_words_words", pairs=_pairs(capture))
    return TEXTS(f"{capture.head.score}_words", percent=whole_percent(score_of(capture)))


@dataclass(frozen=True)
class MeasuredText:
    """A text that a captured head reads, and the head's own score there in percent."""

    text: str
    percent: str
    pairs: str
    """The words that the score is of, each with its own percentage; "" if it needs no pairs."""


def measured_texts(capture: Capture) -> list[MeasuredText]:
    """Return the text that a head was chosen on, then its further ones."""
    head, run = capture.head, capture.run
    read = [(run.prompt, run.tokens, head.pairs, capture.weights, score_of(capture))]
    read += [
        (one.prompt, one.tokens, one.pairs, weights, score)
        for one, weights, score in zip(
            head.further, capture.further, further_scores(capture), strict=True
        )
    ]
    return [
        MeasuredText(one_line(prompt), whole_percent(score), _each_pair(tokens, pairs, weights))
        for prompt, tokens, pairs, weights, score in read
    ]


def _each_pair(tokens: Sequence[str], pairs: Sequence[tuple[int, int]], weights: np.ndarray) -> str:
    words = [plain_token(token).strip() for token in tokens]
    told = [
        {"query": words[i], "key": words[j], "percent": whole_percent(float(weights[i, j]))}
        for i, j in pairs
    ]
    return TEXTS("each_pair", pairs=told)


def _pairs(capture: Capture) -> list[dict[str, str]]:
    words = [plain_token(token).strip() for token in capture.run.tokens]
    return [
        {
            "query": words[i],
            "key": words[j],
            "percent": whole_percent(float(capture.weights[i, j])),
            "others": whole_percent(others_weight(capture.weights, (i, j))),
        }
        for i, j in capture.head.pairs
    ]


def tenth_percent(part: float) -> str:
    """Return a part of 1 in percent with one decimal; a little more than 0 is "<0.1", a little less
    than 100 ">99.9".
    """
    percent = 100 * part
    text = "<0.1" if 0 < percent < 0.05 else decimal_text(percent, 1)
    return ">99.9" if text == "100.0" and part < 1 - NEAR else text


def whole_percent(part: float) -> str:
    """Return a part of 1 in whole percent, as everywhere: "<1", "74" or ">99"."""
    return percentages(np.array([part]), None)[0]
