"""Takes the README's pictures anew: the walkthrough, light and dark, into `docs/`."""

from pathlib import Path

from playwright.sync_api import Browser

from tools.browser import ROOT, chromium, serving, settle

LINK = "?step=weights&cell=weights.0.5.3"
SIZE = {"width": 1180, "height": 960}
THEMES = ("light", "dark")


def name(theme: str) -> str:
    """The file of a theme's picture, as the README calls it."""
    return f"walkthrough-{theme}.png"


def take(browser: Browser, url: str, folder: Path) -> list[Path]:
    """Pictures of the app at an address, one a theme, each once its numbers stand there."""
    taken = []
    for theme in THEMES:
        page = browser.new_page(viewport=SIZE, device_scale_factor=1.5, color_scheme=theme)  # type: ignore[arg-type]
        page.goto(f"{url}/{LINK}")
        settle(page)
        page.locator("[data-testid=arithmetic] .rows > :not(.before) math").first.wait_for()
        page.wait_for_load_state("networkidle")
        taken.append(folder / name(theme))
        page.screenshot(path=taken[-1])
        page.close()
    return taken


def main() -> None:
    with serving(ROOT / "app.py") as url, chromium() as browser:
        for path in take(browser, url, ROOT / "docs"):
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
