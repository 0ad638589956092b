"""What the tests of pages share: a page opened by a link, and what its stage was told."""

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[2] / "pages"


def opened(page: str, **link: str) -> AppTest:
    """A page of the house, in a visitor's first run, with these keys in its link."""
    made = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    for key, value in link.items():
        made.query_params[key] = value
    return made.run()


def stage(page: AppTest, number: int = 0) -> dict[str, Any]:
    """What a stage of the page was told, where the page raised nothing."""
    return told(page, "attention_stage")[number]


def told(page: AppTest, component: str) -> list[dict[str, Any]]:
    """What each component of that name was told, where the page raised nothing."""
    assert not page.exception
    sent = [made.proto for made in page.get("bidi_component")]
    return [
        json.loads(made.json, parse_constant=_refused)
        for made in sent
        if made.component_name == component
    ]


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON: a browser refuses it")
