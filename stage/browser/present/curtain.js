// A black window while projecting, so that a class looks at its teacher: b or "." draws it over all
// that the page shows, any key or press takes it away and does nothing else. One for a whole page.

import { element } from "../dom/elements.js";

const CURTAIN = Symbol.for("attention-curtain");

// Keys that act by themselves, without Control or Alt: whoever speaks to the browser, or strikes keys
// by chance, can switch them off, for all pages of this browser.
export const SingleKeys = {
  place: "attention-single-keys",

  get on() {
    try {
      return localStorage.getItem(this.place) !== "off";
    } catch {
      return !globalThis[Symbol.for(this.place)]; // a browser that keeps nothing
    }
  },

  set on(on) {
    globalThis[Symbol.for(this.place)] = !on;
    try {
      localStorage.setItem(this.place, on ? "on" : "off");
    } catch {
      // Then they are off until the page is loaded anew.
    }
  },
};

export class Curtain {
  constructor() {
    this.projecting = new Set(); // what fills the window, or is a page made for a projector
    addEventListener("keydown", (event) => this.key(event), true);
    document.addEventListener("stage-shown", () => queueMicrotask(() => this.raise()));
  }

  static get the() { return (globalThis[CURTAIN] ||= new Curtain()); }

  key(event) {
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    const asked = (event.key === "b" || event.key === ".") && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (this.drawn) this.lift();
    else if (asked && SingleKeys.on && this.projecting.size && !focused().matches?.('[role="gridcell"], input, textarea')) this.draw();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  draw() {
    this.drawn = element("div", "curtain");
    this.drawn.dataset.testid = "curtain";
    this.drawn.setAttribute("role", "status");
    Object.assign(this.drawn.style, {
      position: "fixed", inset: 0, width: "auto", height: "auto", margin: 0, padding: 0, border: 0, background: "#000",
    });
    this.drawn.popover = "manual"; // above all else, also what fills the window
    this.drawn.addEventListener("click", () => this.lift());
    document.body.append(this.drawn);
    this.drawn.showPopover?.();
    this.drawn.style.color = "#000"; // it is heard
    setTimeout(() => this.drawn?.append(TEXTS("blank")), 50);
  }

  // Above what has come to fill the window since.
  raise() {
    if (!this.drawn) return;
    this.drawn.hidePopover?.();
    this.drawn.showPopover?.();
  }

  lift() {
    this.drawn?.remove();
    this.drawn = null;
  }

  leave(one) {
    this.projecting.delete(one);
    if (!this.projecting.size) this.lift();
  }
}

// What has the focus, also inside of components.
function focused() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at || document.body;
}
