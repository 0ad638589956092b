"""What the browser tests ask of any page: where a part stands, when it is there, where it leads."""

import re
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError, expect

SETTLED = (
    '[data-testid="stApp"]'
    '[data-test-script-state="notRunning"]'
    '[data-test-connection-state="CONNECTED"]'
)


def settle(page: Page) -> None:
    """Wait until the script has run, the page is connected and nothing of it waits unseen.

    What waits unseen (ui/page/browser/arriving.js) takes no focus.

    For after loading. Right after a click the app still counts as settled, until the server has
    heard of it: there, wait for what the click should show.
    """
    page.locator(SETTLED).wait_for()
    page.wait_for_function("() => !document.querySelector('[data-waits]')")


def type_in(field: Locator, text: str) -> None:
    field.fill(text)
    field.press("Enter")


def expect_same(fresh: Page, page: Page) -> None:
    """The fresh page comes to say what the other one says."""
    said = page.locator("[data-testid=stMarkdown]").all_text_contents()
    expect(fresh.locator("[data-testid=stMarkdown]")).to_have_text(said)


def downloaded(page: Page, button: Locator, folder: Path | None = None) -> Path:
    """The file that a press downloads: as the browser keeps it, or in a folder by its name."""
    with page.expect_download() as saved:
        button.click()
    if not folder:
        return saved.value.path()
    saved.value.save_as(folder / saved.value.suggested_filename)
    return folder / saved.value.suggested_filename


def nothing_of(page: Page, script: str, arg: object = None, where: object = "") -> None:
    """Wait until what a script lists is nothing; what there is is said where it stays."""
    try:
        page.wait_for_function(f"(arg) => !({script})(arg).length", arg=arg)
    except TimeoutError:
        assert page.evaluate(script, arg) == [], where
        raise


def fits(page: Page, width: int) -> None:
    """Wait until nothing reaches out of a window that is so wide: parts follow it by and by."""
    settle(page)
    page.wait_for_function(
        """(width) => [document.documentElement, document.querySelector("[data-testid=stMain]")]
          .every((part) => part.scrollWidth <= width)""",
        arg=width,
    )


@dataclass(frozen=True)
class Box:
    """In pixels from the left upper corner of the window."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def box_of(part: Locator) -> Box:
    """Where it stands, which it has to."""
    found = part.bounding_box()
    assert found, f"{part} is not drawn"
    left, top = found["x"], found["y"]
    return Box(left, top, left + found["width"], top + found["height"])


# Folds (ui/page/fold.py)

CLOSED = '[class*="st-key-fold_"] [data-testid=stExpander] > details:not([open]) > summary'


STANDS_OPEN = """({ parentElement: fold }) => (
  fold.open && !fold.getAnimations({ subtree: true }).length
)"""
LATER = "(read first: "
"""In the title of what needs a chapter that comes later."""


def fold_of(page: Page, title: str) -> Locator:
    """The fold whose title begins so."""
    named = page.locator("summary").filter(has_text=title)
    return page.locator('[data-testid="stExpander"] > details').filter(has=named).first


def unfold(page: Page, title: str = "", but: str | None = None) -> None:
    """Open every closed fold with these words in its title, and not with those of `but`.

    What is in it may still be to come.
    """
    expect(page.locator(".st-key-page_footer a").last).to_be_visible()  # all of the page is there
    closed = page.locator(CLOSED).filter(has_text=title, has_not_text=but)
    while closed.count():
        summary = closed.first.element_handle()
        summary.click()
        page.wait_for_function(STANDS_OPEN, arg=summary)


# The header, which lists all chapters


def header_of(page: Page) -> Locator:
    return page.locator(".st-key-header")


def expect_chapter(page: Page, number: int) -> None:
    """Wait until the page is this chapter."""
    named = re.compile(rf"^Chapter {number} of \d+")
    expect(header_of(page).get_by_role("img")).to_have_accessible_name(named)


def opened_path(page: Page) -> Locator:
    """The list of all chapters, opened."""
    header_of(page).get_by_role("button", name="Chapters").click()
    listed = header_of(page).get_by_role("navigation", name="Chapters")
    expect(listed).to_be_visible()
    return listed


def go_by_path(page: Page, title: str) -> None:
    opened_path(page).get_by_role("link", name=title, exact=True).click()
