// Covers: numbers that are not to be seen until they are lifted or worked out. What is covered is an
// array, a row or a cell of it, or the result of the step that one is at and so of all that follow;
// what is made of a covered number is covered with it. These are methods of the stage; stage.js
// takes them over.

import { COVER } from "../draw/matrices.js";
import { count, eachSource } from "../run/patterns.js";
import { innermost, parts } from "../run/run.js";
import { judged, RIGHT, WRONG } from "./answer_check.js";
import { meantBy, together } from "./gestures.js";

const RESULT = "result";

export const Covering = {
  // Another cover: `result`, weights, scores.2 or scores.0.2.1; "" for none.
  coverWith(cover) {
    this.cover = cover;
    this.uncovered = {};
    this.lifts = (this.lifts || 0) + 1;
  },

  // For each array that has covered cells one byte a cell, as drawn now.
  findCovered() {
    const { run, cover } = this;
    const key = [run.id, cover, this.lifts, cover === RESULT && this.stop].join();
    if (this.coveredFor === key) return;
    this.coveredFor = key;
    this.covered = cover ? this.withAllMadeOf(this.named(cover)) : {};
    this.tried = null;
  },

  // The cells that a cover names.
  named(cover) {
    const { run, stops, stop } = this;
    const found = {};
    const flags = (name) => (found[name] ||= new Uint8Array(count(run.shapes[name])));
    if (cover === RESULT) {
      const later = stops.slice(stop).flatMap((one) => [one, ...innermost(one)]);
      later.flatMap(({ names }) => names).filter((name) => run.operands[name]).forEach((name) => flags(name).fill(1));
      return found;
    }
    const [name, index] = parts(cover), shape = run.shapes[name];
    if (!shape) return found;
    // A row by itself is that row of every head.
    const row = index.length === 1 && shape.length > 2;
    const steps = run.arrays[name].strides;
    flags(name).forEach((_, at) => {
      const places = steps.map((size, axis) => Math.floor(at / size) % shape[axis]);
      const own = row ? places[shape.length - 2] === index[0] : index.every((place, axis) => places[axis] === place);
      found[name][at] = own ? 1 : 0;
    });
    return found;
  },

  withAllMadeOf(found) {
    const { compiled } = this.run, { uncovered } = this;
    Object.entries(found).forEach(([name, flags]) => {
      flags.forEach((_, at) => { if (uncovered[name]?.[at]) flags[at] = 0; });
    });
    compiled.steps.forEach((step) => {
      if (!step.parts.some(({ read }) => found[read])) return;
      const flags = found[step.name] || new Uint8Array(count(step.shape));
      for (let at = 0; at < flags.length; at++) {
        if (flags[at] || uncovered[step.name]?.[at]) continue;
        if (eachSource(step, at, compiled, (name, source) => !!found[name]?.[source])) flags[at] = 1;
      }
      found[step.name] = flags;
    });
    return Object.fromEntries(Object.entries(found).filter(([, flags]) => flags.includes(1)));
  },

  isCovered(id) {
    const [name, index] = parts(id);
    return !!this.covered[name]?.[this.run.flat(name, index)];
  },

  // The covered cells that a cell's arithmetic would show, by array.
  coveredSources(id) {
    const [name, index] = parts(id), { compiled } = this.run, found = [];
    const step = compiled.steps.find((one) => one.name === name);
    if (step && Object.keys(this.covered).length) {
      eachSource(step, this.run.flat(name, index), compiled, (from, at) => {
        if (this.covered[from]?.[at]) found.push([from, at]);
      });
    }
    return found;
  },

  isWithheld(id) {
    return this.isCovered(id) || this.coveredSources(id).length > 0;
  },

  // Whether the workings of the row where one looks would show a covered number.
  isRowWithheld() {
    const told = (this.table()?.rows || []).map(({ of }) => parts(of)).filter(([name]) => name);
    return [[this.at.step, this.row], ...told].some(([name, index]) => {
      const start = index.slice(0, -1), { shape } = this.run.arrays[name];
      return Array.from({ length: shape.at(-1) }).some((_, at) => this.isWithheld([name, ...start, at].join(".")));
    });
  },

  // The covered arrays of those that are drawn large.
  coveredHere() {
    const drawn = this.shown.filter(({ part, view }) => part === "focus" && this.covered[view.name]);
    return drawn.filter(({ view }) => view.flat.some((at) => this.covered[view.name][at])).map(({ view }) => view.name);
  },

  // The ways between cells that may be seen: while a mask is covered, as if it hid nothing.
  seenWays() {
    const { run: { compiled, open }, covered } = this;
    const masks = compiled.steps.filter(({ decider }) => decider >= 0).map(({ parts: read, decider }) => read[decider].read);
    return masks.some((name) => covered[name]) ? open : compiled;
  },

  // Lift what is covered at this step; says whether there was anything. A host may keep it covered.
  lift() {
    const names = this.coveredHere();
    if (!names.length || this.config.kept_covered) return names.length > 0;
    names.forEach((name) => this.uncover(name, [...this.covered[name].keys()].filter((at) => this.covered[name][at])));
    this.pause();
    this.draw();
    this.report();
    return true;
  },

  uncover(name, cells) {
    if (this.config.kept_covered) return;
    const flags = (this.uncovered[name] ||= new Uint8Array(count(this.run.shapes[name])));
    cells.forEach((at) => { flags[at] = 1; });
    this.lifts += 1;
  },

  // A cell that is asked for is lifted, or else what its arithmetic would show.
  revealCell(id) {
    const [name, index] = parts(id);
    if (this.isCovered(id)) this.uncover(name, [this.run.flat(name, index)]);
    else this.coveredSources(id).forEach(([from, at]) => this.uncover(from, [at]));
    this.draw();
    this.report();
  },

  // A number that a person worked out for a covered cell.
  answer(id, typed) {
    const [name, index] = parts(id), tried = this.judge(id, typed);
    if (tried.verdict === RIGHT) this.uncover(name, [this.run.flat(name, index)]);
    this.findCovered();
    this.tried = tried;
    this.at = { ...this.at, cell: id };
    this.draw();
    this.report();
  },

  // What a typed number is, and what is said of it. What mistakes would give may come later.
  judge(id, typed) {
    const [name, index] = parts(id), at = this.run.flat(name, index), { doubted } = this.run;
    const wrong = (this.mistaken.get(this.run.id) || []).filter(({ arrays }) => arrays[name]);
    const others = wrong.map((mistake) => [mistake, mistake.arrays[name].split(" ")[at]]);
    const elsewhere = doubted ? [] : this.inLine(name, index);
    const number = typed.trim().slice(0, 20), verdict = judged(typed, this.run.textAt(name, at), [...others, ...elsewhere]);
    const said = doubted && verdict ? TEXTS(verdict === RIGHT ? "agrees" : "differs", { number }) // the run itself may be wrong
      : verdict === RIGHT ? TEXTS("right", { number })
      : verdict === "" ? TEXTS("no_number", { number })
        : verdict === WRONG ? TEXTS("wrong", { number })
          : TEXTS("mistaken", { number, mistake: verdict.name, why: verdict.why });
    return { id, typed, verdict, said };
  },

  // The other cells of a cell's row, then of its column, as mistakes with their texts: the numbers
  // that a class types are named by the same rule (ui/classroom/questions/covered.py).
  inLine(name, index) {
    const { axes, arrays } = this.run, { letters, shape } = arrays[name];
    return [1, 2].filter((from) => from <= shape.length).flatMap((from) => {
      const axis = shape.length - from, { word } = axes[letters[axis]];
      const mistake = { name: TEXTS("elsewhere", { word }), why: TEXTS(["elsewhere_row", "elsewhere_column"][from - 1]) };
      const places = [...Array(shape[axis]).keys()].filter((place) => place !== index[axis]);
      return places.map((place) => [mistake, this.run.textAt(name, this.run.flat(name, index.with(axis, place)))]);
    });
  },

  // Choices of the toolbar: what can be covered from where one looks.
  coverChoices() {
    const { run, at, cover } = this, [name, index] = parts(at.cell), shape = run.shapes[name];
    const row = [name, ...(shape.length > 2 ? [index[shape.length - 2]] : index.slice(0, -1))].join(".");
    const places = [["", TEXTS("cover_nothing")], [RESULT, TEXTS("cover_results")], [name, TEXTS("cover_matrix")]];
    if (shape.length > 1) places.push([row, TEXTS("cover_row")]);
    places.push([at.cell, TEXTS("cover_cell")]);
    return places.some(([value]) => value === cover) ? places : [...places, [cover, cover]];
  },

  // A number in prose is covered with its cell: [0.40](#stage-weights.0.2.1). One that asks for it,
  // as [weights.0.2.1](#stage-weights.0.2.1), is given the number that the run on show has.
  tellProse() {
    const covering = Object.keys(this.covered).length > 0;
    [unseen, asking].forEach((links) => links.forEach((_, link) => link.isConnected || links.delete(link)));
    markCovering();
    const asks = [...document.querySelectorAll(ASKING)].filter((link) => link.textContent === idOf(link) && link.closest("[data-stage]"));
    asks.forEach((link) => asking.set(link, true));
    if (!covering && !unseen.size && !asking.size) return;
    document.querySelectorAll(LINKS).forEach((link) => {
      const id = idOf(link);
      if (!this.run.has(id) || meantBy(link, parts(id)[0]) !== this) return;
      const hidden = this.isCovered(id);
      if (asking.has(link)) return this.tellNumber(link, hidden ? COVER : link.dataset.kept ?? this.run.number(id));
      if (hidden && link.textContent !== COVER) {
        unseen.set(link, link.textContent);
        link.textContent = COVER;
      } else if (!hidden && unseen.has(link)) {
        link.textContent = unseen.get(link);
        unseen.delete(link);
      }
    });
  },

  tellNumber(link, text) {
    if (link.textContent !== text) link.textContent = text;
  },
};

