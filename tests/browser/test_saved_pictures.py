"""A picture of the stage that is saved has the colours that the stage has, on every host."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import FrameLocator, Page, expect

from core.attention.setups import Setup
from core.program.labels import token_labels
from stage import show
from stage.hosts.standalone import standalone
from tests.browser.conftest import OpenPage
from tests.browser.page import downloaded, settle
from tests.browser.stage import tool
from tests.browser.tabs import THEMES, Theme
from tests.sampling import paired

SVG = "{http://www.w3.org/2000/svg}"
TEXT = "again and again a somewhat"
OPENING = ("masked", (0, 2, 1))
HOSTS = ("streamlit", "page", "notebook")
ENOUGH = 4.5
"""The contrast that WCAG AA asks of text."""
Where = Page | FrameLocator


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder, trace = tmp_path_factory.mktemp("pictures"), Setup(text=TEXT).trace
    cell = show(trace, OPENING)._repr_html_()
    texts = {
        "page": standalone(trace, OPENING),
        "notebook": f"<!doctype html><meta name=color-scheme content='light dark'><body>{cell}",
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


def luminance(colour: str) -> float:
    """Of #rrggbb, as WCAG has it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def number(node: ElementTree.Element, name: str) -> float:
    return float(node.get(name) or 0)


def holds(box: ElementTree.Element, x: float, y: float) -> bool:
    across = 0 <= x - number(box, "x") <= number(box, "width")
    return across and 0 <= y - number(box, "y") <= number(box, "height")


def fills(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """The colour of each text, and of the smallest box that is behind it."""
    for text in root.findall(f"{SVG}text"):
        x, y = number(text, "x"), number(text, "y")
        around = [box for box in root.findall(f"{SVG}rect") if holds(box, x, y)]
        behind = min(around, key=lambda box: number(box, "width") * number(box, "height"))
        yield str(text.get("fill")), str(behind.get("fill"))


@pytest.mark.parametrize(("host", "theme"), paired(HOSTS, THEMES))
def test_a_picture_has_the_paper_and_the_ink_of_the_page(
    host: str, theme: Theme, open_page: OpenPage, files: dict[str, Path],
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    if host == "streamlit":
        text = TEXT.replace(" ", "+")
        address = f"{request.getfixturevalue('server')}/?text={text}&step=masked"
    else:
        address = files[host].as_uri()
    page = open_page(address, theme=theme, until=settle if host == "streamlit" else None)
    where: Where = page.frame_locator("iframe") if host == "notebook" else page
    expect(where.locator(".focus .cell").first).to_be_visible()
    around = where.locator(".stApp" if host == "streamlit" else "body")
    shown = str(around.evaluate("part => getComputedStyle(part).backgroundColor"))
    paper = "#" + "".join(f"{int(part):02x}" for part in shown[4:-1].split(","))
    assert (luminance(paper) > 0.5) == (theme == "light")
    root = ElementTree.parse(downloaded(page, tool(where, "Save a picture as SVG"))).getroot()
    sheet = root.find(f"{SVG}rect")
    assert sheet is not None
    assert sheet.get("fill") == paper
    assert {"0", None} >= {sheet.get("x"), sheet.get("y")}
    for ink, behind in fills(root):
        behind = paper if behind.startswith("url") else behind  # hatched: lines on the paper
        assert contrast(ink, behind) >= ENOUGH, (ink, behind)
    picture = Image.open(downloaded(page, tool(where, "Save a picture as PNG"))).convert("RGB")
    for corner in ((0, 0), (picture.width - 1, picture.height - 1)):
        assert "#{:02x}{:02x}{:02x}".format(*picture.getpixel(corner)) == paper  # type: ignore[misc]


@pytest.mark.deep
def test_labels_are_whole_on_the_stage_and_in_pictures(open_file: OpenPage) -> None:
    trace = Setup(text="unbelievable and unbelievable and so on to the end").trace
    page = open_file(standalone(trace, ("scores", (0, 0, 0))), size=(700, 900))
    labels = token_labels(trace.tokens)
    for kind in ("top", "side"):
        drawn = page.locator(f'[data-part="focus"][data-matrix="scores"] .label.{kind}')
        expect(drawn).to_have_text(labels)
        whole = "all => all.every((label) => label.scrollWidth <= label.clientWidth + 1)"
        assert drawn.evaluate_all(whole)
    root = ElementTree.parse(downloaded(page, tool(page, "Save a picture as SVG"))).getroot()
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert set(labels) <= set(texts)
