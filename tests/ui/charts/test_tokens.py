"""Tokens in a page's figures are text: Plotly makes tags, links and other signs of HTML."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import InputError
from core.path import PATH
from tests.sampling import DEEP
from tests.ui.support import offered, opened
from ui.links.links import Key
from ui.links.path import keys_of

SENTENCE = "< > & cat"
OURS = {
    "b", "/b", "br", "extra", "/extra", "i", "/i", "span", "/span", "sub", "/sub", "sup", "/sup",
}  # fmt: skip
"""The tags of our own."""


def takes(name: str, key: Key) -> bool:
    """Whether a key of a link takes any sentence."""
    try:
        return bool(key.reader(name, SENTENCE) == SENTENCE)
    except InputError:
        return False


def texts(part: Any) -> Iterator[str]:
    """Every text of a figure but its description, which no HTML is made of."""
    if isinstance(part, str):
        yield part
    for name, below in part.items() if isinstance(part, dict) else ():
        yield from texts(below) if name not in ("meta", "template") else ()
    for below in part if isinstance(part, list) else ():
        yield from texts(below)


@pytest.mark.parametrize("page", PATH)
def test_no_tag_or_sign_is_made_of_tokens(page: str) -> None:
    keys = keys_of(page)
    link = {name: SENTENCE for name, key in keys.items() if takes(name, key)}
    choices = [{name: v} for name, key in keys.items() for v in offered(name, key.reader)]
    for choice in [{}, *(choices if DEEP else ())]:
        for chart in opened(page, **choice | link).get("plotly_chart"):
            for text in texts(json.loads(chart.proto.spec)):
                plain = re.sub(r"(?<=<span) style='color:#\w{6}'(?=>)", "", text)
                assert set(re.findall(r"<([^<>]*)>", plain)) <= OURS, text
                assert not re.search("&(?!(lt|gt|amp);)", text), text


def test_there_are_figures_with_tokens_in_them() -> None:
    page = opened("why_mask", mask_text=SENTENCE)
    found = [[*texts(json.loads(chart.proto.spec))] for chart in page.get("plotly_chart")]
    assert any("&lt;" in text for chart in found for text in chart)
