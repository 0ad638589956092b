"""Brackets, counted before a parser meets them: deep ones cost it its stack."""

import re

from core.errors import input_error
from core.files.numerals import too_deep
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_NESTING = 16
"""Brackets of all kinds within each other, calls included."""
MAX_BRACKETS = 20_000
CLOSED_BY = {"[": "]", "(": ")", "{": "}"}


def check_nesting(text: str) -> None:
    """Raise `InputError` for brackets that are deep, or more than any matrix needs."""
    brackets = re.findall(r"[\[\](){}]", text)
    if len(brackets) > 2 * MAX_BRACKETS:
        count, most = f"{len(brackets) // 2:,}", f"{MAX_BRACKETS:,}"
        raise input_error(TEXTS, "many_brackets", count=count, most=most)
    depth = 0
    for bracket in brackets:
        depth = depth + 1 if bracket in CLOSED_BY else max(depth - 1, 0)
        if depth > MAX_NESTING:
            raise too_deep()
