"""What attention takes: multiplications of its products, numbers and bytes of its cache.

Biases, softmax and other steps whose work grows no faster than these are left out.
"""

from dataclasses import dataclass

from core.program.rounding import decimal_text

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def size_text(count: int) -> str:
    """So many bytes as people say it: 1,536 bytes are 1.5 KiB, of 1,024 bytes each."""
    value, unit = float(count), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    if unit == 0:
        return f"{count:,} byte{'s' * (count != 1)}"
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
