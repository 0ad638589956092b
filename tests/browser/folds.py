"""Opening what a page keeps one click away (ui/page/fold.py)."""

from playwright.sync_api import Locator, Page, expect

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
