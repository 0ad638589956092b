"""The captured heads in the order of the gallery, and the scores of all heads of a run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.errors import input_error
from core.models.captures import CapturedRun, captured_heads
from core.models.head_scores import HEAD_SCORES
from core.models.head_search import Place, leading_heads, scores_of_all_heads
from core.texts import core_texts

TEXTS = core_texts("real_heads")
ORDER = (
    "smollm2-previous-token",
    "smollm2-first-token",
    "smollm2-induction",
    "smollm2-own-token",
    "smollm2-same-token-code",
    "smollm2-pronouns",
    "smollm2-drink-to",
    "smollm2-punctuation",
    "smollm2-even",
    "smollm2-induction-love",
    "minilm-previous-token",
    "minilm-next-token",
    "minilm-same-token-bank",
    "minilm-keys-are",
    "minilm-same-token-love",
)
"""The captured heads: of each model, those first that are easiest to read."""
LEADERS = 3
"""How many heads of a run are named, for a score."""


@dataclass(frozen=True, eq=False)
class ScoredHeads:
    """One score of each layer and head of a run, and the heads with the largest, best first."""

    scores: Float[np.ndarray, "L H"]
    leaders: tuple[Place, ...]


def heads_by_model() -> Mapping[str, tuple[str, ...]]:
    """Return the names of the captured heads of each model, in the order of the gallery."""
    found: dict[str, tuple[str, ...]] = {}
    for name in ORDER:
        run, _ = captured_heads()[name]
        found[run.model] = (*found.get(run.model, ()), name)
    return MappingProxyType(found)


@cache
def scored_heads(run: CapturedRun, score: str) -> ScoredHeads:
    """Return a score (a name in `HEAD_SCORES`) of each head of a run."""
    assert score in HEAD_SCORES
    scores = scores_of_all_heads(run, score)
    return ScoredHeads(scores, tuple(leading_heads(scores, LEADERS)))


def captured_at(run: CapturedRun) -> Mapping[Place, str]:
    """Return where the captured heads of a run are, with their names."""
    return {head.place: head.name for head in run.heads}


def place_text(place: Place) -> str:
    """Return a layer and a head as a link has them: from 1, with a point between."""
    return ".".join(str(at + 1) for at in place)


def read_place(key: str, text: str) -> Place | None:
    """Return the layer and head, from 0, that a link names; None for "". Raises `InputError`."""
    if not text:
        return None
    found = re.fullmatch(r"([1-9]\d?)\.([1-9]\d?)", text, re.ASCII)
    if found is None:
        raise input_error(TEXTS, "no_place", key=key, text=text[:20])
    return int(found[1]) - 1, int(found[2]) - 1


def has_place(run: CapturedRun, place: Place) -> bool:
    """Whether a run has this layer and head."""
    return place[0] < run.n_layers and place[1] < run.n_heads


def check_place(run: CapturedRun, text: str) -> None:
    """Raise `InputError` if a link's text, read before, names a head that a run does not have."""
    place = read_place("", text)
    if place is not None and not has_place(run, place):
        numbers = {"layer": place[0] + 1, "head": place[1] + 1}
        raise input_error(TEXTS, "not_in_run", layers=run.n_layers, heads=run.n_heads, **numbers)
