"""How work and memory of attention grow with the number of tokens T.

One layer is that of an untouched walkthrough. Of published models: which part has the parameters,
and which has the work of a pass over a whole text. All pairs are counted, hidden ones too. What
turns the last row into scores of the vocabulary is no part of a layer, and left out of the work.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from core.attention.configurations import CONFIGURATIONS, Configuration
from core.attention.costs import Layer, LayerCosts, plain_share
from core.program.numbers.rounding import decimal_text
from core.texts import core_texts

TEXTS = core_texts("cost")
HEADS, D_MODEL = 2, 8
LAYER = Layer(D_MODEL, HEADS, HEADS, D_MODEL // HEADS)
BLOCK = LayerCosts(LAYER, 4 * D_MODEL)
"""The layer with a feed-forward net of the usual width after it."""
BYTES = np.dtype(np.float64).itemsize
"""What a number takes here."""
LENGTHS = tuple(2**n for n in range(3, 18))
"""The numbers of tokens that can be chosen."""
ENDS = (1, 2 * LENGTHS[-1])
"""From a text of one token to twice the longest that can be chosen."""

PLACES = tuple(2**n for n in range(19))
"""Where shares of the work are drawn."""


@dataclass(frozen=True)
class Quantity:
    """Something that is counted for T tokens; it grows as T to the power of `degree`."""

    name: str
    degree: int
    count: Callable[[int], int]

    def times(self, tokens: int) -> Fraction:
        """Return the factor by which it grows when T doubles."""
        return Fraction(self.count(2 * tokens), self.count(tokens))


WORK = (
    Quantity(TEXTS("pairs_work"), 2, lambda T: LAYER.attending(T, T)),
    Quantity(TEXTS("projections"), 1, LAYER.projecting),
)
"""Multiplications of a pass over the whole text."""
HELD = (
    Quantity(TEXTS("scores"), 2, lambda T: HEADS * T * T),
    Quantity(TEXTS("cache"), 1, LAYER.cached),
    Quantity(TEXTS("parameters"), 0, lambda T: LAYER.parameters),
)
"""Numbers in memory at once, if all scores are kept until softmax."""


def quantity_counts(quantity: Quantity, tokens: Sequence[int]) -> list[int]:
    return [quantity.count(T) for T in tokens]


def marked_lengths(sentence: int, tokens: int) -> Mapping[str, int]:
    """Return the numbers of tokens that are marked, by their names."""
    return {TEXTS("sentence_mark"): sentence, "T": tokens, "2T": 2 * tokens}


@dataclass(frozen=True)
class GrowthRow:
    """A quantity at some numbers of tokens, and by how much doubling the text multiplies it."""

    name: str
    counts: Sequence[int]
    times: Fraction


def growth_table(tokens: Sequence[int]) -> list[GrowthRow]:
    """Return a row for every quantity, work first."""
    named = [(TEXTS("multiplications_of", name=each.name), each) for each in WORK]
    named += [(TEXTS("numbers_of", name=each.name), each) for each in HELD]
    return [
        GrowthRow(name, quantity_counts(each, tokens), each.times(tokens[0]))
        for name, each in named
    ]


def even_at() -> int:
    """The number of tokens at which both kinds of work are equal: 4d²·T = 2T²·d at T = 2d."""
    return LAYER.projecting(1) // LAYER.attending(1, 1)


def strip_width() -> int:
    """Return the width of a strip of height T, whose area is to T² as projections are to pairs."""
    return even_at()


def share(tokens: int) -> float:
    """Scores and weighted sum among all multiplications of the layer: 0 to 1."""
    pairs = LAYER.attending(tokens, tokens)
    return pairs / (pairs + LAYER.projecting(tokens))


def share_of_block(tokens: int) -> float:
    """The same with the feed-forward net's multiplications counted too."""
    return BLOCK.quadratic_share(tokens)


def cached_token_work(token: int) -> int:
    """Multiplications for one more token, counted from 1, with a cache of those before it."""
    return LAYER.projecting(1) + LAYER.attending(1, token)


def bytes_of(quantity: Quantity, tokens: int) -> int:
    """Return the bytes of its numbers, if it counts numbers that are held."""
    return BYTES * quantity.count(tokens)


PARTS_LENGTHS = tuple(2**n for n in range(7, 21))
"""The numbers of tokens that can be chosen."""
PARTS_PLACES = tuple(round(2 ** (n / 4)) for n in range(4 * 7, 4 * 20 + 1))
"""Where shares are drawn: those, and three between each two of them."""
NAMES = tuple(model.name for model in CONFIGURATIONS)


def model_named(name: str) -> Configuration:
    return next(model for model in CONFIGURATIONS if model.name == name)


@dataclass(frozen=True)
class WorkShares:
    """The fraction of each part in all multiplications of a model's layers: they add up to 1."""

    projections: float
    feeding: float
    quadratic: float

    @property
    def attention(self) -> float:
        """Projections, scores and weighted sum."""
        return self.projections + self.quadratic


def work_shares(model: Configuration, tokens: int) -> WorkShares:
    block, attention = model.block, model.block.attention
    parts = attention.projecting(tokens), block.feeding(tokens), attention.attending(tokens, tokens)
    return WorkShares(*(part / block.working(tokens) for part in parts))


def shares_over(model: Configuration, lengths: Sequence[int]) -> tuple[list[float], ...]:
    """For each part its share at each of these lengths: projections, feed-forward, quadratic."""
    found = [work_shares(model, T) for T in lengths]
    parts = ("projections", "feeding", "quadratic")
    return tuple([getattr(share, part) for share in found] for part in parts)


def is_plain(model: Configuration) -> bool:
    """Whether T/(6d+T) is exact: all heads have keys of their own, and feed-forward is 8·d²."""
    d = model.d_model
    return model.block.parameters == 12 * d * d and model.heads * model.d_head == d


def estimated_share(model: Configuration, tokens: int) -> float:
    """What T/(6d+T) would give, whatever the sizes."""
    return plain_share(tokens, model.d_model)


def plain_half(model: Configuration) -> int:
    """Return the number of tokens at which T/(6d+T) is a half."""
    return 6 * model.d_model


def per_token(model: Configuration, tokens: int) -> Fraction:
    """Billions of FLOPs of all layers for each token of a pass: additions are counted too."""
    return Fraction(2 * model.layers * model.block.working(tokens), tokens * 10**9)


def parameter_shares(model: Configuration) -> tuple[float, float, float]:
    """Of all parameters the shares of attention, feed-forward and embeddings: 0 to 1."""
    held = model.parameters
    return held.attention / held.all, held.feeding / held.all, held.embedding / held.all


def percent_text(share: float) -> str:
    """Return a fraction as a percentage: 33.2 %."""
    return f"{decimal_text(100 * share, 1)} %"
