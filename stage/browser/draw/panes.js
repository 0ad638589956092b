// Panes: what is drawn of a matrix that has more rows or columns than are read at once. Each axis that
// is too long is cut by itself; a small map shows the whole as colours and where the pane is. A pane
// follows the selected cell, and moves by the wheel and by its map.

import { element } from "../dom/elements.js";
import { mathOf } from "../formula/formula.js";
import { parts, POSITION } from "../run/run.js";
import { ColourMap } from "./colour_map.js";
import { MOST_WHOLE, sync } from "./matrices.js";
import { LOW_WINDOW, NARROW } from "./measures.js";

// The rows and columns of a pane: the most, those in a product, whose operands take room too, and the
// least; in a window that is not high a pane has fewer.
const PANE = 12, PANE_IN_PRODUCT = 8, PANE_LEAST = 6, PANE_SHORT = 4, LESS = 2;
// In a window that is filled, an axis is cut to so many where the whole would be too small to be read.
const CUTS = [10, 8, 6, 5, 4];
// So many columns stand beside each other.
const ABREAST = 24;
// So far a wheel turns for a row.
const A_ROW = 24;

export class Panes {
  constructor(stage) {
    this.stage = stage;
    this.seen = {}; // where panes begin, by the letter of an axis
    this.cuts = new Map(); // how long axes are in a filled window, by run, step and window
    this.size = []; // the rows and columns of the step's panes, as drawn
    this.whole = 0; // and up to which length an axis is drawn whole
    this.maps = []; // of the panes on show
    this.rolled = null; // how far a wheel has turned over a matrix since it moved
  }

  // Which run and step stand in which window: what is too large in one fits another.
  get cutKey() {
    const { run, stop, root } = this.stage;
    return [run.id, stop, innerWidth, innerHeight, root.classList.contains("taken")].join();
  }

  // To how many rows and columns the step's axes are cut where they are longer; 0: to none by the window.
  get cut() { return (this.stage.presenting && this.cuts.get(this.cutKey)) || 0; }

  // An axis up to this length is shown whole.
  get mostWhole() { return this.cut || MOST_WHOLE; }

  // Cuts the axes of the step further. Says whether that changes what is shown.
  cutMore() {
    const longest = Math.max(...this.stage.matrices.flatMap(({ view }) => [view.rows, view.cols]));
    const next = CUTS.find((size) => size < longest);
    if (next) this.cuts.set(this.cutKey, next);
    return !!next;
  }

  // The rows and columns that the step's panes have room for.
  room() {
    const { cut, stage } = this;
    if (cut) return [cut, cut];
    const { row, left, columns } = stage.stops[stage.stop].focus, less = innerHeight < LOW_WINDOW ? LESS : 0;
    const little = stage.presenting || (!stage.sheet && stage.width < NARROW);
    if (left) {
      const { rows } = stage.run.view(columns[0].result, stage.places), whole = rows > MOST_WHOLE ? 0 : rows;
      const most = little ? PANE_LEAST : PANE_IN_PRODUCT - less;
      return [Math.max(PANE_SHORT, Math.min(most, 2 * most - whole)), most];
    }
    if (little) return [PANE_LEAST, PANE_LEAST];
    return [PANE - less, Math.max(PANE_LEAST, Math.min(PANE - less, Math.floor(ABREAST / row.length)))];
  }

  measure() {
    this.size = this.room();
    this.whole = this.mostWhole;
  }

  // Whether they have another size than they are drawn in.
  get areOther() {
    return this.whole !== this.mostWhole || (this.maps.length > 0 && String(this.size) !== String(this.room()));
  }

  // Brings the selected cell into every pane, and of what it has no place in nothing moves.
  follow() {
    const { run, at, places, row } = this.stage, [name, index] = parts(at.cell);
    const kept = { ...places, ...run.places(at.step, row), ...run.places(name, index) };
    Object.entries(run.axes).forEach(([letter, { kind, tokens, offset, size }]) => {
      if (size <= this.mostWhole) return;
      const place = kept[letter] ?? (kind === POSITION ? run.token(kept, tokens) - offset : undefined);
      if (place !== undefined) this.show(letter, place);
    });
  }

  // Moves the panes along an axis no further than a place is seen; one far away comes to their middle.
  show(letter, place) {
    const start = this.seen[letter] || 0, size = Math.min(...this.size);
    if (place >= start && place < start + size) return;
    const far = place < start - size || place >= start + 2 * size;
    this.begin(letter, far ? place - Math.floor(size / 2) : place < start ? place : place - size + 1);
  }

  // Where panes begin along an axis.
  begin(letter, start) {
    const most = this.stage.run.axes[letter].size - Math.min(...this.size);
    this.seen[letter] = Math.max(0, Math.min(start, most));
  }

  // What is drawn of a view: itself, or a pane of it.
  of(view) {
    const { run } = this.stage, { mostWhole, size: [most, widest] } = this;
    if (Math.max(view.rows, view.cols) <= mostWhole) return view;
    const cut = (letter, size, shown) => (
      size > mostWhole ? [Math.min(this.seen[letter] || 0, size - shown), shown] : [0, size]
    );
    const [[top, rows], [left, cols]] = [cut(view.rowLetter, view.rows, most), cut(view.colLetter, view.cols, widest)];
    const key = [top, left, rows, cols, run.tiles.size, run.whole].join();
    if (view.paneKey !== key) Object.assign(view, { paneKey: key, pane: run.pane(view, top, left, rows, cols) });
    return view.pane;
  }

