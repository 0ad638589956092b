"""Which part of a published model has the parameters, and which has the work.

A pass over a whole text of T tokens; the whole square of pairs is counted, hidden ones too. What
turns the last row into scores of the vocabulary is no part of a layer, and left out of the work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from core.attention.configurations import CONFIGURATIONS, Configuration
from core.attention.costs import plain_share
from core.program.numbers.rounding import decimal_text

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
    block = model.block
    parts = (
        block.attention.projecting(tokens),
        block.feeding(tokens),
        block.attention.attending(tokens, tokens),
    )
    return WorkShares(*(part / block.working(tokens) for part in parts))


def shares_over(model: Configuration, lengths: Sequence[int]) -> tuple[list[float], ...]:
    """For each part its share at each of these lengths: projections, feed-forward, quadratic."""
    found = [work_shares(model, T) for T in lengths]
    return (
        [share.projections for share in found],
        [share.feeding for share in found],
        [share.quadratic for share in found],
    )


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
