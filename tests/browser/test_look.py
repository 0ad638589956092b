"""One look on every page: one typeface, one colour of what is chosen, one height of controls."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LookAt
from tests.browser.tabs import Theme
from tests.sampling import DEEP, paired
from ui.links.path import PAGE_NAMES, address_of

LOOK = Path(__file__).with_name("look.js").read_text(encoding="utf-8")
SAMPLE = ("recursive_attention", "attention_graph")
COMPARED = "?step=weights&compare=scale"
PAGES = [address_of(name) for name in (PAGE_NAMES if DEEP else SAMPLE)]
INK = 10
"""The least contrast of what is chosen, with the page and with what stands on it."""
WIDGETS = (
    '[data-testid^="stBaseButton-"]', '[data-testid="stPopoverButton"]', "[data-variant]",
    '[data-testid="stTextInputRootElement"]', '[data-testid="stNumberInputContainer"]',
    '.stSelectbox [role="group"]',
)  # fmt: skip
FAMILIES = {
    36: f"[data-testid=stMain] :is({', '.join(WIDGETS)})"
    ":not(.st-key-share_page *, .st-key-student *)",
    30: ".choice, .steps > button, .tools > summary, .bar button",
}
"""Streamlit's controls, and those of the stage and its kin; each with its height in pixels.

On a phone they are higher, on a student's as high as a finger is wide (test_class_window.py).
"""


def asked(page: Page, what: str, *given: str) -> list[Any]:
    """What that function of look.js says of the page as it is drawn."""
    expect(page.locator("h1, .stage .matrix .cell").first).to_be_visible()
    found: list[Any] = page.evaluate(f"given => {{ {LOOK}; return {what}(...given); }}", given)
    return found


LOOKS = [("light", 1366, 657), ("dark", 390, 844)]
"""Of a window: its theme and its size."""


@pytest.mark.parametrize(("place", "look"), paired([*PAGES, COMPARED], LOOKS))
def test_typeface_violet_ink_heights_and_digits_are_the_same_everywhere(
    place: str, look: tuple[Theme, int, int], look_at: LookAt
) -> None:
    """Digits have one width too; they are large enough and inside their cell."""
    theme, width, height = look
    page = look_at(place, size=(width, height), theme=theme)
    assert page.evaluate("document.fonts.check('16px \"Source Sans\"')")
    assert asked(page, "inOtherFaces") == []
    for high, family in FAMILIES.items() if width > 1000 else ():
        assert [part for part in asked(page, "heights", family) if part[1] != high] == []
    assert asked(page, "wronglyViolet") == []
    for said, with_page, with_text, hue in asked(page, "chosen"):
        assert with_page > INK, said
        assert with_text > INK, said
        assert hue < 16, said
    assert asked(page, "unfittingNumbers") == []
