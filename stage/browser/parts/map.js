// The map: the steps in order, each a miniature with its number and name; names alone of a few steps.
// How it fits its width: all names on one line, or on two, or the current one alone, as on a phone; the
// miniatures give way.

import { pressable } from "../dom/buttons.js";
import { element } from "../dom/elements.js";
import { afterFrame } from "../dom/waiting.js";
import { miniLeast, miniWidth } from "../draw/colour_map.js";
import { isLarge, sync } from "../draw/matrices.js";
import { LOW_WINDOW, sum } from "../draw/measures.js";

// So few steps have names that are map enough.
const FEW = 3;
// What a step takes beside its miniatures and name, and what stands between two; a miniature's gap.
const AROUND_PHASE = 22, BETWEEN_PHASES = 24, BETWEEN_MINIS = 5;
// The same where the map is a line of names.
const AROUND_NAME = 15, BETWEEN_NAMES = 4;
// The size of its names; what they are wider when they are bold; down to which part miniatures shrink
// before names do.
const NAME_SIZE = 12, BOLD = 1.08, LEAST_MINI = 0.6;
// The part of their width that miniatures have at least.
const NARROWEST = 0.12;

// Cells that are painted with the numbers; more of them a moment later.
const CELLS_PER_FRAME = 1500;

export class StepMap {
  // `letters` say how wide texts are, `mini(kept, key, name)` draws an array small, and `painted()` is
  // called when that was late.
  constructor(letters, mini, painted) {
    this.letters = letters;
    this.mini = mini;
    this.painted = painted;
    this.root = element("div", "strip");
    this.minis = new Map(); // its matrices
    this.isLate = false; // whether they are still to be painted
    this.named = ""; // what its buttons say
  }

  draw(run, places, stops, now) {
    this.run = run;
    this.places = places;
    this.stops = stops;
    this.now = now;
    this.nameSteps();
    [...this.root.children].forEach((button, number) => {
      button.classList.toggle("now", number === now);
      if (number === now) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const empty = [...this.root.children].some(({ lastChild }) => !lastChild.hasChildNodes());
    const cells = sum(stops.flatMap((stop) => this.views(stop)).map((view) => (isLarge(view) ? 0 : view.flat.length)));
    if (empty || cells <= CELLS_PER_FRAME) return this.paint();
    if (!this.isLate) afterFrame(() => {
      this.isLate = false;
      this.paint();
      this.painted();
    });
    this.isLate = true;
  }

  nameSteps() {
    const named = JSON.stringify(this.stops.map(({ first, title }) => [first, title]));
    if (this.named === named) return;
    this.named = named;
    this.root.replaceChildren(...this.stops.map(({ first, title }, number) => {
      const button = pressable("phase");
      button.dataset.step = first;
      button.setAttribute("aria-label", TEXTS("step", { number: number + 1, title }));
      button.append(element("span", "title"), element("span", "minis"));
      button.firstChild.append(element("span", "number", number + 1), element("span", "name", title));
      return button;
    }));
  }

  paint() {
    [...this.root.children].forEach(({ lastChild }, number) => {
      sync(lastChild, this.stops[number].minis.map((name) => this.mini(this.minis, `${number} ${name}`, name)));
    });
  }

  views({ minis }) {
    return minis.map((name) => this.run.view(name, this.places));
  }

  // Scrolls it, where it is larger than its room, to the step that is shown.
  reveal() {
    const now = this.root.querySelector(".now");
    if (!now) return;
    const [one, all] = [now, this.root].map((of) => of.getBoundingClientRect());
    this.root.scrollLeft += one.left + one.width / 2 - all.left - all.width / 2;
  }

  // The stop that a button of it stands for.
  stopOf(button) {
    return this.stops[[...this.root.children].indexOf(button)];
  }

  // Sets how much it says, and returns the part of their width that miniatures have. Where there are
  // none, its names have a size.
  fit(full, narrow, size = 0) {
    const { stops, root } = this, low = !narrow && innerHeight < LOW_WINDOW;
    const few = stops.length <= FEW || size > 0 || low;
    const minis = stops.map((stop) => {
      const views = this.views(stop), gaps = BETWEEN_MINIS * (views.length - 1);
      return (part) => sum(views.map((view) => Math.max(miniLeast(view), part * miniWidth(view)))) + gaps;
    });
    const names = stops.map(({ title }, number) => this.nameWidths(`${number + 1} ${title}`, size || NAME_SIZE));
    const number = this.letters.widest([`${stops.length}`], size || NAME_SIZE) * BOLD;
    const levels = [(name) => name.whole, (name) => name.broken, (name, n) => (n === this.now ? name.whole : number)];
    const needed = (level, part) => sum(stops.map((_, n) => (size ? AROUND_NAME : AROUND_PHASE) + Math.max(
      levels[level](names[n], n), few ? 0 : minis[n](part),
    ))) + (size ? BETWEEN_NAMES : BETWEEN_PHASES) * (stops.length - 1) + 20;
    const known = (size ? [0] : [0, 1]).find((level) => needed(level, LEAST_MINI) <= full);
    const level = narrow ? 2 : known ?? 2;
    let part = 1;
    while (part > NARROWEST && needed(level, part) > full) part *= 0.95;
    [...root.children].forEach(({ firstChild: { style } }, n) => {
      style.maxWidth = level === 1 ? `${Math.ceil(names[n].broken)}px` : "";
    });
    root.classList.toggle("lined", level === 0);
    root.classList.toggle("brief", level === 2);
    root.classList.toggle("bare", few || narrow || needed(level, part) > full);
    return part;
  }

  // How wide a name is on one line, and on two, of which the first has its number and a word.
  nameWidths(name, size) {
    const words = name.split(" "), wide = (from, to) => BOLD * this.letters.widest([words.slice(from, to).join(" ")], size);
    const broken = words.slice(1).map((_, at) => Math.max(wide(0, at + 2), wide(at + 2)));
    return { whole: wide(0) + 2, broken: Math.min(...broken) + 2 };
  }
}
