// Panes: what is drawn of a matrix that has more rows or columns than are read at once. Each axis that
// is too long is cut by itself; a small map shows the whole as colours and where the pane is. A pane
// follows the selected cell, and moves by the wheel and by its map. These are methods of the stage;
// stage.js takes them over.

import { element } from "../dom/elements.js";
import { mathOf } from "../formula/formula.js";
import { parts, POSITION } from "../run/run.js";
import { ColourMap } from "./colour_map.js";
import { MOST_WHOLE, sync } from "./matrices.js";
import { LOW_WINDOW, NARROW, SETTLE } from "./measures.js";

// The rows and columns of a pane: the most, those in a product, whose operands take room too, and the
// least; in a window that is not high a pane has fewer.
const PANE = 12, PANE_IN_PRODUCT = 8, PANE_LEAST = 6, PANE_SHORT = 4, LESS = 2;
// In a window that is filled, an axis is cut to so many where the whole would be too small to be read.
const CUTS = [10, 8, 6, 5, 4];
// So many columns stand beside each other.
const ABREAST = 24;
// So far a wheel turns for a row.
const A_ROW = 24;

export const Panes = {
  // Which run and step stand in which window: what is too large in one fits another.
  cutKey() {
    return [this.run.id, this.stop, innerWidth, innerHeight, this.root.classList.contains("taken")].join();
  },

  // To how many rows and columns the step's axes are cut where they are longer; 0: to none by the window.
  cut() { return (this.presenting && this.cuts.get(this.cutKey())) || 0; },

  // An axis up to this length is shown whole.
  mostWhole() { return this.cut() || MOST_WHOLE; },

  // Cuts the axes of the step further. Says whether that changes what is shown.
  cutMore() {
    const { row, above, left, results } = this.large;
    const longest = Math.max(...[...row, ...above, ...results, ...(left ? [left] : [])].map(({ view }) => Math.max(view.rows, view.cols)));
    const next = CUTS.find((size) => size < longest);
    if (next) this.cuts.set(this.cutKey(), next);
    return !!next;
  },

  // The rows and columns of the step's panes.
  sizePanes() {
    if (this.cut()) return [this.cut(), this.cut()];
    const { row, left, columns } = this.stops[this.stop].focus, less = innerHeight < LOW_WINDOW ? LESS : 0;
    const little = this.presenting || (!this.sheet && this.width < NARROW);
    if (left) {
      const { rows } = this.run.view(columns[0].result, this.places), whole = rows > MOST_WHOLE ? 0 : rows;
      const most = little ? PANE_LEAST : PANE_IN_PRODUCT - less;
      return [Math.max(PANE_SHORT, Math.min(most, 2 * most - whole)), most];
    }
    if (little) return [PANE_LEAST, PANE_LEAST];
    return [PANE - less, Math.max(PANE_LEAST, Math.min(PANE - less, Math.floor(ABREAST / row.length)))];
  },

  // Whether panes have another size than they are drawn in.
  panesChange() {
    if (this.drawnWhole !== this.mostWhole()) return true;
    return this.maps.length > 0 && String(this.paneSize) !== String(this.sizePanes());
  },

  // Brings the selected cell into every pane, and of what it has no place in nothing moves.
  followCell() {
    const { run, at } = this, [name, index] = parts(at.cell);
    const kept = { ...this.places, ...run.places(at.step, this.row), ...run.places(name, index) };
    Object.entries(run.axes).forEach(([letter, { kind, tokens, offset, size }]) => {
      if (size <= this.mostWhole()) return;
      const place = kept[letter] ?? (kind === POSITION ? run.token(kept, tokens) - offset : undefined);
      if (place !== undefined) this.showPlace(letter, place);
    });
  },

  // Moves the panes along an axis no further than a place is seen; one far away comes to their middle.
  showPlace(letter, place) {
    const start = this.seen[letter] || 0, size = Math.min(...this.paneSize);
    if (place >= start && place < start + size) return;
    const far = place < start - size || place >= start + 2 * size;
    this.see(letter, far ? place - Math.floor(size / 2) : place < start ? place : place - size + 1);
  },

  // Where panes begin along an axis.
  see(letter, start) {
    const most = this.run.axes[letter].size - Math.min(...this.paneSize);
    this.seen[letter] = Math.max(0, Math.min(start, most));
  },

  // What is drawn of a view: itself, or a pane of it.
  paneOf(view) {
    if (Math.max(view.rows, view.cols) <= this.mostWhole()) return view;
    const cut = (letter, size, shown) => (
      size > this.mostWhole() ? [Math.min(this.seen[letter] || 0, size - shown), shown] : [0, size]
    );
    const [most, widest] = this.paneSize;
    const [[top, rows], [left, cols]] = [cut(view.rowLetter, view.rows, most), cut(view.colLetter, view.cols, widest)];
    const key = [top, left, rows, cols, this.run.tiles.size, this.run.whole].join();
    if (view.paneKey !== key) Object.assign(view, { paneKey: key, pane: this.run.pane(view, top, left, rows, cols) });
    return view.pane;
  },

  // Moves a matrix' pane by so many rows and columns, and those beside it that share them. Says whether
  // it moves.
  movePane(matrix, rows, cols) {
    const { above, left, results } = this.large, { view } = matrix;
    const column = above.map((over, n) => [over, results[n]]).find((pair) => pair.includes(matrix)) || [matrix];
    const line = left && [left, ...results].includes(matrix) ? [left, ...results] : [matrix];
    const moved = new Map(); // by letter: several matrices have the same one
    line.forEach((other) => rows && moved.set(other.view.rowLetter, rows));
    column.forEach((other) => cols && moved.set(other.view.colLetter, cols));
    const before = JSON.stringify(this.seen);
    moved.forEach((by, letter) => {
      if (letter && this.run.axes[letter].size > this.mostWhole()) this.see(letter, (this.seen[letter] || 0) + by);
    });
    if (!view.whole || JSON.stringify(this.seen) === before) return false;
    this.draw();
    return true;
  },

  // The drawn matrix that is a pane, around a node of the page.
  paneAround(node) {
    const root = node.closest?.('[data-part="focus"]');
    return root && this.shown.find((matrix) => matrix.root === root && matrix.view.whole);
  },

  // The wheel over a pane moves it as far as it goes; then the page scrolls on.
  roll(event) {
    const matrix = event.ctrlKey ? null : this.paneAround(event.target);
    if (!matrix) return;
    const { deltaX, deltaY, shiftKey } = event, [across, down] = shiftKey ? [deltaY, 0] : [deltaX, deltaY];
    const rolled = this.rolled?.matrix === matrix ? this.rolled : { matrix, across: 0, down: 0 };
    const total = [rolled.down + down, rolled.across + across], whole = total.map((way) => Math.trunc(way / A_ROW));
    this.rolled = { matrix, down: total[0] % A_ROW, across: total[1] % A_ROW };
    const { view } = matrix, can = (by, start, shown, size) => (by < 0 ? start > 0 : by > 0 && start + shown < size);
    const moves = can(down, view.top, view.rows, view.whole.rows) || can(across, view.left, view.cols, view.whole.cols);
    if (moves) event.preventDefault();
    if (whole.some(Boolean)) this.movePane(matrix, ...whole);
  },

  // The maps of the step's panes, each once.
  drawMaps(face) {
    face.maps ||= { box: element("div", "maps"), kept: new Map() };
    const { box, kept } = face.maps, { row, above, left, results } = this.large;
    const cut = [...row, left, ...above, ...results].filter((matrix) => matrix?.view.whole);
    this.maps = [...new Map(cut.map((matrix) => [`${matrix.view.name} ${matrix.view.transposed}`, matrix]))].map(([key, matrix]) => {
      if (!kept.has(key)) kept.set(key, new PaneMap(this));
      kept.get(key).show(matrix, this.run.roles, this.covers.cells[matrix.view.name]);
      return kept.get(key);
    });
    box.hidden = !this.maps.length;
    sync(box, this.maps.map(({ root }) => root));
    this.shown.push(...this.maps.map(({ map }) => map));
  },

  // In the empty corner of a product, or else above what is drawn.
  placeMaps({ stacked }) {
    const face = [...this.faces.values()].find(({ root }) => root === this.focus), { box } = face.maps;
    const corner = !stacked && !this.sheet && this.focus.querySelector(".nothing");
    if (!this.maps.length) return box.remove();
    box.classList.toggle("lined", !corner);
    if (corner && box.parentNode !== corner) corner.append(box);
    else if (!corner && box.parentNode !== this.focus) this.focus.prepend(box);
  },

  // Asks the host for numbers of panes, and of the selected cell, that have not come yet.
  askNumbers() {
    const { run } = this, lacks = new Set(), [name, index] = parts(this.at.cell);
    const lack = (array, at) => { if (!run.textAt(array, at)) lacks.add(run.tileOf(array, at).id); };
    this.matrices.filter(({ view }) => view.whole).forEach(({ view }) => view.flat.forEach((at) => lack(view.name, at)));
    lack(name, run.flat(name, index));
    this.lacking = [...lacks];
    const unasked = this.lacking.filter((tile) => !run.asked.has(tile));
    unasked.forEach((tile) => run.asked.add(tile));
    if (unasked.length) this.report(SETTLE);
  },
};

// A map with a frame around what of it is in the pane. Pressed or drawn over, it moves the pane there.
class PaneMap {
  constructor(stage) {
    this.stage = stage;
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
    this.stage.movePane(this.matrix, top - view.top, left - view.left);
  }
}
