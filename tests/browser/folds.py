"""The named folds of a page (ui/fold.py), for its tests."""

from playwright.sync_api import Locator, Page, expect


def fold_of(page: Page, title: str) -> Locator:
    """The fold whose title begins so."""
    named = page.locator("summary").filter(has_text=title)
    return page.locator('[data-testid="stExpander"] > details').filter(has=named).first


def unfold(page: Page, title: str) -> None:
    """Open a fold that is closed."""
    fold = fold_of(page, title)
    if fold.get_attribute("open") is None:
        fold.locator("summary").first.click()
    expect(fold).to_have_attribute("open", "")


def unfold_all(page: Page) -> None:
    """Open every named fold of a page that is whole."""
    closed = page.locator('[class*="st-key-fold_"] > * > details:not([open]) > summary')
    for left in range(closed.count(), 0, -1):
        closed.first.click()
        expect(closed).to_have_count(left - 1)
