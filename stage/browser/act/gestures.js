// What hands do on the stage: keys, typing into cells, and pointing.
// These are methods of the stage; stage.js takes them over.

import { focusIn } from "../dom/buttons.js";
import { element, MINUS } from "../dom/elements.js";
import { cellAt, STATES } from "../draw/matrices.js";
import { SETTLE } from "../draw/measures.js";
import { SingleKeys } from "../present/curtain.js";
import { reach } from "../run/patterns.js";
import { parts } from "../run/run.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export const turnsPage = ({ key }) => key === "PageDown" || key === "PageUp";

// All stages of the page, so that one of them answers what is meant for one.
export const together = (globalThis[Symbol.for("attention-stages")] ||= new Set());

// The stage that has the focus and is not scrolled away, or else one that fills much of the window.
function inView() {
  const shows = ({ root }, part) => {
    const { top, bottom } = root.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - Math.max(top, 0) >= innerHeight * part;
  };
  const stages = [...together];
  const filling = stages.find(({ presenting }) => presenting);
  if (filling) return filling;
  const focused = stages.find(({ root }) => root.contains(root.getRootNode().activeElement));
  return focused && shows(focused, 0.1) ? focused : stages.find((stage) => shows(stage, 1 / 3));
}

// The stage that a link is in, or that it names; else the last stage before it that shows an array of that name, or else the first one.
export function meantBy(link, name) {
  const named = link.closest("[data-stage]")?.dataset.stage;
  const around = [...together].find(({ root, config }) => (
    root.contains(link) || (named && config.stage === named)
  ));
  if (around || named) return around;
  const stages = [...together].filter((stage) => stage.run?.shapes[name]);
  const before = stages.filter(({ root }) => (
    root.getRootNode().host.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING
  ));
  const later = (a, b) => a.root.getBoundingClientRect().top - b.root.getBoundingClientRect().top;
  return before.sort(later).pop() || stages.sort(later)[0];
}

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Gestures = {
  page(event) {
    if (!this.at || inView() !== this) return;
    if (event.defaultPrevented) return;
    const free = this.presenting && !focusIn(this.root)?.matches('[role="gridcell"], [role="radio"], textarea');
    const by = { PageDown: 1, PageUp: -1, ...(free && { ArrowRight: 1, ArrowLeft: -1 }) }[event.key];
    const [target] = event.composedPath();
    const field = target.closest?.("input:not([type=range]):not([type=radio]), textarea");
    // A remote goes on from a field of one line too: there these keys mean nothing.
    const typing = field && !(this.presenting && field.matches("input") && turnsPage(event));
    // A link to a projector's view stays one; who opened the window leaves it so.
    if (event.key === "Escape" && this.projection.isOwn && !typing) return this.projection.leave();
    if (event.key === "u" && SingleKeys.on && !typing && !event.ctrlKey && !event.metaKey && this.lift()) {
      if (!this.config.kept_covered) this.announce(TEXTS("uncovered"));
      return event.preventDefault();
    }
    if (/^t$/i.test(event.key) && SingleKeys.on && !typing && !event.ctrlKey && !event.altKey && !event.metaKey && this.takesSentence()) {
      this.sentence.open(this.answered.sentence);
      return event.preventDefault();
    }
    if (!by || typing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (by > 0 && this.lift()) return event.preventDefault();
    const stop = this.stops[this.stop + by], { names } = this.stops[this.stop];
    // What leads through the stage (a lesson) may go on from here by itself.
    const detail = { stage: this.config.stage, by, names, last: !stop };
    const turn = new CustomEvent("stage-turns", { cancelable: true, detail });
    if (!document.dispatchEvent(turn)) return event.preventDefault();
    if (!stop) return; // past the last step the page scrolls on
    event.preventDefault();
    this.go(stop.first, stop.inside);
  },

  // Prose may point at the stage: [K](#stage-K) lights that matrix; a click goes to its step.
  prose(event) {
    const link = event.composedPath()[0].closest?.('a[href^="#stage-"]');
    const id = link ? link.getAttribute("href").slice("#stage-".length) : "", [name] = parts(id);
    const mine = link && meantBy(link, name) === this, exact = mine && this.run.has(id);
    this.light(mine && !exact ? name : "");
    if (exact) this.point(this.hovered = id);
    else if (this.lead && !event.composedPath().includes(this.root)) {
      this.hovered = "";
      this.point(this.at.cell);
    }
    this.lead = exact;
    if (event.type !== "click" || !mine) return;
    event.preventDefault();
    if (exact) {
      this.goTo(name);
      return this.choose(id);
    }
    this.root.scrollIntoView({ block: "nearest" });
    if (!this.matrices.some(({ away, view }) => !away && view.name === name)) this.goTo(name);
  },

  light(name) {
    this.lit = name;
    this.shown.forEach((matrix) => matrix.root.classList.toggle("lit", matrix.view.name === name));
  },

  key(event) {
    const cell = event.target.closest?.('[role="gridcell"]');
    if (!cell?.dataset.cell || event.target.matches("input")) return;
    const grid = cell.closest('[role="grid"]');
    const { view } = this.shown.find((matrix) => matrix.grid === grid), whole = view.whole || view;
    const row = Number(cell.dataset.row), col = Number(cell.dataset.col), far = event.ctrlKey || event.metaKey;
    let to = null;
    if (ARROWS[event.key]) to = [row + ARROWS[event.key][0], col + ARROWS[event.key][1]];
    else if (event.key === "Home") to = [far ? 0 : row, 0];
    else if (event.key === "End") to = [far ? whole.rows - 1 : row, whole.cols - 1];
    else if (event.key === "Enter") this.choose(cell.dataset.cell);
    else if (event.key === " ") this.painting.toggle(cell);
    else if (event.key === "F2" || /^[-0-9.]$/.test(event.key)) {
      this.edit(cell, event.key === "F2" ? null : event.key);
    } else return;
    event.preventDefault();
    if (!to || !(to[0] in whole.rowLabels) || !(to[1] in whole.colLabels)) return;
    // In a pane the cell may come with the drawing.
    const seat = () => grid.querySelector(`[data-row="${to[0]}"][data-col="${to[1]}"]`);
    seat()?.focus();
    this.choose(cellAt(view, ...to), SETTLE);
    seat()?.focus({ preventScroll: true });
  },

  view(cell) {
    const name = cell.closest("[data-matrix]").dataset.matrix;
    return this.matrices.find(({ view }) => view.name === name)?.view;
  },

  // Editing one number in place: double click, F2, or just type it.
  edit(cell, typed = null) {
    if (!cell?.matches('[role="gridcell"]')) return;
    const covered = cell.classList.contains("covered");
    if (!covered && !this.view(cell)?.editable) return;
    const input = element("input");
    const before = cell.querySelector(".number").textContent;
    input.value = typed ?? (covered ? "" : before.replaceAll(MINUS, "-"));
    input.setAttribute("aria-label", TEXTS(covered ? "answer" : "edit", { cell: cell.dataset.cell }));
    let open = true; // removing the field blurs it, which must not commit again
    const close = (commit) => {
      if (!open) return;
      open = false;
      const text = input.value.trim();
      input.remove();
      cell.focus();
      if (commit && covered) {
        if (text) this.answer(cell.dataset.cell, text);
      } else if (commit && text !== before.replaceAll(MINUS, "-")) {
        this.act("edit", { cell: cell.dataset.cell, text });
      }
    };
    input.onkeydown = (event) => {
      if (!turnsPage(event)) event.stopPropagation();
      if (event.key === "Enter") close(true);
      if (event.key === "Escape" || (this.presenting && turnsPage(event))) close(false);
    };
    // Where the stage itself takes the field away, nothing was meant by it.
    input.onblur = () => setTimeout(() => input.isConnected && close(true));
    cell.append(input);
    input.focus();
    if (typed === null) input.select();
  },

  selected() {
    return this.root.querySelector('[role="gridcell"][aria-selected="true"]');
  },

  // Nobody points at a cell any more.
  pointAway() {
    if (!this.hovered) return;
    this.hovered = "";
    if (!this.playing.isOn) this.point(this.at?.cell);
  },

  // Pointing: sources, uses and everything beyond them, in every matrix shown.
  point(id) {
    this.pointed = id; // by the mouse, the keys, or as Play goes on
    if (!this.run?.has(id)) {
      this.shown.forEach((matrix) => matrix.highlight(null));
      return this.tellPointed();
    }
    const levels = this.reachOf(id);
    this.shown.forEach((matrix) => matrix.highlight(levels[matrix.view.name]));
    this.tellPointed();
  },

  // Every cell that a cell comes from or goes into.
  reachOf(id) {
    const [name, index] = parts(id), ways = this.covers.seenWays;
    if (this.reached?.ways !== ways || this.reached.id !== id) {
      this.reached = { ways, id, levels: reach(ways, name, this.run.flat(name, index)) };
    }
    return this.reached.levels;
  },

  // For what a page shows beside its stages: how a cell is lit, asked as `at(name, [0, 2, 1])`.
  tellPointed() {
    const { run, pointed } = this, lit = run?.has(pointed) ? this.reached.levels : {};
    const at = (name, index) => (lit[name] && STATES[lit[name][run.flat(name, index)]]) || "";
    document.dispatchEvent(new CustomEvent("stage-points", { detail: { stage: this.config.stage, at } }));
  },
};
