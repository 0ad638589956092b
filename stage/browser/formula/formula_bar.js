// The formula of a run on one line: the part that is being computed lit inside its neighbours, which
// give way to … where there is no room. The whole formula opens below it.

import { pressable } from "../dom/buttons.js";
import { element } from "../dom/elements.js";
import { innermost } from "../run/run.js";
import { mathOf } from "./formula.js";

// A formula cut into pieces, each belonging to the innermost step that wrote it. `spans` says from which
// piece to which each step is written out, outer ones first.
function pieces(tree, owner, found = [], spans = []) {
  const [kind, ...rest] = tree;
  if (kind === "step") {
    const span = { owner: rest[0], from: found.length };
    spans.push(span);
    pieces(rest[1], rest[0], found, spans);
    span.to = found.length - 1;
  } else if (kind === "row") rest.forEach((part) => pieces(part, owner, found, spans));
  else {
    const last = found[found.length - 1];
    if (last && last.owner === owner && spans.at(-1)?.from !== found.length) last.nodes.push(tree);
    else found.push({ owner, nodes: [tree] });
  }
  return { found, spans };
}

// The line's own padding and border, and a pixel for what is rounded.
const SIDES = 11;
// The size of a name that would not fit otherwise, in pixels.
const SMALLEST = 13;

