// How large the stage draws: cells as wide as the focus allows and as high as the window. These are
// methods of the stage; stage.js takes them over.

import { afterFrame } from "../dom/waiting.js";
import {
  DIGIT,
  LEAST_DIGITS,
  MOST_DIGITS,
  TALL_CHANGED,
  TALL_DIGITS,
  wayKey,
} from "./arranging.js";
import { LOW_WINDOW, NARROW } from "./measures.js";

// From this width on "this number" may stand beside the focus, and is as wide as that; from the other
// one on it always does. Where the page says `--card: beside`, it does unless only the whole width
// shows all the rows; where it says `--card: below`, never.
const BESIDE = 860, ASIDE = 360, WIDE = 1200;
// The room that is left below the stage.
const BELOW = 6;

// Whether rows of a way are below the window.
const isHigh = ({ windows, heights, least }) => !windows && heights.at(-1) < least;

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Sizes = {
  // Fits whenever its own size is another one; `boxes` are those around it.
  watchSizes(boxes) {
    this.sizes = new ResizeObserver(() => {
      if (this.presenting) return this.fit();
      const width = this.ownWidth();
      if (this.sheet || width === this.width) return;
      this.width = width;
      if (this.run) this.ribbon.draw();
      this.fit();
    });
    [this.root, this.shows].forEach((box) => this.sizes.observe(box));
    // What comes above the stage later moves it down.
    this.around = new ResizeObserver(() => afterFrame(() => this.measure()));
    boxes.forEach((box) => this.around.observe(box));
  },

  fit() {
    if (!this.large) return;
    // The width is kept: to ask for it here would lay out the page once more at every update.
    this.width ||= this.ownWidth();
    if (this.panes.areOther) return this.draw();
    if (this.presenting && (this.hasWindow() || !this.projection.isOwn)) return this.fitWindow();
    if (this.presenting) return this.projection.leave(); // to the page, where it is read and scrolled
    const full = this.sheet || this.width, narrow = full < NARROW;
    if (this.narrow !== narrow) {
      this.narrow = narrow;
      this.toolbar.root.open = !narrow;
      this.drawNumber();
      this.tellStory();
    }
    const card = getComputedStyle(this.root).getPropertyValue("--card"), wanted = card === "beside";
    const aside = card !== "below" && full >= BESIDE && this.arrange(full - ASIDE, narrow);
    const isRoomy = innerHeight >= LOW_WINDOW || (aside && aside.heights[0] >= aside.least);
    const may = !!aside && (full >= WIDE || wanted || (!aside.windows && isRoomy));
    const other = !may || (wanted && isHigh(aside)) ? this.arrange(full, narrow) : undefined;
    const beside = may && (!other || isHigh(other)), way = beside ? aside : other;
    this.way = way;
    this.root.classList.toggle("beside", beside);
    this.root.classList.toggle("narrow", !!way.stacked);
    this.put(way);
    this.placeWorkings(way);
    this.putSizes({ ...this.sizesOf(way), "--mini": `${this.map.fit(full, narrow)}` });
    if (way.windows) this.seek();
    this.formula.fit();
    const kept = this.config.steady && !narrow && !this.sheet && this.top ? innerHeight - this.top - BELOW : 0;
    this.body.style.minHeight = kept > 0 ? `${kept}px` : "";
  },

  // Not in whole pixels: rounded up, it would be more room than there is.
  ownWidth() {
    return parseFloat(getComputedStyle(this.root).width) || 0;
  },

  sizesOf({ cell, gap, labels, changed, longest, stacked, heights, least }) {
    const roomy = Math.max(changed ? 38 : 28, 0.56 * cell);
    const share = stacked && !this.sheet ? Infinity : heights.find((height) => height >= least) ?? heights.at(-1) ?? Infinity;
    const high = Math.max(least, Math.min(roomy, share));
    const tall = high / (changed ? TALL_CHANGED : TALL_DIGITS);
    const digits = Math.min((cell - 2) / (DIGIT * longest), tall, MOST_DIGITS);
    return {
      "--cell": `${cell}px`,
      "--cell-height": `${high}px`,
      "--digits": `${this.sheet ? digits : Math.max(LEAST_DIGITS, Math.floor(10 * digits) / 10)}px`,
      "--label": `${Math.max(...labels.values())}px`,
      "--gap": `${gap}px`,
    };
  },

  // What is set on the whole stage is set on every step that is kept.
  putSizes(sizes) {
    Object.entries(sizes).forEach(([name, size]) => {
      const { style } = name.startsWith("--mini") ? this.root : this.focus;
      if (style.getPropertyValue(name) !== size) style.setProperty(name, size);
    });
  },

  // The heights that the focus may have: so that all that stands below it is on the screen too, or its
  // workings alone. On the sheet the other way about.
  rooms() {
    if (this.sheet) return this.paper.heights;
    const room = innerHeight - this.top - BELOW - this.worked;
    return this.top ? [room - this.below, room] : [];
  },

  // Where the focus begins and what of it is no row, measured once the page has been laid out.
  measure() {
    if (this.presenting || this.sheet || !this.large) return;
    const { focus, workings: { root: workings }, toolbar: { root: toolbar }, way } = this, box = focus.getBoundingClientRect();
    const { face } = this;
    let { top } = box;
    for (let node = focus.parentNode; node; node = node.parentNode || node.host) top += node.scrollTop || 0;
    // One that begins further down is read after scrolling: then it has the window but for its head.
    const isOpening = top < (this.config.steady ? 0.75 : 0.6) * innerHeight;
    const found = Math.round(isOpening ? top : 0.25 * innerHeight);
    const margin = parseFloat(getComputedStyle(toolbar).marginTop);
    const below = toolbar.hidden ? 0 : toolbar.offsetHeight + margin;
    const worked = focus.contains(workings) ? 0 : workings.offsetHeight && workings.getBoundingClientRect().bottom - box.bottom;
    const high = parseFloat(focus.style.getPropertyValue("--cell-height"));
    const heads = box.bottom - box.top - way.rows * (high + way.gap);
    const key = wayKey(way), isWhole = !way.windows || way.lowered, known = isWhole ? face.heads.get(key) : heads;
    const same = (one, other) => Math.abs(one - (other || 0)) < 3;
    const room = innerHeight;
    if (same(found, this.top) && same(below, this.below) && same(worked, this.worked) && same(heads, known) && room === this.room) return;
    if (isWhole) face.heads.set(key, heads);
    this.top = found;
    this.below = below;
    this.worked = worked;
    this.room = room;
    this.fit();
  },
};
