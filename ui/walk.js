// The path: its pages by number, and quiet ticks for what was read and answered. The ticks are kept
// in this browser alone; where it refuses to keep anything there are none. CHAPTERS is put before
// this script (ui/walk.py).

const KEPT = "attention-path";
const drawn = new Set();
let here = "";

function ticks() {
  const empty = { read: [], answered: {} };
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT));
    const names = (list) => (Array.isArray(list) ? list.filter((x) => typeof x === "string") : []);
    return {
      read: names(kept.read),
      answered: Object.fromEntries(
        Object.entries(kept.answered).map(([page, list]) => [page, names(list)]),
      ),
    };
  } catch {
    return empty;
  }
}

/** Keep what `change` makes of the ticks, and show it. */
function tick(change) {
  const now = ticks();
  if (!change(now)) return;
  try {
    localStorage.setItem(KEPT, JSON.stringify(now));
  } catch {
    return;
  }
  drawn.forEach((path) => path.show());
}

// A page that still grows shows its end before anybody has read it.
let acted = false;
for (const act of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  addEventListener(act, () => { acted = true; }, { capture: true, passive: true });
}

const read = (page) => tick(({ read: pages }) => !pages.includes(page) && pages.push(page));

const answered = (page, question) => tick(({ answered: pages }) => {
  pages[page] ??= [];
  return !pages[page].includes(question) && pages[page].push(question);
});

function clearTicks() {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    return;
  }
  drawn.forEach((path) => path.show());
}

function element(kind, text = "", set = {}) {
  return Object.assign(document.createElement(kind), { textContent: text }, set);
}

const follow = (event) => followed(event, (link) => { link.closest("details").open = false; });

const headings = () => [
  ...document.querySelectorAll("[data-testid=stMainBlockContainer] :is(h2, h3)"),
].filter((heading) => heading.checkVisibility());

class Path {
  constructor(root) {
    this.root = root;
    this.pages = element("details");
    this.contents = element("details");
    root.replaceChildren(this.pages, this.contents);
    const both = [this.pages, this.contents];
    for (const one of both) {
      one.addEventListener("toggle", () => {
        if (!one.open) return;
        both.filter((other) => other !== one).forEach((other) => { other.open = false; });
        this.show();
      });
    }
    root.addEventListener("keydown", ({ key }) => {
      const open = both.find((one) => one.open);
      if (key !== "Escape" || !open) return;
      open.open = false;
      open.querySelector("summary").focus();
    });
    this.away = ({ target }) => {
      if (!root.getRootNode().host.contains(target)) both.forEach((one) => { one.open = false; });
    };
    document.addEventListener("pointerdown", this.away);
    drawn.add(this);
  }

  show() {
    const now = ticks();
    const at = CHAPTERS.findIndex(({ name }) => name === here);
    const done = CHAPTERS.filter(({ name }) => now.read.includes(name)).length;
    const count = CHAPTERS.length;
    const summary = element("summary", at < 0 ? `The path: ${count} pages` : `The path: page ${at + 1} of ${count}`);
    if (done) summary.append(element("span", `, ${done} read`, { className: "done" }));
    const list = element("ol");
    list.append(...CHAPTERS.map((chapter) => this.page(chapter, now)));
    const clear = element("button", "Clear the ticks", { type: "button", onclick: clearTicks });
    clear.disabled = !done && !Object.keys(now.answered).length;
    const note = element("p", "Ticks are kept in this browser alone. ");
    note.append(clear);
    const panel = element("nav", "", { className: "panel", ariaLabel: "The path" });
    panel.append(list, note);
    this.fill(this.pages, summary, panel);
    const items = element("ol");
    // Listed when it is asked for: the page may still grow.
    items.append(...(this.contents.open ? headings() : []).map((heading) => {
      const item = element("li");
      item.append(element("button", heading.textContent, {
        type: "button",
        onclick: () => {
          this.contents.open = false;
          heading.scrollIntoView({ block: "start" });
        },
      }));
      return item;
    }));
    const inside = element("nav", "", { className: "panel", ariaLabel: "On this page" });
    inside.append(items);
    this.fill(this.contents, element("summary", "On this page"), inside);
  }

  /** New content in place of the old; what has the focus keeps it. */
  fill(details, summary, panel) {
    const old = details.querySelector("summary");
    if (old?.textContent === summary.textContent && !details.open) return;
    if (!old) details.append(summary, panel);
    else {
      old.replaceChildren(...summary.childNodes);
      const focused = details.getRootNode().activeElement;
      const lost = focused && focused !== old && details.contains(focused);
      details.querySelector(".panel").replaceWith(panel);
      if (lost) old.focus();
    }
  }

  page({ name, title, address, minutes, needs }, now) {
    const item = element("li");
    const link = element("a", title, { href: new URL(address, document.baseURI).href });
    link.addEventListener("click", follow);
    if (name === here) link.ariaCurrent = "page";
    const questions = now.answered[name]?.length ?? 0;
    const said = [
      ...(now.read.includes(name) ? ["✓ read"] : []),
      ...(questions ? [`✓ ${questions} answered`] : []),
    ].join(", ");
    const after = needs.length ? `, after ${needs.join(" and ")}` : "";
    item.append(link, element("span", ` ${minutes} min${after} `, { className: "about" }),
      element("span", said, { className: "tick" }));
    return item;
  }
}

const paths = new WeakMap();
const watched = new WeakMap();

/** What a page tells: where it stands, that its end is here, or that a question is answered. */
export default function ({ data: [told], parentElement }) {
  if (told.here) {
    here = told.here;
    const root = parentElement.querySelector(".path");
    if (!paths.has(root)) paths.set(root, new Path(root));
    paths.get(root).show();
    return () => {
      document.removeEventListener("pointerdown", paths.get(root).away);
      drawn.delete(paths.get(root));
      paths.delete(root);
    };
  }
  if (told.answered) answered(here, told.answered);
  if (told.end && !watched.has(parentElement)) {
    const seen = new IntersectionObserver((entries) => {
      if (acted && entries.some((entry) => entry.isIntersecting)) read(told.end);
    });
    seen.observe(parentElement.querySelector(".path"));
    watched.set(parentElement, seen);
    return () => {
      seen.disconnect();
      watched.delete(parentElement);
    };
  }
  return undefined;
}
