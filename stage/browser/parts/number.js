// "This number": the arithmetic of one cell, what it means and what it feeds. It is shown an
// `Explanation` of the core, as plain data.

import { turnsPage } from "../act/gestures.js";
import { pressable } from "../dom/buttons.js";
import { element } from "../dom/elements.js";
import { partNodes, write, writeCell, writeParts } from "../draw/prose.js";
import { arithmeticRow } from "../formula/arithmetic_row.js";
import { formulaLatex } from "../formula/latex.js";

// With more rows than this before it, a cell's own line comes first, and those on demand.
const FEW_BEFORE = 4;

let numbered = 0; // of these on a page

export class ThisNumber {
  constructor() {
    numbered += 1;
    this.describes = `this-number-${numbered}`;
    this.root = element("section", "this-number");
    this.root.dataset.testid = "arithmetic";
    this.root.ariaLabel = TEXTS("this_number");
    this.title = element("h3");
    this.words = element("div", "sentence");
    this.maths = element("div", "maths");
    this.maths.setAttribute("role", "img");
    this.maths.onscroll = () => { this.scrolled = true; };
    this.maths.id = this.describes;
    this.rows = element("div", "rows");
    this.earlier = pressable("copy earlier", undefined, () => this.showEarlier(!this.whole));
    this.maths.append(this.rows);
    this.feeds = element("div", "sentence");
    this.form = element("div", "answer"); // no form: a sandboxed frame forbids to submit one
    this.field = element("input");
    this.field.setAttribute("aria-label", TEXTS("your_number"));
    this.field.autocomplete = "off";
    this.field.maxLength = 40;
    this.field.onkeydown = (event) => {
      if (!turnsPage(event)) event.stopPropagation();
      if (event.key === "Enter") this.check.click();
    };
    this.check = pressable("copy", TEXTS("check"));
    this.reveal = pressable("copy", TEXTS("reveal"));
    this.form.append(this.field, this.check, this.reveal);
    this.verdict = element("div", "sentence verdict");
    this.verdict.setAttribute("role", "status");
    this.root.append(
      this.title, this.words, this.form, this.verdict, this.earlier, this.maths, this.feeds,
    );
    this.asks(false);
    this.sizes = new ResizeObserver(() => this.reachable());
    this.sizes.observe(this.maths);
    this.sizes.observe(this.rows);
  }

  // `roles`, if given too, says which part an array plays, as for `mathNode`.
  show(explanation) {
    const told = JSON.stringify(explanation);
    if (this.told === told) return;
    this.told = told;
    this.explanation = explanation;
    const { title, heading = [], said, rows, plain, feeds, roles = {}, verdict = "" } = explanation;
    this.asks(false);
    this.verdict.textContent = verdict;
    this.entitle(title, heading, roles);
    writeParts(this.words, said, roles);
    write(this.feeds, feeds, roles);
    this.rows.replaceChildren(...rows.map((row) => arithmeticRow(row, roles)));
    this.fold(rows, plain.length - 1);
    this.maths.setAttribute("aria-label", plain.join("; "));
    if (this.scrolled) this.maths.scrollLeft = 0; // to set it lays out the page at once
  }

  // Nothing of a number that is covered, or whose arithmetic would show one that is: a field to
  // type it into where it `asks` for it, and what was `said` of the last answer.
  cover({ title, heading, roles, asks, said, answer, reveal }) {
    const told = JSON.stringify([title, asks, said]);
    this.check.onclick = () => answer(this.field.value);
    this.reveal.hidden = !reveal;
    this.reveal.onclick = reveal;
    if (this.told === told) return;
    if (this.cell !== title) this.field.value = "";
    this.told = told;
    this.explanation = null;
    this.entitle(title, heading, roles);
    this.words.textContent = TEXTS(asks ? "covered" : "covers_source");
    this.verdict.textContent = said;
    this.rows.replaceChildren();
    this.maths.removeAttribute("aria-label");
    this.feeds.textContent = "";
    this.asks(true);
    this.field.hidden = this.check.hidden = !asks;
  }

  // What it is in words, where a text says it, and its name beside that.
  entitle(title, heading, roles) {
    this.cell = title;
    const name = element("span", heading.length ? "cell-name" : "");
    writeCell(name, title, roles);
    this.title.replaceChildren(...partNodes(heading, roles), ...(heading.length ? [" "] : []), name);
    this.root.ariaLabel = TEXTS("this_number_of", { title: [heading.join(""), title].filter(Boolean).join(", ") });
  }

  asks(does) {
    this.form.hidden = !does;
    this.maths.hidden = this.earlier.hidden = does;
  }

  // What is worked out on the way to a cell stands before its own line, which begins with its name.
  fold(rows, lines) {
    const own = rows.findIndex(([kind, first]) => kind === "row" && first[0] === "name");
    const folds = own > FEW_BEFORE;
    [...this.rows.children].forEach((row, at) => row.classList.toggle("before", folds && at < own));
    this.earlier.hidden = !folds;
    this.lines = lines;
    this.showEarlier(this.whole);
  }

  showEarlier(whole) {
    this.whole = whole;
    this.rows.classList.toggle("unfolded", !!whole);
    this.earlier.textContent = TEXTS(whole ? "hide_earlier" : "show_earlier", { lines: this.lines });
    this.earlier.setAttribute("aria-expanded", String(!!whole));
  }

  close() {
    this.sizes.disconnect();
    this.root.remove();
  }

  // Rows that are wider or higher than their room can be scrolled by keyboard too.
  reachable() {
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = this.maths;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) this.maths.tabIndex = 0;
    else this.maths.removeAttribute("tabindex");
  }

  // The arithmetic as one can copy it: how, by the name of its form; nothing of a number that is covered.
  forms() {
    if (!this.explanation) return [];
    const { rows, plain } = this.explanation, lines = rows.map((row) => `&${formulaLatex(row)}`);
    return [["LaTeX", `\\begin{aligned}\n${lines.join(" \\\\\n")}\n\\end{aligned}`], ["text", plain.join("\n")]];
  }
}
