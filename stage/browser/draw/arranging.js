// How the matrices of a step stand, by the room that there is. They shrink first; then they take several
// lines; then one product is shown at a time, with a tab for each; what is still too wide is a window
// that scrolls. These are methods of the stage; stage.js takes them over.

import { parts } from "../run/run.js";
import { EDGES, LOW_WINDOW, sum } from "./measures.js";
import { cutToWindow, shared, sharedOut } from "./windows.js";

// The least that is read: digits, rows, and rows that a finger finds; digits on paper, which is nearer.
export const LEAST_DIGITS = 12, LEAST_ROW = 20, LEAST_TOUCHED = 24, LEAST_PRINTED = 6.6;
// What a row holds that says how its numbers differ, beside a row that does not.
const CHANGED_ROW = 12;
export const MOST_DIGITS = 16, MOST_CELL = 68;
// A digit's width in its size, in any font; a number's height, with and without what is said below it.
export const DIGIT = 0.5, TALL_DIGITS = 1.35, TALL_CHANGED = 2.5;
// What a cell is wider where several products are shown at once.
const UNCROWDED = 8;
// The letters of a caption's size; the line of a caption, that of column labels, and the gap between lines.
const SIZE_SIZE = 12, CAPTION_LINE = 25, ONE_LINE = 17, BETWEEN_LINES = 12;
// What is around all of it.
const FRAME = 4;
// A line of the row at work in a corner, and what is beside the text of its cells.
const TABLE_LINE = 16, TABLE_CELL = 12, STRIP = 112, MOST_LINE = 24;
// The gaps between matrices: those with an arrow between, and those of a product.
export const ARROW = 40, APART = 14;
// Rows that a window has at least; in a window of the browser that is low. What its scroll bar takes.
const ROWS_SEEN = 12, ROWS_SEEN_LOW = 2, SCROLLED = 14;
// A label's lines in its own size, and the space beside it.
export const LABEL_LINE = 1.25;
const BESIDE_LABEL = 10;

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Arranging = {
  // The first way to stand that has room in a width; of several, one that also fits the window's height.
  // Where none has room, the last, as a window.
  arrange(width, narrow) {
    const ways = this.ways(narrow).map((way) => this.sized(way, width));
    const wide = ways.filter(({ fits }) => fits);
    if (!wide.length) return this.sheet ? ways.at(-1) : this.windowed(ways.at(-1), width);
    if (this.sheet) return wide[0];
    const whole = this.rooms().map((_, number) => wide.find(({ heights, least }) => heights[number] >= least));
    const tallest = (list) => list.reduce((most, way) => (way.heights.at(-1) > most.heights.at(-1) ? way : most));
    const low = !narrow && innerHeight < LOW_WINDOW;
    return whole[0] || (low && this.lowered(tallest(wide.filter(({ one }) => one === wide.at(-1).one)), width))
      || whole[1] || tallest(wide);
  },

  // In a low window of the browser a way whose matrices show as many rows as there is room for, if any.
  // They have all their columns, beside scroll bars. What is worked out below them may be out of sight.
  lowered(wide, width) {
    const way = this.sized({ ...wide, lowered: true }, width - 2 * SCROLLED), lines = this.linesOf(way);
    const rowsIn = (room) => Math.floor((room - way.heads) / (way.least + way.gap)), [room] = this.rooms();
    const most = [rowsIn(room), rowsIn(room + this.worked)].find((rows) => rows >= ROWS_SEEN_LOW * lines.length);
    if (!most) return null;
    const needs = lines.map((line) => Math.max(...line.map(({ view }) => view.rows)));
    const made = (seen) => ({
      ...way, rows: sum(seen),
      windows: new Map(lines.flatMap((line, n) => line.map((matrix) => [matrix, { cols: matrix.view.cols, rows: seen[n] }]))),
    });
    // What is above a result is as high as the row at work beside it, if that finds its room so.
    const table = this.table(), first = Math.min(needs[0], most - ROWS_SEEN_LOW);
    const high = made([first, Math.min(needs.at(-1), most - first)]);
    const fits = table && this.large.left && lines.length === 2 && !this.panes.maps.length && this.hasRoom(table, high);
    return fits ? high : made(sharedOut(most, needs));
  },

  // A way whose matrices are windows: of each so many columns and rows are seen at a time. What stands
  // left of a result has its rows, what stands above has its columns.
  windowed(way, width) {
    const { row, above, left, results } = this.large, { labels, gap, cell, rows, heights } = way, pitch = cell + gap;
    const columns = (room) => Math.max(1, Math.floor(room / pitch));
    const alone = (matrix) => columns(width - labels.get(matrix) - EDGES);
    const windows = new Map(row.map((matrix) => [matrix, { cols: alone(matrix), rows: ROWS_SEEN }]));
    if (!left) return { ...way, windows };
    const result = results[this.product()], over = above[this.product()];
    const needs = (...matrices) => Math.max(...matrices.map((matrix) => Math.max(matrix.view.cols * pitch, this.captionAt(matrix, 2))));
    const room = width - labels.get(left) - labels.get(result) - APART - 2 * EDGES;
    const [before, cols] = way.stacked ? [left, result].map(alone) : shared(room, needs(left), needs(over, result)).map(columns);
    const [top, below] = shared(Math.max(ROWS_SEEN, Math.floor((rows * Math.max(0, heights[0] || 0)) / (way.least + gap))), over.view.rows, result.view.rows);
    above.forEach((matrix) => windows.set(matrix, { cols, rows: top }));
    results.forEach((matrix) => windows.set(matrix, { cols, rows: below }));
    return { ...way, windows: windows.set(left, { cols: before, rows: below }) };
  },

  // `abreast`: so many matrices on a line; `one`: one product at a time; `stacked`: operands and
  // result below each other.
  ways(narrow) {
    const { row, results } = this.large, several = results.length > 1;
    if (this.sheet) return [{ abreast: row.length }, { abreast: 2, stacked: true }, { abreast: 1, stacked: true }];
    if (narrow) return [{ abreast: 1, one: several, stacked: true }];
    const lines = row.length ? row.map((_, number) => row.length - number) : [0];
    return [false, ...(several ? [true] : [])].flatMap((one) => lines.map((abreast) => ({ abreast, one })));
  },

  // A way with the sizes that it leaves.
  sized(way, width) {
    const lines = this.linesOf(way), matrices = lines.flat();
    const changed = matrices.some(({ changes }) => changes);
    const longest = Math.max(1, ...matrices.map(lettersOf));
    const crowd = this.large.results.length > 1 && !way.one && !way.stacked ? UNCROWDED : 0;
    const least = this.leastCell(longest) + crowd;
    const gap = way.tight || this.narrow ? 1 : 2;
    const labels = this.labelWidths(way);
    const boxes = this.boxesOf(way, labels);
    const room = Math.min(...boxes.map((line) => (
      (width - FRAME - sum(line.map(({ label: own, between }) => own + between))) / sum(line.map(({ cols }) => cols)) - gap
    )));
    const cell = Math.max(this.sheet ? 12 : least, Math.min(MOST_CELL, Math.floor(room)));
    const terse = [0, 1, 2].find((level) => boxes.every((line) => widthOf(line, cell + gap, level) <= width)) ?? 3;
    const upright = this.uprightOf(matrices, cell);
    const low = (this.sheet ? 19 : this.lowest()) + (changed ? CHANGED_ROW : 0);
    const rows = sum(lines.map((line) => Math.max(...line.map(({ view }) => view.rows))));
    const heads = this.headsOf(way, lines, upright, cell);
    const heights = this.rooms().map((height) => Math.floor((height - heads) / rows) - gap);
    // Rows that are low already come closer before they are too low.
    if (gap === 2 && heights[0] < low) return this.sized({ ...way, tight: true }, width);
    return {
      ...way, labels, gap, cell, upright, heads, heights, longest, changed, rows,
      terse: Math.min(terse, 2), least: low, fits: room >= least && terse < 3,
    };
  },

  // Matrices side by side, line by line.
  linesOf({ abreast, one, stacked }) {
    const { row, above, left, results } = this.large;
    const shown = (list) => (one ? [list[this.product()]] : list);
    const product = left ? [...shown(above), left, ...shown(results)] : [];
    if (stacked) return chunks([...product, ...row], abreast);
    const side = chunks(row, abreast);
    return left ? [...side, shown(above), [left, ...shown(results)]] : side;
  },

  // What takes width in each line: columns, captions as they get shorter, row labels.
  boxesOf(way, labels) {
    const { above, left, results } = this.large;
    const box = (matrix, own, between, over = matrix) => ({
      cols: matrix.view.cols, between, label: own ? labels.get(matrix) : 0,
      captions: [0, 1, 2].map((level) => Math.max(this.captionAt(matrix, level), this.captionAt(over, level))),
    });
    return this.linesOf(way).filter((line) => way.stacked || line[0] !== above[way.one ? this.product() : 0]).map((line) => (
      line.map((matrix, number) => {
        if (way.stacked) return box(matrix, true, number ? 24 : 0);
        if (matrix === left) return box(matrix, true, 0);
        const column = results.indexOf(matrix);
        if (line[0] === left) return box(matrix, number === 1, APART, above[column]);
        return box(matrix, !number || !sameRows(matrix, line[number - 1]), number ? ARROW : 0);
      })
    ));
  },

  isOperand(matrix) {
    const { row, above, left } = this.large;
    return matrix === left || above.includes(matrix) || (row.includes(matrix) && matrix !== row.at(-1));
  },

  // The width of a caption, whose size may stand below: whole; an operand's name alone; all names alone.
  captionAt(matrix, level) {
    const { view: { name, plainCaption, size } } = matrix, terse = level > (this.isOperand(matrix) ? 0 : 1);
    return Math.max(this.letters.formula(terse ? name : plainCaption), this.letters.widest([size], SIZE_SIZE) + 10);
  },

  // The narrowest cell: one that holds the longest number on show.
  leastCell(longest) {
    return Math.ceil((this.sheet ? LEAST_PRINTED : LEAST_DIGITS) * DIGIT * longest) + (this.narrow ? 1 : 2);
  },

  lowest() {
    return matchMedia("(pointer: coarse)").matches ? LEAST_TOUCHED : LEAST_ROW;
  },

  // The product that has a tab: that of the selected cell, else of the step.
  product() {
    const { above, results } = this.large, [name] = parts(this.at.cell);
    const of = (array) => results.findIndex(({ view }, n) => view.name === array || above[n].view.name === array);
    return Math.max(0, of(name) < 0 ? of(this.at.step) : of(name));
  },

  // The room for the row labels of each matrix. In a product those above each other have as much, so
  // that their columns meet.
  labelWidths({ stacked }) {
    const { above, results } = this.large, joined = stacked ? [] : [...above, ...results];
    const widest = (matrices) => Math.ceil(Math.max(16, this.letters.widest(matrices.flatMap(labelsBeside))) + BESIDE_LABEL);
    const common = joined.length ? widest(joined) : 0;
    return new Map(this.matrices.map((matrix) => [matrix, joined.includes(matrix) ? common : widest([matrix])]));
  },

  // Matrices whose labels stand upright above columns: where a word is wider than a cell. Else they
  // have a word a line.
  uprightOf(matrices, cell, size) {
    const words = (matrix) => labelsAbove(matrix).flatMap((label) => label.split(" "));
    return new Set(matrices.filter((matrix) => this.letters.widest(words(matrix), size) > cell));
  },

  // The height of the labels above some matrices, of columns that wide.
  labelsHigh(matrices, upright, cell, size) {
    return Math.max(0, ...matrices.map((matrix) => {
      const labels = labelsAbove(matrix);
      if (upright.has(matrix)) return this.letters.widest(labels, size) + 2;
      const lines = (label) => (this.letters.widest([label], size) <= cell ? 1 : label.split(" ").length);
      return (size ? LABEL_LINE * size : ONE_LINE) * Math.max(0, ...labels.map(lines));
    }));
  },

  // The height of captions, of labels above columns and of gaps: as measured of a step that has stood
  // so, else about.
  headsOf(way, lines, upright, cell) {
    const known = this.sheet ? undefined : this.face.heads.get(wayKey({ ...way, upright }));
    const high = (line) => CAPTION_LINE + (this.sheet ? 12 : 0)
      + this.labelsHigh(line.filter((matrix) => !(way.tight && this.isBelow(matrix))), upright, cell);
    return known ?? sum(lines.map(high)) + (lines.length - 1) * (way.lowered ? EDGES : BETWEEN_LINES);
  },

  // Whether a result has the columns of the matrix above it, whose labels then serve both.
  isBelow(matrix) {
    const { above, results } = this.large, over = above[results.indexOf(matrix)];
    return !!over && labelsAbove(over).join("\n") === labelsAbove(matrix).join("\n");
  },

  // The row at work stands in a product's empty corner where that has room for it, else below.
  placeWorkings(way) {
    const table = this.table(), { left } = this.large;
    const fits = table && left && !way.stacked && !this.sheet && !this.panes.maps.length && this.hasRoom(table, way);
    const corner = fits && this.focus.querySelector(".nothing"), place = corner || this.shows;
    if (fits) this.workings.root.style.setProperty("--line", `${this.lineOf(table, way)}px`);
    if (this.workings.root.parentNode === place) return;
    if (corner) corner.append(this.workings.root);
    else this.toolbar.root.before(this.workings.root);
  },

  // How high its lines are there: they take the room that there is.
  lineOf({ rows }, way) {
    const { above: [over] } = this.large, seen = way.windows?.get(over)?.rows ?? over.view.rows;
    const room = seen * (parseFloat(this.sizesOf(way)["--cell-height"]) + way.gap) + CAPTION_LINE;
    return Math.max(TABLE_LINE, Math.min(MOST_LINE, Math.floor(room / (rows.length + 2))));
  },

  hasRoom({ title, columns, rows }, { cell, gap, labels, least, windows }) {
    const { left, above: [over] } = this.large, seen = windows?.get(over)?.rows ?? over.view.rows;
    const wide = (texts) => Math.max(0, ...texts.map((text) => text.length)) * DIGIT * LEAST_DIGITS + TABLE_CELL;
    const width = wide(rows.map((row) => row.label)) + (rows.some(({ share }) => share) ? STRIP : 0)
      + sum(columns.map((head, n) => wide([head, ...rows.map(({ cells }) => cells[n] || "")])));
    const said = title.map((part) => (Array.isArray(part) ? part[0] : part)).join("");
    const lines = Math.ceil((said.length * DIGIT * LEAST_DIGITS) / width) + 1 + rows.length;
    return width <= left.view.cols * (cell + gap) + labels.get(left) && lines * TABLE_LINE <= seen * (least + gap) + CAPTION_LINE + ONE_LINE;
  },

  // Put matrices where a way has them.
  put(way) {
    const { row, above, results } = this.large, { focus } = this, windowed = !!way.windows && !way.lowered;
    const shown = way.one ? this.product() : 0;
    row.forEach((matrix, number) => {
      const first = number % way.abreast === 0;
      matrix.root.classList.toggle("shared", !first && !windowed && sameRows(matrix, row[number - 1]));
      matrix.root.previousSibling?.classList.toggle("break", first);
    });
    [above, results].forEach((line) => line.forEach((matrix, number) => {
      matrix.away = !!way.one && number !== shown;
      matrix.root.classList.toggle("away", matrix.away);
      matrix.root.classList.toggle("shared", number > 0 && !way.one && !windowed);
      matrix.root.classList.toggle("headless", !!way.tight && !windowed && !way.stacked && this.isBelow(matrix));
    }));
    focus.querySelector(".corner-layout")?.style.setProperty("--results", way.one ? 1 : results.length);
    this.drawTabs(!!way.one, shown);
    this.panes.placeMaps(this.face, focus, !way.stacked && !this.sheet);
    this.matrices.forEach((matrix) => {
      if (way.labels) matrix.root.style.setProperty("--label", `${way.labels.get(matrix)}px`);
      else matrix.root.style.removeProperty("--label");
      matrix.root.classList.toggle("upright", way.upright.has(matrix));
      cutToWindow(matrix, way.windows?.get(matrix), !!way.lowered, () => this.labelsHigh([matrix], way.upright, way.cell, way.size));
      matrix.terse = way.terse > (this.isOperand(matrix) ? 0 : 1);
      matrix.entitle();
    });
  },
};

