// Drawing matrices: grids of cells that are built once and then updated in place.
//
// A view (stage/browser/run/run.js) says which matrix of which array it shows; a drawn matrix keeps its cells'
// elements. `changes` are the texts of an array's cells that say how another run differs.

import { element, minus } from "../dom/elements.js";
import { mathOf } from "../formula/formula.js";
import { SOURCE } from "../run/patterns.js";
import { RANDOM } from "../run/run.js";

export const STATES = ["", "source-far", "source", "use-far", "use", "here"];
// Looks that are no colour of a scale, by level (stage/document/document.py) and by text.
const ZERO = { s: 20 }; // the level of 0 in signed colours
export const LOOKS = { 255: "masked", 254: "nan", [RANDOM]: "random", "-inf": "masked", NaN: "nan" };
// The height of a miniature, its largest width, that of a cell, and up to how many cells in a line these stand apart.
export const MINI = 42, MINI_WIDE = 96, MINI_CELL = 14, MINI_APART = 8;
export const COVER = "?";
// An axis up to this length is shown whole.
export const MOST_WHOLE = 24;
// What stands for a small number on a page that asks for no powers of ten.
const NEARLY_NONE = "≈ 0";

export const isLarge = ({ rows, cols }) => Math.max(rows, cols) > MOST_WHOLE;

// Make `nodes` the children of `parent`, leaving those in place that are there already.
export function sync(parent, nodes) {
  const same = parent.childNodes.length === nodes.length
    && nodes.every((node, number) => parent.childNodes[number] === node);
  if (!same) parent.replaceChildren(...nodes);
}

// A number's text as a screen reader says it.
function spoken(text) {
  return text.replace("e", ` ${TEXTS("times_ten")} `).replace("NaN", TEXTS("not_a_number"))
    .replace("inf", TEXTS("infinity")).replaceAll("-", `${TEXTS("minus")} `);
}

// What stands below a number that another run has otherwise.
function noted(change) {
  return change.startsWith("was ") ? `(${minus(change.slice(4))})` : minus(change);
}

// What its elements are made for; the labels of a pane change as it moves.
function structure(view) {
  const { name, rows, cols, transposed, rowLabels, colLabels, editable, whole } = view;
  return JSON.stringify([name, rows, cols, transposed, editable, ...(whole ? [whole.rows, whole.cols] : [rowLabels, colLabels])]);
}

// The array's indices behind a cell of the screen.
function arrayIndex(view, row, col) {
  if (view.vector) return [view.transposed ? row : col];
  return [...view.prefix, ...(view.transposed ? [col, row] : [row, col])];
}

// The name of the cell at a row and column of the screen.
export function cellAt(view, row, col) {
  return [view.name, ...arrayIndex(view, row, col)].join(".");
}

export class Matrix {
  constructor(part) {
    this.part = part;
    this.terse = false; // whether its name stands without what it is made of
    this.rough = false; // whether very small numbers are said to be nearly none
    this.root = element("div", `matrix ${part === "focus" ? "large" : "mini"}`);
    this.root.dataset.part = part;
  }

  // `covered` is one byte a cell of the array, 1 where nothing of it is to be seen.
  update(view, roles, changes, covered) {
    if (this.view === view && this.changes === changes && this.covered === covered) return;
    const place = ({ prefix, top = 0, left = 0 }) => String([prefix, top, left]);
    const moved = !this.view || place(this.view) !== place(view);
    if (!this.view || structure(this.view) !== structure(view)) this.build(view);
    this.view = view;
    this.changes = changes;
    this.covered = covered;
    if (moved || this.rebuilt) this.address(view);
    this.rebuilt = false;
    this.paint(view, roles);
  }

  // Out of sight for as long as another step is looked at: nobody finds it there.
  leave() {
    this.select(-1);
    this.root.querySelectorAll("input").forEach((field) => field.remove());
    ["part", "matrix", "head"].forEach((name) => { delete this.root.dataset[name]; });
    this.cells.forEach((cell) => { delete cell.dataset.cell; });
    this.grid.removeAttribute("aria-busy");
  }

  enter() {
    Object.assign(this.root.dataset, { part: this.part, matrix: this.view.name });
    this.address(this.view);
    if (this.unsaid) this.grid.setAttribute("aria-busy", "true");
  }

