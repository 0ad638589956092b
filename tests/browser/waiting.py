"""What a browser test waits for; never for time."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

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


def fits(page: Page, width: int) -> None:
    """Wait until nothing reaches out of a window that is so wide: parts follow it by and by."""
    settle(page)
    page.wait_for_function(
        """(width) => [document.documentElement, document.querySelector("[data-testid=stMain]")]
          .every((part) => part.scrollWidth <= width)""",
        arg=width,
    )
