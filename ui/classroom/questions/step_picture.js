// A step of a question as tables: operands with their numbers, the result with what is asked. It is
// as large as its room allows: another layout comes first, then rows and columns that the asked cell
// does not need are left out. Formulas are drawn by stage/browser/formula/formula.js.

import { atPlace, drawnAt, element } from "../../../stage/browser/dom/elements.js";
import { mathOf } from "../../../stage/browser/formula/formula.js";

const NARROWEST = 4, LONGEST_WORD = 9; // of a column, in digits
const SMALLEST = 12; // pixels of a digit, before something is left out
const NARROW = 480; // pixels of a place where the parts are on top of each other
const CONTEXT_PLACES = [Infinity, 2, 1, 0]; // so many places next to what is needed are shown
const ENDS = 4; // so many numbers of each end of a sum that no projector has room for
const TALLEST = 0.6; // of a window that scrolls as a whole
const GAP = "…";

class StepPicture {
  constructor(parent) {
    this.root = element("div", "step-picture in-colours");
    this.root.dataset.testid = "step-picture";
    this.root.setAttribute("role", "group");
    this.root.picture = this; // for ui/classroom/teacher/fit.js
    parent.append(this.root);
    this.isProjected = Boolean(parent.getRootNode().host?.closest(".st-key-room_screen"));
    this.scroller = parent.getRootNode().host?.closest(".st-key-window_reading");
    this.grown = new ResizeObserver(() => this.fit());
    [this.root, ...(this.scroller?.querySelectorAll(".stElementContainer") ?? [])].forEach((part) => this.grown.observe(part));
    this.look = () => this.fit();
    addEventListener("resize", this.look);
  }

  update(data) {
    const drawn = JSON.stringify(data);
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    this.data = data;
    this.fitted = "";
    this.root.setAttribute("aria-label", data.label);
    this.show(this.variants[0]);
    this.fit();
    document.dispatchEvent(new Event("step-picture"));
  }

  // The ways to draw it, the best one first.
  get variants() {
    const { corner, operands } = this.data, isNarrow = !this.isProjected && this.root.clientWidth <= NARROW;
    const wide = corner ? ["corner", "beside"] : ["beside", "stacked"];
    const layouts = isNarrow && operands.length ? ["stacked"] : wide;
    const ways = (around, isTurned) => layouts.map((layout) => ({ layout, around, isTurned }));
    const all = [false, true].flatMap((isTurned) => CONTEXT_PLACES.flatMap((around) => ways(around, isTurned)));
    return this.isProjected ? [...all, ...ways(-1, true)] : all; // elsewhere it is scrolled
  }

  // Long headings of columns that are turned take no more width than a number.
  show({ layout, around, isTurned }) {
    const { operands, result, roles } = this.data, all = [...operands, result];
    const axes = all.map((matrix, at) => matrix.axes.map((axis, side) => axis || `${at}.${side}`));
    const needed = neededOf(all, axes), asked = new Map(result.axes.map((_, side) => [axes.at(-1)[side], result.asked[side]]));
    const shown = all.map(({ rows, columns }, at) => [rows, columns].map(
      (labels, side) => shownPlaces(labels.length, needed.get(axes[at][side]), around, asked.get(axes[at][side])),
    ));
    const widths = all.map((matrix, at) => widthOf(matrix, shown[at], isTurned));
    if (layout === "corner") widths.fill(Math.max(widths[1], widths.at(-1)), 1);
    const figures = all.map((matrix, at) => figureOf(matrix, shown[at], widths[at], roles));
    const made = figures.pop();
    made.classList.add("result");
    if (layout === "corner") figures.slice(0, 2).forEach((figure, at) => figure.classList.add(["left", "above"][at]));
    this.step = element("div", `step ${layout}${isTurned ? " turned" : ""}`);
    this.step.append(...figures);
    if (layout !== "corner" && figures.length) {
      this.step.append(element("span", "arrow", layout === "stacked" ? "↓" : "→"));
      this.step.lastChild.setAttribute("aria-hidden", "true");
    }
    this.step.append(made);
    this.root.replaceChildren(this.step);
    this.scrolls(false);
  }

  // A projector makes the room's whole screen fit; elsewhere the picture fits its own place.
  fit() {
    const width = this.root.clientWidth, height = this.height();
    if (!this.data || !width || this.isProjected) return;
    if (this.fitted === `${width} ${height}`) return;
    const size = parseFloat(getComputedStyle(this.root).fontSize), variants = this.variants;
    const fits = (variant, tallest) => {
      this.show(variant);
      let pixels = size;
      for (let part = 0, tries = 0; part < 1 && tries < 4; tries += 1) { // widths of cells are rounded
        part = Math.min(1, width / this.step.offsetWidth, tallest / this.step.offsetHeight);
        pixels = Math.floor(part * pixels * 10) / 10;
        if (pixels < SMALLEST) return false;
        this.step.style.fontSize = `${pixels}px`;
      }
      return true;
    };
    if (!variants.some((one) => fits(one, height)) && !fits(variants.at(-1), Infinity)) {
      this.step.style.fontSize = `${SMALLEST}px`;
      this.scrolls(true);
    }
    this.fitted = `${width} ${this.height()}`;
  }

