"""Four kinds of weights on one sentence: each kind changes one thing of attention."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from core.chapters.other_kinds import linear
from core.chapters.other_kinds.convolution import ATTENTION, CONVOLUTION, MIXER, TURN, mixing_family
from core.chapters.other_kinds.scores import ADDITIVE, SCORES, scored_family
from core.chapters.other_kinds.sentence import MATRICES, first_look
from core.program.families import Options
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
SOFTMAX, LINEAR, ADDED, DISTANCE = "softmax", "linear", "additive", "distance"
_IDS = ("softmax_kind", "linear_kind", "additive_kind", "distance_kind")
NAMES: Mapping[str, str] = MappingProxyType(
    dict(zip((SOFTMAX, LINEAR, ADDED, DISTANCE), map(TEXTS, _IDS), strict=True))
)


@dataclass(frozen=True)
class Weighted:
    """A run of one kind, the array of it that holds the weights, and what is chosen for it."""

    trace: Trace
    array: str
    options: Options
    reader: int
    """The token whose row is looked at, counted from 0."""

    @property
    def weights(self) -> Sequence[Sequence[float]]:
        rows: list[list[float]] = self.trace[self.array][0].tolist()
        return rows

    @property
    def most(self) -> int:
        """The token that it reads most from."""
        return int(self.trace[self.array][0, self.reader].argmax())


@lru_cache(maxsize=32)
def four_kinds(text: str, matrices: str) -> Mapping[str, Weighted]:
    """Return each kind's weights of a sentence. Raises `InputError`."""
    mixing, first = mixing_family(text), {TURN.key: TURN.default}
    pairs = {linear.BRACKETS.key: linear.PAIRS, linear.FEATURES.key: linear.ELU}
    pairs |= {linear.NUMBERS.key: linear.SENTENCE}
    reader = first_look(text, matrices).reader
    ways = {
        SOFTMAX: (mixing, "weights", {MIXER.key: ATTENTION, **first}),
        LINEAR: (linear.linear_family(text), "weights", pairs),
        ADDED: (scored_family(text), "weights", {SCORES.key: ADDITIVE}),
        DISTANCE: (mixing, "kernel", {MIXER.key: CONVOLUTION, **first}),
    }
    return {
        kind: Weighted(family.run(**options, **{MATRICES.key: matrices}), array, options, reader)
        for kind, (family, array, options) in ways.items()
    }
