// Covers: numbers that are not to be seen until they are lifted or worked out. What is covered is an
// array, a row or a cell of it, or the result of the step that one is at and so of all that follow;
// what is made of a covered number is covered with it.

import { COVER } from "../draw/matrices.js";
import { count, eachSource } from "../run/patterns.js";
import { innermost, parts } from "../run/run.js";
import { meantBy, together } from "./gestures.js";

const RESULT = "result";

export class Covers {
  // `kept`: the host keeps everything covered.
  constructor(kept) {
    this.kept = kept;
    this.cells = {}; // what is covered as drawn now: for each array that has such cells one byte a cell
    this.found = ""; // of which run, cover and step that is
    this.lifts = 0; // how often the cover or what is lifted changed
    this.turnTo("");
  }

  // Another cover: `result`, weights, scores.2 or scores.0.2.1; "" for none.
  turnTo(cover) {
    this.cover = cover;
    this.lifted = {}; // by array one byte a cell
    this.lifts += 1;
  }

  // Finds what is covered at a stop of a run. Says whether that is another than before.
  find(run, stops, stop) {
    const { cover } = this, found = [run.id, cover, this.lifts, cover === RESULT && stop].join();
    if (this.found === found) return false;
    this.run = run;
    this.found = found;
    this.cells = cover ? this.withAllMadeOf(this.named(stops.slice(stop))) : {};
    return true;
  }

  // The cells that the cover names.
  named(later) {
    const { run, cover } = this;
    const found = {};
    const flags = (name) => (found[name] ||= new Uint8Array(count(run.shapes[name])));
    if (cover === RESULT) {
      const names = later.flatMap((one) => [one, ...innermost(one)]).flatMap((one) => one.names);
      names.filter((name) => run.operands[name]).forEach((name) => flags(name).fill(1));
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
  }

  withAllMadeOf(found) {
    const { run: { compiled }, lifted } = this;
    Object.entries(found).forEach(([name, flags]) => {
      flags.forEach((_, at) => { if (lifted[name]?.[at]) flags[at] = 0; });
    });
    compiled.steps.forEach((step) => {
      if (!step.parts.some(({ read }) => found[read])) return;
      const flags = found[step.name] || new Uint8Array(count(step.shape));
      for (let at = 0; at < flags.length; at++) {
        if (flags[at] || lifted[step.name]?.[at]) continue;
        if (eachSource(step, at, compiled, (name, source) => !!found[name]?.[source])) flags[at] = 1;
      }
      found[step.name] = flags;
    });
    return Object.fromEntries(Object.entries(found).filter(([, flags]) => flags.includes(1)));
  }

  isCovered(id) {
    const [name, index] = parts(id);
    return !!this.cells[name]?.[this.run.flat(name, index)];
  }

  // The covered cells that a cell's arithmetic would show, by array.
  sources(id) {
    const [name, index] = parts(id), { compiled } = this.run, found = [];
    const step = compiled.steps.find((one) => one.name === name);
    if (step && Object.keys(this.cells).length) {
      eachSource(step, this.run.flat(name, index), compiled, (from, at) => {
        if (this.cells[from]?.[at]) found.push([from, at]);
      });
    }
    return found;
  }

  isWithheld(id) {
    return this.isCovered(id) || this.sources(id).length > 0;
  }

  // Whether the workings of rows would show a covered number; each row is an array and a place in it.
  areWithheld(rows) {
    return rows.some(([name, index]) => {
      const start = index.slice(0, -1), { shape } = this.run.arrays[name];
      return Array.from({ length: shape.at(-1) }).some((_, at) => this.isWithheld([name, ...start, at].join(".")));
    });
  }

  // The arrays of some drawn matrices of which covered cells are seen.
  among(matrices) {
    const seen = matrices.filter(({ view: { name, flat } }) => flat.some((at) => this.cells[name]?.[at]));
    return seen.map(({ view }) => view.name);
  }

  // The ways between cells that may be seen: while a mask is covered, as if it hid nothing.
  get seenWays() {
    const { run: { compiled, open }, cells } = this;
    const masks = compiled.steps.filter(({ decider }) => decider >= 0).map(({ parts: read, decider }) => read[decider].read);
    return masks.some((name) => cells[name]) ? open : compiled;
  }

  lift(name, places) {
    if (this.kept) return;
    const flags = (this.lifted[name] ||= new Uint8Array(count(this.run.shapes[name])));
    places.forEach((at) => { flags[at] = 1; });
    this.lifts += 1;
  }

  liftWhole(names) {
    names.forEach((name) => this.lift(name, [...this.cells[name].keys()].filter((at) => this.cells[name][at])));
  }

  // A cell that is asked for, or else what its arithmetic would show.
  liftCell(id) {
    const [name, index] = parts(id);
    if (this.isCovered(id)) this.lift(name, [this.run.flat(name, index)]);
    else this.sources(id).forEach(([from, at]) => this.lift(from, [at]));
  }

  // What can be covered from where one looks, as choices.
  choices(run, cell) {
    const { cover } = this, [name, index] = parts(cell), shape = run.shapes[name];
    const row = [name, ...(shape.length > 2 ? [index[shape.length - 2]] : index.slice(0, -1))].join(".");
    const places = [["", TEXTS("cover_nothing")], [RESULT, TEXTS("cover_results")], [name, TEXTS("cover_matrix")]];
    if (shape.length > 1) places.push([row, TEXTS("cover_row")]);
    places.push([cell, TEXTS("cover_cell")]);
    return places.some(([value]) => value === cover) ? places : [...places, [cover, cover]];
  }
}

// A number in prose is covered with its cell: [0.40](#stage-weights.0.2.1). One that asks for it,
// as [weights.0.2.1](#stage-weights.0.2.1), is given the number that the run on show has.
export function tellProse(stage) {
  const { run, covers } = stage, covering = Object.keys(covers.cells).length > 0;
  [unseen, asking].forEach((links) => links.forEach((_, link) => link.isConnected || links.delete(link)));
  markCovering();
  const asks = [...document.querySelectorAll(ASKING)].filter((link) => link.textContent === idOf(link) && link.closest("[data-stage]"));
  asks.forEach((link) => asking.set(link, true));
  if (!covering && !unseen.size && !asking.size) return;
  document.querySelectorAll(LINKS).forEach((link) => {
    const id = idOf(link);
    if (!run.has(id) || meantBy(link, parts(id)[0]) !== stage) return;
    const hidden = covers.isCovered(id);
    if (asking.has(link)) {
      const text = hidden ? COVER : link.dataset.kept ?? run.number(id);
      if (link.textContent !== text) link.textContent = text;
    } else if (hidden && link.textContent !== COVER) {
      unseen.set(link, link.textContent);
      link.textContent = COVER;
    } else if (!hidden && unseen.has(link)) {
      link.textContent = unseen.get(link);
      unseen.delete(link);
    }
  });
}

const idOf = (link) => link.hash.slice("#stage-".length);

// What prose said before it was covered, by whichever stage: one that comes anew gives it back too.
const unseen = new Map();
// Links of prose that are given their number, in a lesson's words.
const asking = new Map();
const ASKING = '.st-key-lesson a[href^="#stage-"]';

// For what a page shows beside its stages: of which arrays something is covered on one of them.
export function markCovering() {
  const some = ({ covers }) => Object.entries(covers.cells).filter(([, flags]) => flags.some(Boolean));
  const names = new Set([...together].flatMap(some).map(([name]) => name));
  const root = document.documentElement, known = together.size > 0;
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
  together.forEach((stage) => { if (stage.run) tellProse(stage); });
});
