"""What a captured head is called and what it does on its text, in words with its own numbers."""

import numpy as np

from core.models.captures import LINKED, Capture, score_of
from core.models.head_scores import others_weight
from core.models.token_text import plain_token
from core.program.reading import percentages
from core.program.rounding import decimal_text
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
    """Return a part of 1 in percent with one decimal; a little more than 0 is "<0.1"."""
    percent = 100 * part
    return "<0.1" if 0 < percent < 0.05 else f"{decimal_text(percent, 1)}"


def whole_percent(part: float) -> str:
    """Return a part of 1 in whole percent, as everywhere; a little more than 0 is "<1"."""
    return percentages(np.array([part]), None)[0]