export class FormulaBar {
  constructor() {
    this.root = element("div", "formula");
    this.line = pressable("line", undefined, () => this.toggle());
    this.whole = element("div", "whole");
    this.whole.setAttribute("role", "group");
    this.whole.setAttribute("aria-label", TEXTS("formula"));
    this.root.append(this.line, this.whole);
    this.definitions = [];
    this.toggle(false);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.isOpen) return;
      event.preventDefault();
      event.stopPropagation();
      this.toggle(false);
      this.line.focus();
    });
    this.outside = (event) => {
      if (this.isOpen && !event.composedPath().includes(this.root)) this.toggle(false);
    };
    this.refit = () => this.measureAnew();
    document.addEventListener("pointerdown", this.outside);
    document.fonts.addEventListener("loadingdone", this.refit);
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(this.root);
  }

  close() {
    document.removeEventListener("pointerdown", this.outside);
    document.fonts.removeEventListener("loadingdone", this.refit);
    this.sizes.disconnect();
  }

  // The formulas of a run anew, those inside a closed stop left out; `go` is called with the step of
  // the part that is pressed.
  build(run, stops, go) {
    const seen = new Set(stops.flatMap(({ names, minis }) => [...names, ...minis]));
    const closed = new Set(stops.flatMap((stop) => innermost(stop).flatMap(({ names }) => names)));
    const stopOf = ({ owner }) => stops.findIndex((stop) => [stop, ...innermost(stop)].some(({ names }) => names.includes(owner)));
    const formulas = run.formula.filter(([, owner]) => seen.has(owner) || !closed.has(owner));
    this.definitions = formulas.map((tree) => {
      const { found, spans } = pieces(tree, "");
      [...found, ...spans].forEach((part) => { part.stop = stopOf(part); });
      return { found, spans };
    });
    this.run = run;
    this.stops = stops;
    this.go = go;
    this.lines = new Map();
    this.current = -1;
  }

  // What is being computed is lit, what is done is dark.
  light(current) {
    if (this.current === current) return;
    this.current = current;
    const { first, title } = this.stops[current], [, plain] = this.run.arrays[first].caption;
    this.line.setAttribute("aria-label", TEXTS("formula_line", { title, formula: plain }));
    this.drawLine();
    if (this.isOpen) this.drawWhole();
  }

  // The line: as much of it as there is room for

  // What may stand on the line: the formulas of the step with their neighbours, then its own definition
  // and its name, for where these are too long.
  drawLine() {
    const { definitions, current, run } = this;
    const isLit = ({ stop }) => stop === current;
    const lit = definitions.flatMap(({ found }, n) => (found.some(isLit) ? [n] : []));
    const near = lit.length ? definitions.slice(Math.max(0, lit[0] - 1), lit.at(-1) + 2) : [];
    const parts = near.flatMap(({ found }) => found.map((piece, at) => {
      const part = this.part("span", piece, found.slice(0, at));
      part.classList.toggle("begins", at === 0);
      return part;
    }));
    const starts = near.map((_, n) => near.slice(0, n).reduce((sum, before) => sum + before.found.length, 0));
    // Where the step is written out, with what it is applied to: everywhere, or once.
    const places = near.flatMap(({ spans }, n) => (
      spans.filter(isLit).map(({ from, to }) => [starts[n] + from, starts[n] + to])
    ));
    const { caption: [caption], symbol } = run.arrays[this.stops[current].first];
    const instead = [caption, symbol].map((tree) => {
      const part = element("span", "part now");
      part.append(mathOf(tree, run.roles));
      return part;
    });
    this.shown = {
      parts, instead, starts, dots: [element("span", "dots", "…"), element("span", "dots", "…")],
      lit: near.map(({ found }) => found.some(isLit)),
      cores: places.length ? [[places[0][0], Math.max(...places.map(([, to]) => to))], places[0]] : [],
      more: [lit[0] > 1, lit.at(-1) < definitions.length - 2],
    };
    const [before, after] = this.shown.dots;
    this.line.replaceChildren(before, ...parts, after, ...instead);
    this.fitted = "";
  }

  // Where each part of the line stands while all of them do, measured once for each step and size.
  measured(size) {
    const key = [this.current, size].join();
    if (!this.lines.has(key)) {
      const { parts, instead, dots } = this.shown;
      [...parts, ...instead, ...dots].forEach((part) => { part.hidden = false; });
      parts.forEach((part) => { part.classList.remove("first"); });
      const ends = (part) => {
        const { left, right } = part.getBoundingClientRect();
        return [left, right];
      };
      const width = (part) => part.offsetWidth;
      this.lines.set(key, { ends: parts.map(ends), instead: instead.map(width), dots: dots[0].offsetWidth });
    }
    return this.lines.get(key);
  }

  measureAnew() {
    this.lines?.clear();
    this.fitted = "";
    this.fit();
  }

  // Shows what fits: as many neighbours as there is room for, else less and less. Nothing does where the
  // line is not drawn, as on paper.
  fit() {
    const { clientWidth: room } = this.root;
    if (!this.shown || !room || !this.line.offsetWidth) return;
    const size = getComputedStyle(this.root).fontSize, fitted = [this.current, room, size].join();
    if (this.fitted === fitted) return;
    this.fitted = fitted;
    const { parts, instead, dots, cores } = this.shown, sizes = this.measured(size);
    const free = room - SIDES;
    const found = cores.map((core) => this.around(core, sizes, free)).find(Boolean);
    const first = (part) => sizes.instead.findIndex((width) => part * width <= free);
    // A name that is too long for the line is as small as is still read.
    const small = SMALLEST / parseFloat(size), shrinks = !found && first(1) < 0 && small < 1;
    const other = found ? -1 : first(shrinks ? small : 1);
    this.line.style.fontSize = shrinks && other >= 0 ? `${SMALLEST}px` : "";
    const [from, to] = found || [0, -1];
    parts.forEach((part, at) => {
      part.hidden = at < from || at > to;
      part.classList.toggle("first", at === from);
    });
    instead.forEach((part, at) => { part.hidden = at !== other; });
    const [before, after] = found ? this.cut(from, to) : [other < 0, false];
    dots[0].hidden = !before;
    dots[1].hidden = !after;
  }

  // Whether something is left out before and after these parts.
  cut(from, to) {
    const { parts, more: [before, after] } = this.shown;
    return [before || from > 0, after || to < parts.length - 1];
  }

  // The parts around some that are to be seen, from the first to the last; null where these are too many.
  // Other formulas give way first and as a whole, of its own the farther end does.
  around([first, last], { ends, dots }, room) {
    const { starts, lit } = this.shown;
    const width = (from, to) => (
      ends[to][1] - ends[from][0] + dots * this.cut(from, to).filter(Boolean).length
    );
    const holds = (at) => starts.findLastIndex((start) => start <= at);
    let [from, to] = [0, ends.length - 1];
    while (width(from, to) > room) {
      if (from === first && to === last) return null;
      const left = from < first && [!lit[holds(from)], ends[first][0] - ends[from][0]];
      const right = to > last && [!lit[holds(to)], ends[to][1] - ends[last][1]];
      const fromLeft = left && (!right || (left[0] === right[0] ? left[1] > right[1] : left[0]));
      if (fromLeft) from = left[0] ? starts[holds(from) + 1] : from + 1;
      else to = right[0] ? starts[holds(to)] - 1 : to - 1;
    }
    return [from, to];
  }

  // The whole, on demand

  toggle(open = !this.isOpen) {
    this.isOpen = open;
    this.line.setAttribute("aria-expanded", open);
    this.whole.hidden = !open;
    if (open) this.drawWhole();
    else this.whole.replaceChildren();
  }

  // Each piece that first names a step is a button to it; later brackets only follow suit, on the line
  // of what they follow.
  drawWhole() {
    this.whole.replaceChildren(...this.definitions.map(({ found }) => {
      const line = element("span", "definition");
      found.forEach((piece, at) => {
        const before = found.slice(0, at), follows = isBracket(piece, before);
        const part = this.part(follows ? "span" : "button", piece, before);
        if (!follows) this.leads(part, piece);
        if (!follows || !line.lastChild) line.append(element("span", "unbroken"));
        line.lastChild.append(part);
      });
      return line;
    }));
  }

  leads(part, { owner, stop }) {
    part.type = "button";
    part.dataset.step = owner;
    part.setAttribute("aria-label", `${this.stops[stop].title}: ${owner}`);
    if (stop === this.current) part.setAttribute("aria-current", "step");
    part.onclick = () => {
      this.toggle(false);
      this.line.focus();
      this.go(owner);
    };
  }

  part(tag, piece, before) {
    const { current, run: { roles } } = this, { nodes, stop } = piece;
    const made = element(tag, `part ${stop === current ? "now" : stop < current ? "done" : "later"}`);
    made.classList.toggle("bracket", isBracket(piece, before));
    made.append(mathOf(["row", ...nodes], roles));
    return made;
  }
}

// Whether a piece only closes what one before it opened.
function isBracket({ owner, nodes }, before) {
  return before.some((other) => other.owner === owner) && nodes.every(([kind]) => kind === "mark");
}