  build(view) {
    this.rebuilt = true;
    this.cells = [];
    this.classes = [];
    this.looks = [];
    this.written = [];
    this.notes = [];
    this.chosen = null;
    this.stop = null;
    this.root.replaceChildren();
    this.root.dataset.matrix = view.name;
    const focus = this.part === "focus";
    this.captioned = "";
    if (focus) this.root.append((this.caption = element("div", "caption")));
    this.grid = element(focus ? "div" : "span", "grid");
    this.root.style.setProperty("--cols", view.cols);
    if (focus) {
      this.grid.setAttribute("role", "grid");
      this.grid.append(this.header(view));
    } else {
      this.root.style.setProperty("--rows", view.rows);
      this.root.style.setProperty("--mini-gap", Math.max(view.rows, view.cols) > MINI_APART ? "0px" : "1px");
    }
    this.root.classList.toggle("pane", !!view.whole);
    if (view.whole) { // what is not drawn is counted too, the labels among it
      this.grid.setAttribute("aria-rowcount", view.whole.rows + 1);
      this.grid.setAttribute("aria-colcount", view.whole.cols + 1);
    }
    for (let row = 0; row < view.rows; row++) this.grid.append(this.row(view, row, focus));
    this.root.append(this.grid);
  }

  // As what its numbers are copied.
  get form() {
    return `${this.view.called}${this.view.transposed ? "ᵀ" : ""} as LaTeX`;
  }

  // Row by row what the cells show: of a covered one no more than that it is covered.
  texts() {
    const shown = this.cells.map((cell) => (
      cell.classList.contains("covered") ? "?" : cell.querySelector(".number").textContent
    ));
    const { rows, cols } = this.view;
    return Array.from({ length: rows }, (_, row) => shown.slice(row * cols, (row + 1) * cols));
  }

  header(view) {
    const line = element("div", "row");
    line.setAttribute("role", "row");
    line.append(element("div", "corner"));
    line.firstChild.setAttribute("role", "presentation");
    view.colLabels.forEach((label) => {
      const head = element("div", "label top");
      head.append(element("bdi", "", label));
      head.setAttribute("role", "columnheader");
      line.append(head);
    });
    return line;
  }

  row(view, row, focus) {
    const line = element(focus ? "div" : "span", "row");
    if (focus) {
      line.setAttribute("role", "row");
      const head = element("div", "label side");
      head.append(element("bdi", "", view.rowLabels[row]));
      head.setAttribute("role", "rowheader");
      line.append(head);
    }
    for (let col = 0; col < view.cols; col++) {
      const cell = element(focus ? "div" : "span", "cell");
      if (focus) {
        cell.setAttribute("role", "gridcell");
        cell.tabIndex = -1;
      }
      this.cells.push(cell);
      line.append(cell);
    }
    return line;
  }

  address(view) {
    const { top = 0, left = 0 } = view;
    if (view.prefix.length) this.root.dataset.head = view.prefix[0];
    this.cells.forEach((cell, number) => {
      const row = top + Math.floor(number / view.cols), col = left + (number % view.cols);
      Object.assign(cell.dataset, { row, col, cell: cellAt(view, row, col) });
      if (view.whole) cell.setAttribute("aria-colindex", col + 2);
    });
    if (view.whole) this.relabel(view);
  }

  // A pane that has moved has other rows and columns.
  relabel(view) {
    const [head, ...rows] = this.grid.children, name = (label, text) => { label.firstChild.textContent = text; };
    [...head.children].slice(1).forEach((label, col) => name(label, view.colLabels[col]));
    rows.forEach((line, row) => {
      line.setAttribute("aria-rowindex", view.top + row + 2);
      name(line.firstChild, view.rowLabels[row]);
    });
  }

  hides(number) {
    return !!this.covered?.[this.view.flat[number]];
  }

  // What a cell is like; `highlight` puts it on.
  paint(view, roles) {
    const { levels } = view;
    this.random = Array.from(levels, (level) => level === RANDOM);
    this.cells.forEach((_, number) => {
      const look = this.hides(number) ? "covered" : LOOKS[levels[number]] || view.palette + levels[number];
      this.classes[number] = `cell ${look}`;
    });
    if (this.part !== "focus") return;
    this.grid.classList.toggle("paint", !!view.paint);
    this.entitle(roles);
    this.cells.forEach((cell, number) => this.write(view, cell, number));
    this.unsaid = true;
    this.grid.setAttribute("aria-busy", "true");
  }

