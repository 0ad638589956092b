"""What a captured head is called and what it does on its text, in words with its own numbers."""

import numpy as np

from core.models.captures import LINKED, Capture, score_of
from core.models.head_scores import others_weight
from core.program.reading import percentages
from core.texts import core_texts

TEXTS = core_texts("real_heads")


def head_title(capture: Capture) -> str:
    """Return what a head is called: the name of its score."""
    return TEXTS(f"{capture.head.score}_title")


def head_words(capture: Capture) -> str:
    """Return one sentence on what a head does on its text, with its score as a percentage."""
    if capture.head.score == LINKED:
        return TEXTS("linked_words_words", pairs=_pairs(capture))
    return TEXTS(f"{capture.head.score}_words", percent=whole_percent(score_of(capture)))


def whole_percent(part: float) -> str:
    """Return a part of 1 in whole percent, as everywhere."""
    return percentages(np.array([part]), None)[0]


def plain_token(token: str) -> str:
    """Return a token as a reader knows it: Ġ is a space, Ċ a new line, ## joins a word's rest."""
    return token.removeprefix("##").translate({ord("Ġ"): " ", ord("Ċ"): "\n"})


def caution() -> tuple[str, str]:
    """Return what weights do not say, in a few sentences, and who argued about it."""
    return TEXTS("caution"), TEXTS("caution_more")


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
