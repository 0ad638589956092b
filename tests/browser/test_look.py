"""One look on every page: one typeface, one colour of what is chosen, one height of controls."""

from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import LookAt
from tests.sampling import DEEP, paired
from ui.path import PAGE_NAMES, address_of

LOOK = Path(__file__).with_name("look.js").read_text(encoding="utf-8")
SAMPLE = ("recursive_attention", "block")
COMPARED = "?step=weights&compare=scale"
PAGES = [address_of(name) for name in (PAGE_NAMES if DEEP else SAMPLE)]
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
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

On a student's phone they are as high as a finger is wide (test_class_window.py).
"""


def asked(page: Page, what: str, *given: str) -> list[Any]:
    """What that function of look.js says of the page as it is drawn."""
    expect(page.locator("h1, .stage .matrix .cell").first).to_be_visible()
    found: list[Any] = page.evaluate(f"given => {{ {LOOK}; return {what}(...given); }}", given)
    return found


@pytest.mark.parametrize(("place", "theme"), paired(PAGES, THEMES))
def test_typeface_violet_ink_and_heights_are_the_same_everywhere(
    place: str, theme: Literal["light", "dark"], server: str, look_at: LookAt
) -> None:
    """Digits have one width too."""
    page = look_at(f"{server}/{place}", width=1366, height=657, theme=theme)
    assert page.evaluate("document.fonts.check('16px \"Source Sans\"')")
    assert asked(page, "inOtherFaces") == []
    for height, family in FAMILIES.items():
        assert [part for part in asked(page, "heights", family) if part[1] != height] == []
    assert asked(page, "wronglyViolet") == []
    for said, with_page, with_text, hue in asked(page, "chosen"):
        assert with_page > INK, said
        assert with_text > INK, said
        assert hue < 16, said


@pytest.mark.parametrize(
    ("place", "width", "height"),
    [(page, *size) for page, size in paired([*PAGES, COMPARED], [(390, 844), (1366, 657)])],
)
def test_digits_are_large_enough_and_inside_their_cell(
    place: str, width: int, height: int, server: str, look_at: LookAt
) -> None:
    page = look_at(f"{server}/{place}", width=width, height=height)
    assert asked(page, "unfittingNumbers") == []
