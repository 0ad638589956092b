"""Two heads of a real model that share one key/value head, and what each of them does.

Throughout, h is one of the heads in `SHARING`, counted from 0.
"""

from dataclasses import replace
from functools import cache

from core.attention.given.given_program import vectors_program
from core.attention.masks import Rule
from core.models.captures import Capture, load_capture, trace_of, vectors_of
from core.models.head_scores import HEAD_SCORES
from core.models.head_words import head_title, whole_percent
from core.program.patterns import Cell
from core.program.program import Program
from core.program.trace import Trace

SHARING = ("smollm2-induction", "smollm2-first-token")
"""The captured heads by name: of one layer and one text."""


def sharing_program() -> Program:
    """Return causal attention of given Q for every head, and of K and V once."""
    return vectors_program(len(SHARING), 1, Rule("causal"))


def sharing_heads() -> tuple[Capture, ...]:
    """Return the captured heads; the first call reads their file. Raises `InputError`."""
    return tuple(map(load_capture, SHARING))


@cache
def sharing_run() -> Trace:
    """Return one run of both heads: H = 2 and G = 1, each head named for what it does.

    Grouped-query attention (Ainslie et al. 2023): weights_h = softmax(mask(Q_h Kᵀ / √d_k)), with
    the same K for every h of a group, and context_h = weights_h V. Tokens are written as words.
    """
    captures = sharing_heads()
    names = tuple(head_title(capture).lower() for capture in captures)
    words = vectors_of(captures[0]).tokens
    return replace(trace_of(*captures), tokens=words, labels={"h": names})


def scores_in_run(trace: Trace) -> tuple[float, ...]:
    """Return what each head's own score says of its weights in the run: 0 to 1.

    The formulas are those of `HEAD_SCORES`: `induction` for head 0, `first_token` for head 1.
    """
    pairs = zip(sharing_heads(), trace["weights"], strict=True)
    return tuple(HEAD_SCORES[one.head.score](weights, one.run.tokens) for one, weights in pairs)


def percents_in_run(trace: Trace) -> list[str]:
    """Return the same scores as percentages: 93."""
    return [whole_percent(score) for score in scores_in_run(trace)]


def most_read_last(trace: Trace) -> Cell:
    """Return the largest weight of the last token in head 0: (0, T−1, j)."""
    last = trace["weights"][0, -1]
    return 0, len(last) - 1, int(last.argmax())
