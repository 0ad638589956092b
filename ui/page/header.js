// The header of every page: its name, all chapters, where one stands among them, the way on and back,
// and the pages beside the path. CHAPTERS and BESIDE are put before this script (ui/page/path_navigation.py).

import { followed } from "./browser/in_app_navigation.js";
import { clearTicks, drawn, ticks } from "./ticks.js";

// What the page is called in links, and whether its link is there to be shared.
export const thisPage = { here: "", shares: true };

const SHARE_BUTTON = ".st-key-share_page button";
const LONGEST = CHAPTERS.map(({ title }) => title).reduce((a, b) => (b.length > a.length ? b : a));

function element(kind, text = "", set = {}, ...parts) {
  const made = Object.assign(document.createElement(kind), { textContent: text }, set);
  made.append(...parts);
  return made;
}

let leads = false; // whether a panel closes because a link of it leads on

/** A link of the header was clicked. One to the page that is shown opens it anew, as it is at first. */
function follow(event) {
  if (new URL(event.currentTarget.href).pathname === location.pathname) return;
  followed(event, (link) => {
    leads = true;
    link.closest("[popover]")?.hidePopover();
    link.getRootNode().activeElement?.blur(); // the title of the page that comes has it (ui/page/browser/focus.js)
  });
}

function linkTo({ title, address }) {
  const link = element("a", title, { href: new URL(address, document.baseURI).href });
  link.addEventListener("click", follow);
  return link;
}

/** A link to the chapter before or after the one on show. */
class Way {
  constructor(word, step) {
    this.step = step;
    this.title = element("span");
    const [before, after] = step < 0 ? ["‹ ", ""] : ["", " ›"];
    this.link = linkTo({ title: "", address: "./" });
    this.link.append(element("i", before), this.title, element("i", after));
    this.word = word;
  }

  show(at) {
    const chapter = at < 0 ? null : CHAPTERS[at + this.step];
    this.link.hidden = !chapter;
    if (!chapter) return;
    this.title.textContent = chapter.title;
    this.link.href = new URL(chapter.address, document.baseURI).href;
    this.link.ariaLabel = this.link.title = `${this.word} chapter: ${chapter.title}`;
  }
}

/** A chapter in the list of all. */
class Row {
  constructor(chapter, at) {
    this.chapter = chapter;
    this.link = linkTo(chapter);
    this.tick = element("span", "", { className: "tick" });
    const { minutes, needs } = chapter;
    this.item = element("li", "", {},
      element("span", `${at + 1}`, { className: "quiet" }), this.link,
      element("span", `${minutes} min`, { className: "quiet minutes" }),
      element("span", `needs ${needs.join(", ") || "nothing"}`, { className: "quiet needs" }), this.tick);
  }

  show(here, now) {
    const { name } = this.chapter;
    this.link.ariaCurrent = name === here ? "page" : null;
    const questions = now.answered[name]?.length ?? 0;
    this.tick.textContent = [
      ...(now.read.includes(name) ? ["✓ read"] : []),
      ...(questions ? [`✓ ${questions} answered`] : []),
    ].join(", ");
  }
}

/** Whether the focus was in a panel that is closed now, and is nowhere else. */
function isLost(panel) {
  const { activeElement: inside, host } = panel.getRootNode();
  const { activeElement } = document;
  return activeElement.matches("body, [data-testid=stMain]") || (activeElement === host && (!inside || panel.contains(inside)));
}

/** A button with a panel, in which the focus is while it is open; Escape and a press outside close it. */
function opens(button, panel, first) {
  panel.popover = "auto";
  button.type = "button";
  button.popoverTargetElement = panel;
  button.ariaExpanded = "false";
  panel.addEventListener("toggle", ({ newState }) => {
    const isOpen = newState === "open";
    button.ariaExpanded = `${isOpen}`;
    if (isOpen) first().focus();
    else if (isLost(panel) && !leads) button.focus();
    leads = false;
  });
  return [button, panel];
}

