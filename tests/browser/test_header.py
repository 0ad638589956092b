"""The header of every page: all chapters, which one it is, and the way to the others."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from core.attention.examples.river_bank import RIVER_BANK
from core.path import PATH
from tests.browser.conftest import LookAt, OpenPage, stopped
from tests.browser.fonts import FONTS
from tests.browser.page import Box, box_of, expect_chapter, fits, header_of, opened_path, settle
from tests.browser.stage import expect_step
from tests.sampling import DEEP, some
from ui.links.path import BESIDE, HOME, address_of, chapter_number

CHAPTERS = list(PATH.values())
EVERY = [*PATH, *BESIDE]
# What of the header is cut or stands on something else, if anything. Streamlit's menu, and Share,
# stand at its end.
CUT = """(nav) => {
  const bar = nav.parentElement.getBoundingClientRect();
  const light = [".st-key-share_page button", "[data-testid=stMainMenuButton]"]
    .map((name) => document.querySelector(name));
  const all = [...nav.querySelectorAll("a, button, [role=img]"), ...light].filter((one) =>
    !one.closest("[popover]") && one.checkVisibility({ visibilityProperty: true }));
  const boxes = all.map((one) => one.getBoundingClientRect());
  return all.filter((one, at) => {
    const { left, right, top, bottom } = boxes[at];
    const over = boxes.some((box, other) => other < at && left < box.right && box.left < right);
    return over || left < 0 || right > innerWidth || top < bar.top || bottom > bar.bottom
      || one.scrollWidth > one.clientWidth + 1 && one.localName !== "a";
  }).map((one) => one.outerHTML);
}"""
# Something of the page changed, and those who watch for changes have looked (focus.js).
CHANGED_SINCE = """() => new Promise((seen) => {
  const mark = document.body.appendChild(document.createElement("i"));
  mark.hidden = true;
  setTimeout(() => { mark.remove(); seen(); }, 300);
})"""


def at(name: str) -> str:
    return address_of(name).removeprefix("./")


def nav_of(page: Page) -> Locator:
    return header_of(page).get_by_role("navigation", name="Pages")


@pytest.mark.parametrize("name", [*EVERY] if DEEP else ["recursive_attention", "lessons"])
def test_every_page_has_all_chapters_in_order_with_its_own_marked_and_begins_below(
    look_at: LookAt, name: str
) -> None:
    page = look_at(at(name))
    header = header_of(page)
    here = [chapter_number(name)] if name in PATH else []
    dots = header.get_by_role("img")
    named = f"Chapter {here[0]} of {len(PATH)}" if here else f"{len(PATH)} chapters"
    expect(dots).to_have_accessible_name(named)
    marked = dots.locator("span").evaluate_all("(all) => all.map((one) => one.className)")
    assert [number for number, mark in enumerate(marked, 1) if mark == "here"] == here
    assert len(marked) == len(PATH)
    items = opened_path(page).get_by_role("listitem")
    expect(items).to_have_count(len(PATH))
    for number, (item, chapter) in enumerate(zip(items.all(), CHAPTERS, strict=True), 1):
        needs = ", ".join(map(str, sorted(map(chapter_number, chapter.needs)))) or "nothing"
        expect(item).to_have_text(f"{number}{chapter.title}{chapter.minutes} minneeds {needs}")
    current = header.locator("[aria-current=page]").and_(page.locator(":visible"))
    expect(current).to_have_text(PATH[name].title if name in PATH else BESIDE[name])
    page.keyboard.press("Escape")
    for word, step in {"Next": 1, "Previous": -1}.items():
        link = nav_of(page).get_by_role("link", name=f"{word} chapter")
        if not here or not 1 <= here[0] + step <= len(PATH):
            expect(link).to_have_count(0)
            continue
        other = CHAPTERS[here[0] + step - 1]
        expect(link).to_have_text(f"{other.title} ›" if step > 0 else f"‹ {other.title}")
        leads_to = str(link.get_attribute("href")).partition("?")[0]  # a sentence comes along
        assert leads_to.endswith(f"/{at(other.name)}")
    begins_below_the_header(page)


def begins_below_the_header(page: Page) -> None:
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")  # a scene may lead down
    first = page.locator(".st-key-preamble").locator("p, h1").locator("visible=true").first
    bar = box_of(header_of(page).locator("header"))
    assert bar.bottom <= box_of(first).top <= bar.bottom + 24


def test_one_visit_leads_to_every_kind_of_page_and_back(open_page: OpenPage) -> None:
    """By keys to another chapter; then by the links of the header."""
    page = open_page("/")
    nav_of(page).evaluate("(nav) => { nav.mark = true; }")
    is_reached_by_keys_alone(page, chapter_number(HOME))
    settle(page)
    opened_path(page).get_by_role("link", name="Models").click()
    page.wait_for_url("**/models")
    settle(page)
    nav_of(page).get_by_role("link", name="Attention, step by step").click()
    expect_chapter(page, chapter_number(HOME))
    settle(page)
    assert nav_of(page).evaluate("(nav) => nav.mark && nav.isConnected"), "it stands all the time"


def is_reached_by_keys_alone(page: Page, number: int) -> None:
    """The next chapter, from this one."""
    button = header_of(page).get_by_role("button", name="Chapters")
    listed = header_of(page).get_by_role("navigation", name="Chapters")
    link = listed.get_by_role("link")
    nav_of(page).get_by_role("link", name="Attention, step by step").focus()
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(link.nth(number - 1)).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(listed).to_be_hidden()
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(link.nth(number - 1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(link.nth(number)).to_be_focused()
    page.keyboard.press("Enter")
    expect_chapter(page, number + 1)
    expect(listed).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_be_focused()


@pytest.mark.deep
def test_on_the_front_page_its_name_leads_to_the_opening(server: str, open_page: OpenPage) -> None:
    page = open_page("?text=red+green&heads=4&step=weights", step="weights")
    nav_of(page).get_by_role("link", name="Attention, step by step").click()
    expect_step(page, "X")
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value(RIVER_BANK.text)
    assert page.url == f"{server}/"


WIDTHS = [390, 640, 899, 900, 1160, 1280, 1366, 1440, 1920]


@pytest.mark.parametrize("fonts", some(FONTS[::-1], 2))
def test_nothing_in_the_header_is_cut_or_on_top_of_another(open_page: OpenPage) -> None:
    page = open_page("queries-keys-values", size=(1440, 844))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        expect(nav_of(page)).to_be_visible()
        fits(page, width)
        assert nav_of(page).evaluate(CUT) == [], width
        assert box_of(header_of(page).locator("header")) == Box(0, 0, width, 48)
        panel = box_of(opened_path(page))
        assert panel.left >= 0
        assert panel.right <= width
        assert panel.bottom <= 844
        page.keyboard.press("Escape")
        begins_below_the_header(page)


@pytest.mark.deep
@pytest.mark.parametrize("address", ["?lesson=class.2", *map(at, EVERY)])
def test_on_a_phone_too_every_page_begins_below_the_header(look_at: LookAt, address: str) -> None:
    page = look_at(address, size=(390, 844))
    expect(nav_of(page)).to_be_visible()
    begins_below_the_header(page)


def test_on_a_phone_a_menu_has_the_rest(server: str, open_page: OpenPage) -> None:
    page = open_page("?step=X", size=(390, 844))
    menu = header_of(page).get_by_role("button", name="Menu")
    expect(page.get_by_role("button", name="Share", exact=True)).to_have_count(0)
    menu.press("Enter")
    for title in ("Softmax", "Queries, keys, values", *BESIDE.values()):
        expect(nav_of(page).get_by_role("link", name=title)).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    menu.press("Enter")
    nav_of(page).get_by_role("button", name="Share").press("Enter")
    panel = page.get_by_test_id("stPopoverBody")
    expect(panel).to_contain_text(f"{server}/?step=X")
    fits(page, 390)
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    menu.press("Enter")
    for title in some([*BESIDE.values()], 2):
        nav_of(page).get_by_role("link", name=title).press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile(title, re.I))
        settle(page)
        menu.press("Enter")
        # No chapter is before or after such a page, so its menu has no arrows.
        links = header_of(page).locator(".rest a:visible")
        expect(links).to_have_text([*BESIDE.values()])


@pytest.mark.deep
def test_a_late_page_has_the_focus_on_its_own_title(server: str, open_page: OpenPage) -> None:
    """Until it comes, the address is already its own and the title is still the other page's."""
    page = open_page("heads")
    title = page.get_by_role("heading", level=1)
    before = title.inner_text()
    link = opened_path(page).get_by_role("link").nth(chapter_number("heads"))
    with stopped(page.url):
        link.press("Enter")
        page.wait_for_url(f"{server}/{at(CHAPTERS[chapter_number('heads')].name)}")
        page.evaluate(CHANGED_SINCE)
        expect(title).to_have_text(before)
        expect(title).not_to_be_focused()
    expect(title).not_to_have_text(before)
    expect(title).to_be_focused()


