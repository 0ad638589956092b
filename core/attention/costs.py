"""What attention takes: multiplications of its products, numbers and bytes of its cache.

And what the feed-forward layer after it takes. Biases, norms, softmax and other steps whose work
grows no faster than these are left out.
"""

from dataclasses import dataclass
from fractions import Fraction

from core.program.numbers.rounding import decimal_text
from core.texts import core_texts

TEXTS = core_texts("layers")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def size_text(count: int) -> str:
    """Return a number of bytes in the largest unit that fits: 1,536 bytes are 1.5 KiB."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    if unit == 0:
        return TEXTS("bytes", number=f"{count:,}", n=count)
    return f"{decimal_text(value, 1)} {_UNITS[unit]}"


@dataclass(frozen=True)
class Layer:
    """The sizes of one attention layer: H = `heads`, G = `kv_heads`, d_k = d_v."""

    d_model: int
    heads: int
    kv_heads: int
    d_k: int

    @property
    def parameters(self) -> int:
        """Numbers in W_Q, W_K, W_V and W_O: a row meets each of them once."""
        return self.projecting(1)

    def projecting(self, rows: int) -> int:
        """Multiplications of Q, K, V and of the output's W_O, for so many rows of X.

        rows·d_model·(2·H·d_k + 2·G·d_k).
        """
        return rows * self.d_model * 2 * (self.heads + self.kv_heads) * self.d_k

    def attending(self, queries: int, keys: int) -> int:
        """Multiplications of scores and context, hidden pairs and all: 2·H·queries·keys·d_k."""
        return 2 * self.heads * queries * keys * self.d_k

    def cached(self, tokens: int) -> int:
        """Numbers of K and V that are kept for so many tokens: 2·G·d_k·tokens."""
        return 2 * self.kv_heads * self.d_k * tokens


@dataclass(frozen=True)
class LayerCosts:
    """An attention layer and the feed-forward layer after it.

    Feed-forward has `matrices` of d_model × d_ff: two, or three where one of them is a gate
    (Shazeer 2020).
    """

    attention: Layer
    d_ff: int
    matrices: int = 2

    @property
    def parameters(self) -> int:
        return self.attention.parameters + self.feeding(1)

    def feeding(self, rows: int) -> int:
        """Multiplications of feed-forward, for so many rows: rows·matrices·d_model·d_ff."""
        return rows * self.matrices * self.attention.d_model * self.d_ff

    def working(self, tokens: int) -> int:
        """Multiplications of a pass over a text: each token meets each, hidden pairs and all."""
        quadratic = self.attention.attending(tokens, tokens)
        return self.attention.projecting(tokens) + self.feeding(tokens) + quadratic

    def quadratic_share(self, tokens: int) -> float:
        """Scores and weighted sum among all multiplications of a pass: 0 to 1."""
        return self.attention.attending(tokens, tokens) / self.working(tokens)

    @property
    def half(self) -> Fraction:
        """For so many tokens that share is a half: parameters·T = 2·H·d_k·T²."""
        return Fraction(self.parameters, self.attention.attending(1, 1))


def plain_share(tokens: int, d_model: int) -> float:
    """T/(6d+T): `Block.quadratic_share` where H·d_k = d_model, G = H and d_ff = 4·d_model.

    12·d²·T multiplications for projections and feed-forward, 2·T²·d for scores and weighted sum.
    """
    return tokens / (6 * d_model + tokens)
