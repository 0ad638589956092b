// The way through a lesson: back and on, all its scenes, and the keys of a presenter's remote. While
// a stage fills the window the scene's words stand beside it. What leads on is in ui/page/browser/in_app_navigation.js.

import { Announcer } from "../../stage/browser/dom/announcer.js";
import { atPlace, drawnAt, element } from "../../stage/browser/dom/elements.js";
import { followed, goTo } from "../page/browser/in_app_navigation.js";

const PANEL_SHARE = 0.24; // of the window
const WIDE_WINDOW = 900;
const SMALLEST = 12; // letters, in pixels
const OF_THE_VIEW = /^(.*_)?(step|cell|head|cover)$|^(lesson|own|present|role|embed|question|again|room|screen)$/;
const OF_THE_VISIT = ["present", "role", "room", "screen"]; // what stays from scene to scene
const BESIDE_FROM = 1200; // as in house.css
const ACTS = ["wheel", "pointerdown", "keydown", "touchstart"];
let arrived = "";
const settings = new Map(); // by scene: what was set on its page otherwise than it opens, while one is elsewhere
let byKeys = false; // whether the way on was taken by the keyboard, which goes on from there

/** Where a scene's stage begins, and where its numbers end; in a narrow window it begins at its step. */
function endsOf(stage, narrow) {
  const place = document.querySelector(`.st-key-${stage}`);
  const inside = [...(place?.querySelectorAll("*") ?? [])].find(({ shadowRoot }) => shadowRoot)?.shadowRoot;
  const [first, last] = [".heading", narrow ? ".focus .matrix:has([aria-selected=true])" : ".shows"].map((part) => (
    inside?.querySelector(part) ?? place
  ));
  return place && [narrow ? first : place, last];
}

class Course {
  constructor(parent) {
    this.root = parent.querySelector(".course");
    this.announcer = new Announcer(this.root.parentNode);
    this.side = this.root.getRootNode().host.closest(".st-key-lesson");
    this.asOpened = new Map(); // by link in the words: the number that the scene has there
    this.words = new MutationObserver(() => {
      this.ask();
      this.fit();
    });
    this.words.observe(this.side, { childList: true, subtree: true, characterData: true });
    this.heard = new AbortController(); // ends all that is listened to
    const { signal } = this.heard, first = { signal, capture: true };
    document.addEventListener("stage-turns", (event) => this.turn(event), { signal });
    document.addEventListener("stage-shown", ({ detail }) => this.beside(detail), { signal });
    addEventListener("keydown", (event) => this.key(event), first);
    ["keydown", "pointerdown"].forEach((act) => addEventListener(act, () => this.remember(), first));
    globalThis.navigation?.addEventListener("currententrychange", () => this.changed(), { signal });
  }

  close() {
    this.words.disconnect();
    this.arrival?.();
    this.heard.abort();
  }

  update(told) {
    this.told = told;
    this.leaving = false;
    this.side.dataset.stage = told.stage ?? ""; // until then no stage tells a number of the words
    this.draw();
    this.ask();
    document.dispatchEvent(new CustomEvent("stage-room"));
    const place = [told.title, told.at, told.begun].join();
    if (told.here && place !== arrived) {
      if (arrived) this.announcer.say(TEXTS("scene_arrived", {
        lesson: told.title, number: told.at + 1, count: told.scenes.length, title: told.scenes[told.at].title,
      }));
      arrived = place;
      this.keep(false);
      if (byKeys) (this.root.querySelector(".next") || this.root.querySelector("a"))?.focus({ preventScroll: true });
      byKeys = false;
      this.arrive();
    }
  }

  /** The stage gives the numbers that the words leave open. */
  ask() {
    if (this.numbers.some((link) => link.hash === `#stage-${link.textContent}`)) {
      document.dispatchEvent(new CustomEvent("prose-asks"));
    }
  }

  get numbers() { return [...this.side.querySelectorAll('a[href^="#stage-"]')]; }

  // The words are about the scene as it opens: so are their numbers, whatever is done on the stage.
  remember() {
    if (!this.told?.here || this.leaving || this.own().length) return;
    this.numbers.filter((link) => !link.dataset.kept).forEach((link) => this.asOpened.set(link, link.textContent));
  }