@pytest.mark.deep
def test_a_press_outside_closes_the_chapters(open_page: OpenPage) -> None:
    page = open_page("heads")
    listed = opened_path(page)
    page.mouse.click(1300, 850)
    expect(listed).to_be_hidden()
    expect(header_of(page).get_by_role("button", name="Chapters")).to_be_focused()


@pytest.mark.deep
def test_the_focus_passes_the_header_and_meets_no_hidden_link(open_page: OpenPage) -> None:
    page = open_page("softmax")
    names = ["Attention, step by step", "Chapters ▾", "‹ Dot products", "Walkthrough ›", "Lessons",
             "Practice"]  # fmt: skip
    nav_of(page).get_by_role("link", name=names[0]).focus()
    focused = """() => {
      const { activeElement: one } = document;
      const inside = one.shadowRoot?.activeElement ?? one;
      return [inside.textContent, inside.checkVisibility({ visibilityProperty: true })];
    }"""
    for name in names:
        assert page.evaluate(focused) == [name, True]
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Share", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    assert page.locator(".st-key-preamble").get_by_role("link", name="Dot products").count() == 0
    nav_of(page).get_by_role("link", name="Dot products").focus()
    page.keyboard.press("Enter")
    expect_chapter(page, chapter_number("dot_products"))
    for own in ("stTopNavLink", "stSidebarNavLink", "stSidebar"):
        assert page.get_by_test_id(own).count() == 0