  // What is left for it of a part that scrolls by itself, else a share of the window.
  height() {
    const tallest = this.scroller && parseFloat(getComputedStyle(this.scroller).maxHeight);
    return Math.floor(tallest ? tallest - (this.scroller.scrollHeight - this.root.offsetHeight) : TALLEST * innerHeight);
  }

  scrolls(does) {
    this.root.classList.toggle("scrolls", does);
    does ? this.root.setAttribute("tabindex", "0") : this.root.removeAttribute("tabindex");
  }

  close() {
    removeEventListener("resize", this.look);
    this.grown.disconnect();
    this.root.remove();
  }
}

// By axis: the places that the asked cell and what it is made of have on it.
function neededOf(matrices, axes) {
  const needed = new Map();
  matrices.forEach(({ lit, asked }, at) => {
    (asked ? [...lit, asked] : lit).forEach((place) => place.forEach((index, side) => {
      const axis = axes[at][side];
      needed.set(axis, (needed.get(axis) ?? new Set()).add(index));
    }));
  });
  return needed;
}

// The places of an axis that are shown, and null for those that are left out together.
// Of `around` -1 they are the ends of what is needed, and what is asked.
function shownPlaces(size, needed, around, asked) {
  const ordered = [...(needed ?? Array(size).keys())].sort((one, other) => one - other);
  const kept = around < 0 ? [...ordered.slice(0, ENDS), ...ordered.slice(-ENDS), ...(asked === undefined ? [] : [asked])] : ordered;
  const isNear = (at) => kept.some((one) => Math.abs(one - at) <= Math.max(0, around));
  return [...Array(size).keys()].map((at) => (isNear(at) ? at : null))
    .filter((at, n, all) => at !== null || all[n - 1] !== null);
}

// The width of a matrix's cells, in digits.
/** @param {*} matrix @param {number[][]} places */
function widthOf({ cells, columns }, [down, across], isTurned) {
  const texts = down.flatMap((i) => across.map((j) => cells[i]?.[j] ?? ""));
  const words = isTurned ? [] : across.flatMap((j) => columns[j]?.split(" ") ?? []);
  return 1 + Math.max(
    NARROWEST, ...texts.map((text) => text.length), ...words.map((word) => Math.min([...word].length, LONGEST_WORD)),
  );
}

/** @param {*} matrix @param {number[][]} places */
function figureOf({ caption, label, head, role, rows, columns, cells, lit, removed, asked }, [down, across], width, roles) {
  const figure = element("figure", role), title = element("figcaption"), table = element("table");
  title.append(mathOf(caption, roles));
  if (head) title.append(element("small", "", head));
  table.setAttribute("aria-label", label);
  table.style.setProperty("--cell", width);
  const top = table.createTHead().insertRow(), body = table.createTBody();
  top.append(element("td"), ...across.map((j) => heading(columns[j], "col")));
  down.forEach((i) => {
    const row = body.insertRow(), name = i === null ? GAP : rows[i];
    row.append(name ? heading(rows[i], "row") : element("td"));
    row.append(...across.map((j) => (i === null || j === null ? gap(i, j) : element("td", "number", cells[i][j]))));
  });
  const marks = { removed, lit, asked: asked ? [asked] : [] };
  Object.entries(marks).forEach(([name, places]) => places.forEach(([i, j]) => {
    const cell = body.rows[down.indexOf(i)]?.cells[across.indexOf(j) + 1];
    if (across.includes(j)) cell?.classList.add(name);
  }));
  figure.append(title, table);
  return figure;
}

function gap(i, j) {
  const cell = element("td", "gap");
  if (i !== null || j !== null) cell.append(element("span", i === null ? "down" : "", GAP));
  return cell;
}

function heading(text, scope) {
  const made = element("th");
  made.scope = scope;
  if (text === undefined) made.append(element("span", scope === "row" ? "down" : "", GAP));
  else made.append(element("bdi", text.length > NARROWEST ? "long" : "", text));
  return made;
}

export default function ({ data: [data], parentElement }) {
  const [picture, leave] = atPlace(parentElement, () => new StepPicture(parentElement));
  picture.update(data);
  drawnAt(parentElement);
  return leave;
}