  // Its name with what it is made of; where there is little room, an operand's name alone.
  entitle(roles = this.roles) {
    const { view, terse } = this, said = `${terse} ${view.plainCaption} ${view.size} ${this.random.some(Boolean)}`;
    this.roles = roles;
    if (this.captioned === said) return;
    this.captioned = said;
    const formula = terse ? view.symbol : view.caption;
    const random = this.random.some(Boolean) ? [element("span", "size by-chance", TEXTS("random_rows"))] : [];
    this.caption.replaceChildren(mathOf(formula, roles), element("span", "size", view.size), ...random);
    this.grid.setAttribute("aria-label", view.called);
  }

  write(view, cell, number) {
    const hidden = this.hides(number);
    const text = view.text[number], small = this.rough && text.includes("e-");
    const shown = hidden ? COVER : small ? NEARLY_NONE : minus(text);
    // A cell may also hold the field that somebody is typing into: it is left alone.
    if (this.written[number] === undefined) cell.append(element("span", "number", shown));
    else if (this.written[number] !== shown) {
      const { firstChild } = cell;
      (firstChild.firstChild || firstChild).textContent = shown; // a new text node would be laid out anew
    }
    this.written[number] = shown;
    const change = (this.changes && !hidden && this.changes[view.flat[number]]) || "";
    if ((this.notes[number] || "") === change) return;
    this.notes[number] = change;
    let note = cell.querySelector(".change");
    if (!change) return note.remove();
    if (!note) cell.firstChild.after((note = element("span", "change")));
    note.textContent = noted(change);
    note.classList.toggle("was", change.startsWith("was "));
  }

  // What a screen reader says of each cell. That may come a moment after the numbers.
  say() {
    if (!this.unsaid) return;
    this.unsaid = false;
    this.cells.forEach((cell, number) => cell.setAttribute("aria-label", this.spoken(number)));
    this.grid.removeAttribute("aria-busy");
  }

  spoken(number) {
    const { view } = this, change = this.notes[number];
    const row = Math.floor(number / view.cols), col = number % view.cols;
    const random = this.random[number], numbered = (at) => (random ? at + 1 : undefined);
    const label = {
      row: (view.transposed && numbered(row)) || view.rowLabels[row], column: (!view.transposed && numbered(col)) || view.colLabels[col],
    };
    const place = TEXTS("place", {
      array: view.called, row_word: view.rowWord, row: label.row, column_word: view.colWord, column: label.column,
    });
    if (this.hides(number)) return `${place}, ${TEXTS("covered_cell")}`;
    const hidden = this.classes[number].includes("masked") ? [TEXTS("hidden_cell")] : [];
    const drawn = random ? [TEXTS("random_cell")] : [];
    const changed = change && spoken(change);
    const moved = !change ? [] : [change.startsWith("was ") ? changed : TEXTS("changed_by", { change: changed })];
    return [place, spoken(view.text[number]), ...hidden, ...drawn, ...moved].join(", ");
  }

  // Show how each cell stands to the cell pointed at; `levels` is one byte a cell of the array.
  highlight(levels) {
    const { flat } = this.view;
    for (let number = 0; number < this.cells.length; number++) {
      const state = levels ? levels[flat[number]] : 0;
      const look = state ? `${this.classes[number]} ${STATES[state]}` : this.classes[number];
      if (this.looks[number] === look) continue;
      this.looks[number] = look;
      this.cells[number].className = look;
    }
  }

  // Of the cells that directly make the one pointed at, the one with the strongest colour; null if none is here.
  strongest(levels) {
    const { view } = this, zero = ZERO[view.palette] || 0;
    const strength = (number) => (
      this.hides(number) || LOOKS[view.levels[number]] ? 0 : Math.abs(view.levels[number] - zero)
    );
    const sources = [...this.cells.keys()].filter((number) => levels[view.flat[number]] === SOURCE);
    const best = sources.reduce((most, number) => (most < 0 || strength(number) > strength(most) ? number : most), -1);
    return this.cells[best] || null;
  }

  // The selected cell, if it is one of these: it is reached by Tab, else the first cell is.
  select(flat, describedBy = "") {
    const chosen = this.cells[this.view.flat.indexOf(flat)] || null, stop = chosen || this.cells[0];
    if (this.chosen !== chosen) {
      ["aria-selected", "aria-describedby"].forEach((name) => this.chosen?.removeAttribute(name));
      chosen?.setAttribute("aria-selected", "true");
      chosen?.setAttribute("aria-describedby", describedBy);
      this.chosen = chosen;
    }
    if (this.stop === stop) return;
    if (this.stop) this.stop.tabIndex = -1;
    stop.tabIndex = 0;
    this.stop = stop;
  }
}