  // Moves a matrix' pane by so many rows and columns, and those beside it that share them.
  move(matrix, rows, cols) {
    const { run, large: { above, left, results } } = this.stage, { view } = matrix;
    const column = above.map((over, n) => [over, results[n]]).find((pair) => pair.includes(matrix)) || [matrix];
    const line = left && [left, ...results].includes(matrix) ? [left, ...results] : [matrix];
    const moved = new Map(); // by letter: several matrices have the same one
    line.forEach((other) => rows && moved.set(other.view.rowLetter, rows));
    column.forEach((other) => cols && moved.set(other.view.colLetter, cols));
    const before = JSON.stringify(this.seen);
    moved.forEach((by, letter) => {
      if (letter && run.axes[letter].size > this.mostWhole) this.begin(letter, (this.seen[letter] || 0) + by);
    });
    if (view.whole && JSON.stringify(this.seen) !== before) this.stage.draw();
  }

  // The wheel over a pane moves it as far as it goes; then the page scrolls on.
  roll(event) {
    const root = event.ctrlKey ? null : event.target.closest?.('[data-part="focus"]');
    const matrix = root && this.stage.shown.find((shown) => shown.root === root && shown.view.whole);
    if (!matrix) return;
    const { deltaX, deltaY, shiftKey } = event, [across, down] = shiftKey ? [deltaY, 0] : [deltaX, deltaY];
    const rolled = this.rolled?.matrix === matrix ? this.rolled : { matrix, across: 0, down: 0 };
    const total = [rolled.down + down, rolled.across + across], whole = total.map((way) => Math.trunc(way / A_ROW));
    this.rolled = { matrix, down: total[0] % A_ROW, across: total[1] % A_ROW };
    const { view } = matrix, can = (by, start, shown, size) => (by < 0 ? start > 0 : by > 0 && start + shown < size);
    const moves = can(down, view.top, view.rows, view.whole.rows) || can(across, view.left, view.cols, view.whole.cols);
    if (moves) event.preventDefault();
    if (whole.some(Boolean)) this.move(matrix, ...whole);
  }

  // The maps of the step's panes, each once.
  drawMaps(face) {
    face.maps ||= { box: element("div", "maps"), kept: new Map() };
    const { box, kept } = face.maps, { run, covers, shown, large: { row, above, left, results } } = this.stage;
    const cut = [...row, left, ...above, ...results].filter((matrix) => matrix?.view.whole);
    this.maps = [...new Map(cut.map((matrix) => [`${matrix.view.name} ${matrix.view.transposed}`, matrix]))].map(([key, matrix]) => {
      if (!kept.has(key)) kept.set(key, new PaneMap((...way) => this.move(...way)));
      kept.get(key).show(matrix, run.roles, covers.cells[matrix.view.name]);
      return kept.get(key);
    });
    box.hidden = !this.maps.length;
    sync(box, this.maps.map(({ root }) => root));
    shown.push(...this.maps.map(({ map }) => map));
  }

  // In the empty corner of a product, or else above what is drawn.
  placeMaps({ maps: { box } }, focus, fitsCorner) {
    const corner = fitsCorner && focus.querySelector(".nothing");
    if (!this.maps.length) return box.remove();
    box.classList.toggle("lined", !corner);
    if (corner && box.parentNode !== corner) corner.append(box);
    else if (!corner && box.parentNode !== focus) focus.prepend(box);
  }
}

// A map with a frame around what of it is in the pane. Pressed or drawn over, it moves the pane there.
class PaneMap {
  // `move(matrix, rows, cols)` is called for the way that its pane goes.
  constructor(move) {
    this.move = move;
    this.map = new ColourMap("map");
    this.root = element("figure", "pane-map");
    this.name = element("figcaption");
    this.frame = element("span", "frame");
    this.map.root.append(this.frame);
    this.root.append(this.name, this.map.root);
    const { root } = this.map;
    root.addEventListener("pointerdown", (event) => {
      root.setPointerCapture(event.pointerId);
      this.moveTo(event);
    });
    root.addEventListener("pointermove", (event) => { if (root.hasPointerCapture(event.pointerId)) this.moveTo(event); });
  }

  show(matrix, roles, covered) {
    const { view } = matrix, { whole } = view;
    this.matrix = matrix;
    this.map.update(whole, roles, undefined, covered);
    if (this.named !== whole.symbol) {
      this.named = whole.symbol;
      this.name.replaceChildren(mathOf(whole.symbol, roles));
      this.map.canvas.setAttribute("role", "img");
      this.map.canvas.setAttribute("aria-label", TEXTS("whole", { array: `${whole.called}${whole.transposed ? "ᵀ" : ""}`, size: whole.size }));
    }
    const part = (from, shown, all) => [`${(100 * from) / all}%`, `${(100 * shown) / all}%`];
    [[this.frame.style.left, this.frame.style.width], [this.frame.style.top, this.frame.style.height]] = [
      part(view.left, view.cols, whole.cols), part(view.top, view.rows, whole.rows),
    ];
  }

  // So that the pane's middle is where a finger or the mouse is.
  moveTo({ clientX, clientY }) {
    const { view } = this.matrix, { whole } = view, box = this.map.canvas.getBoundingClientRect();
    const to = (part, shown, all) => Math.round(part * all - shown / 2);
    const top = to((clientY - box.top) / box.height, view.rows, whole.rows);
    const left = to((clientX - box.left) / box.width, view.cols, whole.cols);
    this.move(this.matrix, top - view.top, left - view.left);
  }
}