  keep(on) {
    const open = this.numbers.filter((link) => on === !("kept" in link.dataset));
    open.forEach((link) => {
      if (!on) delete link.dataset.kept;
      else if (/[\d∞]/.test(this.asOpened.get(link))) link.dataset.kept = this.asOpened.get(link);
    });
    if (!on) this.asOpened.clear();
    if (open.length) document.dispatchEvent(new CustomEvent("prose-asks"));
  }

  // Where a scene leads

  /** The link of a scene: as it was set, or `anew`. */
  address(at, anew = false) {
    const { title, scenes, along } = this.told, url = new URL(scenes[at].address, document.baseURI);
    if (!anew) (settings.get(`${title} ${at}`) || []).forEach(([key, value]) => url.searchParams.set(key, value));
    Object.entries(along).forEach(([key, value]) => url.searchParams.set(key, value));
    const here = new URLSearchParams(location.search);
    OF_THE_VISIT.filter((key) => here.get(key)).forEach((key) => url.searchParams.set(key, here.get(key)));
    return url.href;
  }

  link(at, text, label, anew = false) {
    const link = element("a", "", text);
    link.href = this.address(at, anew);
    if (label) link.setAttribute("aria-label", label);
    link.addEventListener("click", (event) => followed(event, () => {
      byKeys = event.detail === 0;
      this.leave();
    }));
    return link;
  }

  go(at) {
    this.leave();
    goTo(this.address(at));
  }

  /** Until the next scene is there, keys for this one are no keys for that one. */
  leave() {
    const { title, at, here } = this.told;
    if (here) settings.set(`${title} ${at}`, this.own());
    this.leaving = true;
    this.arrival?.();
    this.state.textContent = TEXTS("scene_coming");
  }

  draw() {
    const { told } = this, { at, scenes, here, question } = told;
    const way = element("nav", here && question ? "way asks" : "way"); // what is asked comes before the way on
    way.setAttribute("aria-label", TEXTS("scenes"));
    if (here && !told.alone) {
      if (at) way.append(this.link(at - 1, TEXTS("scene_back"), TEXTS("scene_back_to", { title: scenes[at - 1].title })));
      way.append(element("span", "count", `${at + 1} / ${scenes.length}`));
      if (at + 1 < scenes.length) {
        const next = this.link(at + 1, TEXTS("scene_next"), TEXTS("scene_next_to", { title: scenes[at + 1].title }));
        next.className = "next";
        way.append(next);
      } else way.append(element("span", "end", TEXTS("scenes_end")));
    } else if (!here) {
      const back = this.link(at, TEXTS("to_scene", { title: scenes[at].title }));
      back.className = "next";
      way.append(back);
    }
    this.state = element("p", "state");
    this.state.setAttribute("role", "status");
    const opened = this.list?.open;
    this.list = element("details", "all");
    this.list.open = !!opened;
    const rows = element("ol");
    rows.append(...scenes.map((scene, number) => {
      const row = element("li"), link = this.link(number, scene.title);
      if (here && number === at) link.setAttribute("aria-current", "step");
      row.append(link, element("span", "minutes", ` ${TEXTS("scene_minutes", { minutes: scene.minutes })}`));
      return row;
    }));
    this.list.append(element("summary", "", TEXTS("all_scenes")), rows);
    this.root.replaceChildren(...(way.hasChildNodes() ? [way] : []), this.state, ...(told.alone ? [] : [this.list]));
    this.changed();
  }

  /** What is set on the page otherwise than the scene has it: keys of the link, with their values. */
  own() {
    return [...new URLSearchParams(location.search)].filter(([key]) => !OF_THE_VIEW.test(key));
  }

  /** Whether the page is set otherwise than the scene has it; where one looks is the reader's. */
  changed() {
    if (!this.told?.here || this.leaving) return;
    if (!new URLSearchParams(location.search).has("lesson")) return; // on the way from another page
    this.keep(this.own().length > 0);
    if (this.told.alone) return;
    if (!this.own().length) {
      if (this.state.textContent) this.state.replaceChildren();
      return;
    }
    if (this.state.querySelector("a")) return;
    const back = this.link(this.told.at, TEXTS("scene_again"), "", true);
    back.href += "&again=1";
    this.state.replaceChildren(`${TEXTS("scene_changed")} `, back);
  }