const idOf = (link) => link.hash.slice("#stage-".length);

// What prose said before it was covered, by whichever stage: one that comes anew gives it back too.
const unseen = new Map();
// Links of prose that are given their number, in a lesson's words.
const asking = new Map();
const ASKING = '.st-key-lesson a[href^="#stage-"]';

// For what a page shows beside its stages: of which arrays something is covered on one of them.
export function markCovering() {
  const some = ({ covered }) => Object.entries(covered || {}).filter(([, flags]) => flags.some(Boolean));
  const names = new Set([...together].flatMap(some).map(([name]) => name));
  const root = document.documentElement, known = together.size && [...together].every(({ covered }) => covered);
  arrivals.disconnect();
  if (!names.size) return keepInPlace(() => {
    root.removeAttribute("data-covering");
    root.toggleAttribute("data-uncovered", known);
  });
  root.removeAttribute("data-uncovered");
  root.setAttribute("data-covering", [...names].join(" "));
  arrivals.observe(document.body, { childList: true, subtree: true });
}

// What is given its room above a stage does not move the stage that one looks at.
function keepInPlace(change) {
  const main = document.querySelector("[data-testid=stMain]"), [stage] = [...together].filter(({ stood }) => stood);
  if (!main || !stage || !document.documentElement.hasAttribute("data-covering")) return change();
  const top = () => stage.root.getBoundingClientRect().top, before = top();
  change();
  main.scrollBy({ top: top() - before, behavior: "instant" });
}

// Prose may come after the stage that it tells of.
const LINKS = 'a[href^="#stage-"]';
const arrivals = new MutationObserver((changes) => {
  const tells = (node) => node.nodeType === Node.ELEMENT_NODE && (node.matches(LINKS) || node.querySelector(LINKS));
  if (!changes.some(({ addedNodes }) => [...addedNodes].some(tells))) return;
  together.forEach((stage) => { if (stage.run) stage.tellProse(); });
});
