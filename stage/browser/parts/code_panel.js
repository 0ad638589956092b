// The lines of code that make a step, above its matrices, once somebody asks for them.

import { element } from "../dom/elements.js";
import { innermost } from "../run/run.js";

const LANGUAGES = ["numpy", "PyTorch"];

// For each array that a stop makes, its lines; none for what is given, or where the host tells none.
export function codeOf(run, stop) {
  return innermost(stop).flatMap(({ names }) => names.map((name) => run.arrays[name]?.code)).filter(Boolean);
}

export class CodePanel {
  constructor() {
    this.root = element("div", "lines-of-code");
    this.isOpen = false;
    this.drawn = "";
  }

  draw(run, stop) {
    const lines = this.isOpen ? codeOf(run, stop) : [], drawn = JSON.stringify(lines);
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    this.root.replaceChildren(...(lines.length ? LANGUAGES : []).map((language, which) => {
      const made = element("figure");
      const text = element("pre", "", lines.map((both) => both[which]).join("\n"));
      text.tabIndex = 0; // a long line is scrolled by keys
      text.setAttribute("role", "region");
      text.setAttribute("aria-label", TEXTS("code_in", { language }));
      made.append(element("figcaption", "", language), text);
      return made;
    }));
  }
}