const chunks = (list, size) => list.flatMap((_, at) => (at % size ? [] : [list.slice(at, at + size)]));

export const wayKey = ({ abreast, one, stacked, tight, lowered, upright }) => [abreast, one, stacked, tight, lowered, upright.size].map((part) => Number(part || 0)).join();

// The labels of all places that a pane may move to, so that none of them moves its columns.
const labelsAbove = ({ view }) => (view.whole || view).colLabels;
export const labelsBeside = ({ view }) => (view.whole || view).rowLabels;

export const sameRows = ({ view: one }, { view: other }) => one.rowLabels.join("\n") === other.rowLabels.join("\n");

// The width of a line of matrices, each as wide as its columns or its caption.
function widthOf(line, pitch, level) {
  return sum(line.map(({ cols, label, between, captions }) => (
    Math.max(cols * pitch, captions[level]) + label + between
  )));
}

// The letters of the longest number of a matrix, and of what is said to differ in it.
function lettersOf({ view, changes }) {
  const noted = changes ? Array.from(view.flat, (at) => (changes[at] || "").replace("was ", "()").length) : [];
  return Math.max(lengthOf(view), ...noted);
}

// The letters of a view's longest number; of a large array that is said, whichever have come.
export function lengthOf(view) {
  view.longest ||= Math.max(...view.text.map((text) => text.length));
  return view.longest;
}
