// The lines of code that make a step, above its matrices, once somebody asks for them. These are
// methods of the stage; stage.js takes them over.

import { element } from "../dom/elements.js";
import { innermost } from "../run/run.js";

const LANGUAGES = ["numpy", "PyTorch"];

export const Coding = {
  // For each array that a stop makes, its lines; none for what is given, or where the host tells none.
  codeOf(stop) {
    const names = innermost(stop).flatMap((inner) => inner.names);
    return names.map((name) => this.run.arrays[name]?.code).filter(Boolean);
  },

  drawCode(stop) {
    const lines = this.coding ? this.codeOf(stop) : [];
    this.anew("code", lines, () => {
      this.code.replaceChildren(...(lines.length ? LANGUAGES : []).map((language, which) => {
        const made = element("figure");
        const text = element("pre", "", lines.map((both) => both[which]).join("\n"));
        text.tabIndex = 0; // a long line is scrolled by keys
        text.setAttribute("role", "region");
        text.setAttribute("aria-label", TEXTS("code_in", { language }));
        made.append(element("figcaption", "", language), text);
        return made;
      }));
    });
  },
};
