"""Whether the cue of a sentence tells which meaning its word has, and if not, why not."""

from collections.abc import Sequence

import numpy as np

from core.attention.examples.lexicon import Lexicon
from core.attention.examples.two_meanings import TwoMeanings
from core.program.labels import marked_token, told_number
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("two_meanings")


def hindrance(trace: Trace, two: TwoMeanings, lexicon: Lexicon) -> str:
    """Say why the cue does not tell the meaning of the word; "" if it does.

    It does if the last place of the word reads the cue most in head 1, and its meaning is the
    largest feature of what comes out. Nothing is said of a sentence without the word.
    """
    tokens = [token.lower() for token in trace.tokens]
    places = _places(tokens, two.word)
    if not places:
        return ""
    row = places[-1]
    cues = [cue for cue in two.cues if _places(tokens, cue)]
    word = marked_token(two.word)
    if not cues:
        one, other = map(marked_token, two.cues)
        return TEXTS("no_cue", word=word, one=one, other=other)
    if len(cues) == 2:
        one, other = map(marked_token, two.cues)
        return TEXTS("both_cues", word=word, one=one, other=other)
    (cue,) = cues
    at, weights = _places(tokens, cue), trace["weights"][0, row]
    told = {"word": word, "cue": marked_token(cue)}
    if not trace["mask"][row, at].any():
        return TEXTS("hidden_later" if min(at) > row else "hidden", **told)
    top = int(weights.argmax())
    if top not in at:
        return TEXTS("reads_another", **told, top=marked_token(trace.tokens[top]))
    output, meaning = trace["output"][row], two.cues.index(cue)
    largest = int(output.argmax())
    if largest != meaning:
        return TEXTS(
            "another_feature",
            **told,
            weight=told_number(trace, "weights", (0, row, top)),
            largest=marked_token(lexicon.features[largest]),
            number=told_number(trace, "output", (row, largest)),
            meaning=marked_token(lexicon.features[meaning]),
            less=told_number(trace, "output", (row, meaning)),
        )
    return ""


def _places(tokens: Sequence[str], word: str) -> list[int]:
    return np.flatnonzero([token == word.lower() for token in tokens]).tolist()
