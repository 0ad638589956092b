"""What an error says is allowed is what the code allows: the number is filled in, never typed."""

import re

import pytest

from tests.test_texts import FILES

FILLED = re.compile(r"{{.*?}}|{%.*?%}|\[\[.*\]\]|1, 2, 3 …")
TYPED = re.compile(r"(?<![\w/-])(?:\d[\d,.]*\d|[2-9])(?!\w)")
"""Numbers from two up; 0 and 1 are where things begin."""


def typed(text: str) -> list[str]:
    return TYPED.findall(FILLED.sub("", text))


@pytest.mark.parametrize("texts", FILES, ids=lambda texts: texts.file.stem)
def test_no_limit_is_typed(texts) -> None:
    limits = {id: text for id, text in texts.sources.items() if id.endswith("_limit")}
    assert {id: found for id, text in limits.items() if (found := typed(text))} == {}


def test_a_typed_limit_is_seen() -> None:
    assert typed("it may have 1 to 60 of {{ 70 }}, or 8,000 bytes") == ["60", "8,000"]
    assert not typed("from 0 to 1, as float64, GPT-2 or UTF-8; [[1, 2], [3, 4]]")
