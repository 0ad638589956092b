"""What this chapter says: its texts, and phases whose texts have something of a run filled in."""

from core.program.rounding import cell_text, typeset
from core.program.steps import Phase
from core.texts import core_texts

TEXTS = core_texts("recursive_attention")


def phase_with(id: str, names: tuple[str, ...], more: dict[str, object], **fields: object) -> Phase:
    """Return `phase`, its texts filled in with those of `more` that they ask for."""
    title, summary, words = (
        TEXTS(part, **{name: more[name] for name in TEXTS.placeholders(part)})
        for part in (f"{id}_title", f"{id}_summary", f"{id}_words")
    )
    return Phase(title, names, summary, words=words, **fields)  # type: ignore[arg-type]


def percent(weight: float) -> str:
    """Return a weight in percent, as a cell shows it."""
    return typeset(cell_text(100 * weight))
