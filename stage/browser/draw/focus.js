// The focus: the matrices of a step, drawn large. Steps that were seen are kept as they are, out of
// sight, so that going back to one neither builds nor lays it out again. These are methods of the
// stage; stage.js takes them over.

import { actionButton, focusIn } from "../dom/buttons.js";
import { element } from "../dom/elements.js";
import { mathOf } from "../formula/formula.js";

// Cells that are kept of steps out of sight: beyond that, those that were not seen for longest go.
const MOST_KEPT = 6000;

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Faces = {
  drawFocus({ row, left, columns }) {
    const face = this.turnTo(JSON.stringify([row, left, columns]));
    // One that stands left and above, as in A·A, is drawn twice.
    const drawn = (name, turned = false, place = "") => this.matrix(face.matrices, `${name} ${turned} ${place}`, "focus", name, turned);
    const line = row.map((name) => drawn(name));
    const corner = left
      ? [...columns.map(({ above, turned }) => drawn(above, turned)), drawn(left, false, "left"),
        ...columns.map(({ result }) => drawn(result))] : [];
    this.large = {
      row: line.map((root) => this.of(root)),
      above: corner.slice(0, columns.length).map((root) => this.of(root)),
      left: left ? this.of(corner[columns.length]) : null,
      results: left ? corner.slice(columns.length + 1).map((root) => this.of(root)) : [],
    };
    if (!face.root.hasChildNodes()) this.layOut(face.root, line, corner, columns.length);
    this.panes.drawMaps(face);
    this.forget();
  },

  // Put the face of a step in the place of the one before.
  turnTo(key) {
    const face = this.faces.get(key) || { root: element("div", "face"), matrices: new Map(), heads: new Map() };
    this.faces.delete(key);
    this.faces.set(key, face); // the one seen last stands last
    if (this.focus === face.root) return face;
    const before = this.face;
    const focused = before && focusIn(before.root);
    if (focused) {
      this.goesOn = !this.presenting; // in the new step; a projector's keys are then free to step
      focused.blur(); // a key would find a cell there
    }
    before?.matrices.forEach((matrix) => matrix.leave());
    this.focus?.classList.remove("focus");
    this.face = face;
    this.focus = face.root;
    this.focus.classList.add("focus");
    face.matrices.forEach((matrix) => matrix.enter());
    if (!face.root.parentNode) this.shows.prepend(face.root);
    return face;
  },

  // A step that was taken from a cell goes on in the selected cell of the next one, in sight.
  goOn() {
    const cell = this.goesOn ? this.selected() : null;
    this.goesOn = false;
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest" }); // no further than it must
  },

  forget() {
    let cells = 0;
    [...this.faces].reverse().forEach(([key, { root, matrices }]) => {
      matrices.forEach((matrix) => { cells += matrix.cells.length; });
      if (root === this.focus || cells <= MOST_KEPT) return;
      root.remove();
      this.faces.delete(key);
    });
  },

  // Products in the corner of their operands, others side by side.
  layOut(face, line, corner, columns) {
    if (line.length) {
      const side = element("div", "side-by-side");
      // Rows of matrices that have as many stand at one height, however many lines their captions take.
      side.classList.toggle("level", new Set(line.map((matrix) => this.of(matrix).view.rows)).size === 1);
      line.forEach((matrix, number) => {
        const arrow = !corner.length && number && this.isMadeOf(matrix, line[number - 1]) ? "→" : "";
        side.append(...(number ? [element("span", "arrow", arrow), matrix] : [matrix]));
      });
      face.append(side);
    }
    if (corner.length) {
      const made = element("div", "corner-layout");
      made.style.setProperty("--results", columns);
      made.append(element("div", "nothing"), ...corner);
      face.append(made);
    }
  },

  // A tab for each product, in the empty corner, where one is shown at a time. Which one that is
  // follows from the selected cell; arrow keys go from tab to tab.
  drawTabs(one, shown) {
    const corner = this.focus.querySelector(".nothing"), { results } = this.large;
    let list = corner?.querySelector(".tabs");
    if (!one) return list?.remove();
    if (!list) {
      list = element("div", "tabs");
      list.setAttribute("role", "tablist");
      list.setAttribute("aria-label", TEXTS("product"));
      list.addEventListener("keydown", (event) => this.turnTab(event));
      corner.prepend(list);
    }
    const names = results.map(({ view }) => view.name);
    if (list.dataset.names !== names.join()) {
      list.dataset.names = names.join();
      list.replaceChildren(...results.map(({ view: { name, symbol } }) => {
        const tab = actionButton("tab", "", () => this.go(name, this.stops[this.stop].inside));
        tab.setAttribute("role", "tab");
        tab.dataset.tab = name;
        tab.append(mathOf(symbol, this.run.roles));
        return tab;
      }));
    }
    [...list.children].forEach((tab, number) => {
      tab.setAttribute("aria-selected", String(number === shown));
      tab.tabIndex = number === shown ? 0 : -1;
    });
  },

  turnTab(event) {
    const tabs = [...event.currentTarget.children], by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = tabs[(tabs.indexOf(event.target.closest("[role=tab]")) + by + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
    next.click();
  },

  // Whether a matrix is made of another, also by way of others.
  isMadeOf(matrix, other) {
    return this.run.makers(this.of(matrix).view.name).has(this.of(other).view.name);
  },

  of(root) {
    return this.shown.findLast((matrix) => matrix.root === root);
  },
};
