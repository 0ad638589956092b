"""What this chapter says: its texts, and how a weight is said in percent."""

from core.program.rounding import cell_text, typeset
from core.texts import core_texts

TEXTS = core_texts("recursive_attention")


def weight_percent(weight: float) -> str:
    """Return a weight in percent, as a cell shows it."""
    return typeset(cell_text(100 * weight))