  // What the scene is about comes into view, until a person does something: parts of a page come
  // one after another.
  arrive() {
    const { stage, heading, control, question } = this.told;
    const main = document.querySelector("[data-testid=stMain]");
    const show = () => {
      const narrow = innerWidth < BESIDE_FROM;
      const asked = question && document.querySelector('[class*="st-key-asked_"]');
      const one = asked || (heading && document.getElementById(heading)) || (control && document.querySelector(`.st-key-${control}`));
      const ends = one ? [one] : stage && endsOf(stage, narrow);
      if (!ends) return;
      const [{ top }, { bottom }] = [ends[0], ends.at(-1)].map((part) => part.getBoundingClientRect());
      const shown = main.scrollTop;
      // No further than all numbers of a stage need: what stands above may be what to turn. On a phone as
      // far as the matrix of the selected number needs, above the scene.
      const begin = top - 64, end = bottom + 24 - innerHeight, above = this.side.offsetHeight;
      const to = !ends[1] ? begin : narrow ? Math.max(begin, end + above) : Math.min(begin, end);
      main.scrollTo(0, !narrow && top + shown < innerHeight * 0.45 ? 0 : shown + to);
    };
    const grows = new ResizeObserver(show);
    grows.observe(document.querySelector("[data-testid=stMainBlockContainer]"));
    this.arrival = () => {
      grows.disconnect();
      ACTS.forEach((act) => removeEventListener(act, this.arrival, true));
    };
    ACTS.forEach((act) => addEventListener(act, this.arrival, true));
    show();
  }

  // Keys

  /** The stage is about to go on: after the scene's last step the lesson does; one alone ends there. */
  turn(event) {
    const { here, alone, stage, until, first, at, scenes } = this.told, { by, names, last } = event.detail;
    if (!here || event.detail.stage !== stage) return;
    if (this.leaving) return event.preventDefault();
    if (alone) {
      if (last || names.includes(by > 0 ? until : first)) event.preventDefault();
    } else if (by > 0 && (last || names.includes(until)) && at + 1 < scenes.length) {
      event.preventDefault();
      this.go(at + 1);
    } else if (by < 0 && (last || names.includes(first)) && at) {
      event.preventDefault();
      this.go(at - 1);
    }
  }

  /** Projecting a page without a stage that fills the window: on at its end, back at its top. */
  key(event) {
    const { here, alone, stage, at, scenes } = this.told;
    const by = { PageDown: 1, PageUp: -1 }[event.key];
    if (!here || !by) return;
    if (this.leaving) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (stage || alone || new URLSearchParams(location.search).get("present") !== "1") return;
    const main = document.querySelector("[data-testid=stMain]");
    const edge = by > 0 ? main.scrollTop + main.clientHeight >= main.scrollHeight - 2 : main.scrollTop <= 0;
    if (!edge || !scenes[at + by]) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(at + by);
  }

  // A stage fills the window: the scene's words stand beside it.
  beside(detail) {
    const { side } = this, on = !!(detail.on && this.told?.here && innerWidth >= WIDE_WINDOW);
    side.classList.toggle("projected", on);
    side.style.setProperty("--share", `${100 * PANEL_SHARE}vw`);
    if (on) {
      detail.beside.push(side);
      detail.taken = PANEL_SHARE;
    }
    if (on !== !!side.popover) {
      side.popover = on ? "manual" : null;
      if (on) side.showPopover();
    }
    this.fit();
  }

  /** Projected, nothing is to be scrolled: long words get smaller letters. */
  fit() {
    const { side } = this;
    side.style.removeProperty("--letters");
    if (!side.popover || this.list?.open) return;
    for (let size = innerHeight / 40; size > SMALLEST && side.scrollHeight > side.clientHeight; size *= 0.96) {
      side.style.setProperty("--letters", `${size}px`);
    }
  }
}

export default function ({ data: [told], parentElement }) {
  // Streamlit may call it for a place that is gone already.
  if (!parentElement.getRootNode().host?.closest(".st-key-lesson")) return undefined;
  const [course, leave] = atPlace(parentElement, () => new Course(parentElement));
  course.update(told);
  drawnAt(parentElement);
  return leave;
}