export class Header {
  constructor(root) {
    this.rows = CHAPTERS.map((chapter, at) => new Row(chapter, at));
    this.dots = element("div", "", { className: "dots", role: "img" }, ...CHAPTERS.map(() => element("span")));
    this.ways = [["previous", -1], ["next", 1]].map(([id, step]) => new Way(TEXTS(id), step));
    this.waysInMenu = [["previous", -1], ["next", 1]].map(([id, step]) => new Way(TEXTS(id), step));
    this.beside = BESIDE.map((page) => ({ page, links: [linkTo(page), linkTo(page)] }));
    const placed = (place) => this.beside.filter(({ page }) => page.place === place).map(({ links }) => links[0]);
    const links = ({ link }) => link;
    const name = Object.assign(linkTo({ title: "", address: "./" }), { className: "name" });
    name.append(...NAME.split(/(?<=, )/).map((part) => element("span", part))); // a line each on a phone
    const nav = element("nav", "", { ariaLabel: TEXTS("pages") },
      name,
      ...this.chapters(placed("list")),
      this.dots,
      element("div", "", { className: "way" }, ...this.ways.map(links)),
      element("div", "", { className: "beside" }, ...placed("line")),
      ...this.rest(...this.waysInMenu.map(links), ...this.beside.map(({ links }) => links[1])));
    this.nav = nav;
    root.replaceChildren(element("header", "", {}, nav));
    drawn.add(this);
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(nav);
    document.fonts.ready.then(() => this.fit());
  }

  close() {
    this.resized.disconnect();
    drawn.delete(this);
  }

  /** The chapters before and after have their names where there is room for the longest, on any page. */
  fit() {
    this.nav.classList.remove("tight");
    this.ways.forEach(({ title }) => { title.textContent = LONGEST; });
    this.nav.classList.toggle("tight", this.nav.scrollWidth > this.nav.clientWidth);
    this.show();
  }

  /** A button with all chapters, and after them the pages that have no room in the line. */
  chapters(others) {
    this.clear = element("button", TEXTS("clear_ticks"), { type: "button", onclick: clearTicks });
    const panel = element("nav", "", { className: "panel chapters", ariaLabel: TEXTS("chapters") },
      element("ol", "", {}, ...this.rows.map(({ item }) => item)),
      ...others.map((link) => element("div", "", { className: "other" }, link)),
      element("p", "", { className: "quiet" }, TEXTS("ticks"), this.clear));
    const button = element("button", TEXTS("chapters_open"));
    button.addEventListener("click", () => {
      panel.style.setProperty("--left", `${button.getBoundingClientRect().left}px`);
    });
    return opens(button, panel, () => (this.rows.find(({ link }) => link.ariaCurrent) ?? this.rows[0]).link);
  }

  /** What a narrow window has no room for. */
  rest(...links) {
    const share = element("button", TEXTS("share"), { type: "button" });
    this.share = share;
    const panel = element("div", "", { className: "panel rest" }, ...links, share);
    const button = element("button", "☰", { className: "small", ariaLabel: TEXTS("menu") });
    share.onclick = () => {
      panel.hidePopover();
      button.focus();
      setTimeout(() => document.querySelector(SHARE_BUTTON).click()); // else this press, being outside, closes it
    };
    return opens(button, panel, () => links.find((link) => !link.hidden));
  }

  show() {
    const now = ticks();
    const at = CHAPTERS.findIndex(({ name }) => name === thisPage.here);
    const isRead = ({ name }) => now.read.includes(name);
    const done = CHAPTERS.filter(isRead).length, count = CHAPTERS.length;
    this.rows.forEach((row) => row.show(thisPage.here, now));
    [...this.ways, ...this.waysInMenu].forEach((way) => way.show(at));
    this.beside.forEach(({ page, links }) => links.forEach((link) => {
      link.ariaCurrent = page.name === thisPage.here ? "page" : null;
    }));
    this.dots.ariaLabel = [
      at < 0 ? TEXTS("chapter_count", { count }) : TEXTS("chapter_at", { number: at + 1, count }),
      ...(done ? [TEXTS("chapters_read", { count: done })] : []),
    ].join(", ");
    [...this.dots.children].forEach((dot, number) => {
      dot.className = number === at ? "here" : isRead(CHAPTERS[number]) ? "read" : "";
    });
    this.share.hidden = !thisPage.shares;
    this.clear.disabled = !done && !Object.keys(now.answered).length;
  }
}
