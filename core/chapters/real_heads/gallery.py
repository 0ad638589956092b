"""The captured heads in the order of the gallery, and the scores of all heads of a run."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from core.models.captures import CapturedRun, captured_heads
from core.models.head_places import Place, is_place_of, missing_place, read_place
from core.models.head_search import ScoredHeads, scored_heads, weights_of_all_heads

ORDER = (
    "smollm2-pronouns",
    "smollm2-previous-token",
    "smollm2-first-token",
    "smollm2-induction",
    "smollm2-own-token",
    "smollm2-same-token-code",
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
OF_LINKS = "smollm2-previous-token"
"""The head of a link that names none."""


def heads_by_model() -> Mapping[str, tuple[str, ...]]:
    """Return the names of the captured heads of each model, in the order of the gallery."""
    found: dict[str, tuple[str, ...]] = {}
    for name in ORDER:
        run, _ = captured_heads()[name]
        found[run.model] = (*found.get(run.model, ()), name)
    return MappingProxyType(found)


@cache
def scored_run(run: CapturedRun, score: str) -> ScoredHeads:
    """Return a score (a name in `HEAD_SCORES`) of each head of a run."""
    return scored_heads(weights_of_all_heads(run), run.tokens, score)


def captured_at(run: CapturedRun) -> Mapping[Place, str]:
    """Return where the captured heads of a run are, with their names."""
    return {head.place: head.name for head in run.heads}


def has_place(run: CapturedRun, place: Place) -> bool:
    """Whether a run has this layer and head."""
    return is_place_of(place, run.n_layers, run.n_heads)


def check_place(run: CapturedRun, text: str) -> None:
    """Raise `InputError` if a link's text, read before, names a head that a run does not have."""
    place = read_place("", text)
    if place is not None and not has_place(run, place):
        raise missing_place(place, run.n_layers, run.n_heads)
