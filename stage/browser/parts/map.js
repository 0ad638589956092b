// How the map fits its width: all names on one line, or on two, or the current one alone, as on a phone;
// the miniatures give way. These are methods of the stage; stage.js takes them over.

import { miniLeast, miniWidth } from "../draw/colour_map.js";
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

export const Mapping = {
  // Sets how much the map says, and returns how wide its miniatures are. Where there are none, its
  // names have a size.
  fitMap(full, narrow, size = 0) {
    const { stops, strip } = this, low = !narrow && innerHeight < LOW_WINDOW;
    const few = stops.length <= FEW || size > 0 || low;
    const minis = stops.map(({ minis: names }) => {
      const views = names.map((name) => this.run.view(name, this.places)), gaps = BETWEEN_MINIS * (views.length - 1);
      return (part) => sum(views.map((view) => Math.max(miniLeast(view), part * miniWidth(view)))) + gaps;
    });
    const names = stops.map(({ title }, number) => this.nameWidths(`${number + 1} ${title}`, size || NAME_SIZE));
    const number = this.widest([`${stops.length}`], size || NAME_SIZE) * BOLD;
    const levels = [(name) => name.whole, (name) => name.broken, (name, n) => (n === this.stop ? name.whole : number)];
    const needed = (level, part) => sum(stops.map((_, n) => (size ? AROUND_NAME : AROUND_PHASE) + Math.max(
      levels[level](names[n], n), few ? 0 : minis[n](part),
    ))) + (size ? BETWEEN_NAMES : BETWEEN_PHASES) * (stops.length - 1) + 20;
    const known = (size ? [0] : [0, 1]).find((level) => needed(level, LEAST_MINI) <= full);
    const level = narrow ? 2 : known ?? 2;
    let part = 1;
    while (part > NARROWEST && needed(level, part) > full) part *= 0.95;
    [...strip.children].forEach(({ firstChild: { style } }, n) => {
      style.maxWidth = level === 1 ? `${Math.ceil(names[n].broken)}px` : "";
    });
    strip.classList.toggle("lined", level === 0);
    strip.classList.toggle("brief", level === 2);
    strip.classList.toggle("bare", few || narrow || needed(level, part) > full);
    return { "--mini": `${part}` };
  },

  // How wide a name is on one line, and on two, of which the first has its number and a word.
  nameWidths(name, size) {
    const words = name.split(" "), wide = (from, to) => BOLD * this.widest([words.slice(from, to).join(" ")], size);
    const broken = words.slice(1).map((_, at) => Math.max(wide(0, at + 2), wide(at + 2)));
    return { whole: wide(0) + 2, broken: Math.min(...broken) + 2 };
  },
};
