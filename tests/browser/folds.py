"""Opening what a page keeps one click away (ui/fold.py)."""

from playwright.sync_api import Page, expect

CLOSED = '[class*="st-key-fold_"] [data-testid=stExpander] > details:not([open]) > summary'


def unfold(page: Page, title: str = "") -> None:
    """Open every closed fold with these words in its title; what is in it may still be to come."""
    closed = page.locator(CLOSED).filter(has_text=title)
    for left in reversed(range(closed.count())):
        closed.first.click()
        expect(closed).to_have_count(left)
