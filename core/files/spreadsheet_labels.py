"""Labels in a CSV, so that no spreadsheet runs one as a formula, and back."""

import re
import unicodedata

from core.program.numbers.literals import JOINERS, inert

_FORMULA = re.compile(r"[\s']*[=+\-@−]")
_KEEPS_AS_TEXT = "'"


def spreadsheet_label(label: str) -> str:
    """Return a label that is text in any spreadsheet: one like a formula gets an apostrophe."""
    text = inert(label)
    return _KEEPS_AS_TEXT + text if _is_like_a_formula(text) else text


def label_of_spreadsheet(text: str) -> str:
    """Return the label without the apostrophe that `spreadsheet_label` put before it."""
    return text[1:] if text[:1] == _KEEPS_AS_TEXT and _is_like_a_formula(text[1:]) else text


def _is_like_a_formula(text: str) -> bool:
    """Whether a text is a formula, or one after apostrophes: those before it can be told apart."""
    return _FORMULA.match(unicodedata.normalize("NFKC", text.strip(JOINERS))) is not None