@pytest.mark.deep
def test_what_to_read_first_leads_on_in_the_same_session(open_page: OpenPage) -> None:
    page = open_page("heads?heads_text=red+green+blue")
    page.evaluate("globalThis.sameVisit = true")
    page.locator(".st-key-preamble").get_by_role("link", name="Queries, keys, values").click()
    expect_chapter(page, chapter_number("queries_keys_values"))
    settle(page)
    nav_of(page).get_by_role("link", name="Walkthrough").click()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("red green blue")
    assert page.evaluate("globalThis.sameVisit")


@pytest.mark.parametrize("asked", some(["present=1", "embed=true"], 2))
def test_a_projector_and_a_page_within_another_have_no_header(look_at: LookAt, asked: str) -> None:
    page = look_at(f"debug-lab?{asked}")
    expect(page.locator(".st-key-page_footer")).to_be_attached()
    expect(header_of(page)).to_have_count(0)
    expect(page.locator(".st-key-share_page")).to_have_count(0)


@pytest.mark.deep
def test_the_header_is_seen_while_the_page_itself_has_the_focus(open_page: OpenPage) -> None:
    """As after a press on its ground: the ring around the page cuts nothing off."""
    page = open_page("softmax")
    page.keyboard.press("Tab")  # so that a ring is drawn
    page.get_by_test_id("stMain").focus()
    link = nav_of(page).get_by_role("link").first.bounding_box()
    assert link
    before = page.screenshot(clip=link)
    page.evaluate("document.activeElement.blur()")
    assert page.screenshot(clip=link) == before
    expect(page.get_by_test_id("stMain")).to_have_css("clip-path", "none")
