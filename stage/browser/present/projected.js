// How large the stage draws where it fills the window: digits, captions and labels that are read from
// the last row. These are methods of the stage; stage.js takes them over.

import {
  DIGIT,
  LABEL_LINE,
  labelsBeside,
  LEAST_DIGITS,
  lengthOf,
  sameRows,
} from "../draw/arranging.js";
import { EDGES, sum } from "../draw/measures.js";
import { sharedOut } from "../draw/windows.js";
import { POSITION } from "../run/run.js";

const LARGEST_DIGITS = 44;
// A sentence of so many words has digits that are read from the last row.
const FEW_WORDS = 6;
// Parts of the window's height: digits that are large, the smallest that are read from the last row,
// the smallest of a sentence of many words, and captions, labels and the map's names, which have a
// largest size.
const LARGE = 1 / 30, READ = 1 / 40, READ_NEARBY = 1 / 60, READ_FROM_AFAR = 1 / 39, LARGEST_LABEL = 27;
// Captions and labels are never smaller; a window below these sizes, as one is that was zoomed into,
// has no room for a stage that fits it whole.
const SMALLEST_LABEL = 12, LEAST_WIDTH = 480, LEAST_HEIGHT = 320;
// How many times as long as it is wide a cell may be, either way.
const LONGEST = 3.2;
// The height of a matrix' caption and of its column labels, and the gap below, in label sizes.
const ABOVE = 3.1;
// What a label has beside it, what stands between matrices, and between lines of them.
const BESIDE_LARGE = 14, BETWEEN_TWO = 30, BETWEEN_LARGE = 8;
// A number's height in its size; with what is said below it.
const HIGH_DIGITS = 1.12, HIGH_CHANGED = 1.75;

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Projected = {
  // The controls are in the menu of tools.
  enterWindow() {
    this.body.style.minHeight = "";
    this.toolbar.root.open = true;
    this.tools.panel.prepend(this.toolbar.root);
  },

  leaveWindow() {
    this.toolbar.root.open = !this.narrow;
    this.workings.root.classList.remove("left-out");
    this.shows.append(this.workings.root, this.toolbar.root);
    this.tools.shut();
    [this.formula.root, this.arithmetic.rows, this.arithmetic.verdict, this.workings.root].forEach((part) => { part.style.fontSize = ""; });
    [...this.arithmetic.rows.children].forEach((row) => { row.classList.remove("left-out"); });
  },

  hasWindow() { return innerWidth >= LEAST_WIDTH && innerHeight >= LEAST_HEIGHT; },

  fitWindow() {
    this.root.classList.remove("narrow", "beside");
    this.formula.root.style.fontSize = `${Math.max(innerHeight / 30, 19)}px`;
    this.formula.fit();
    this.fitArithmetic();
    this.map.fit(this.root.clientWidth - 40, false, innerHeight * READ_FROM_AFAR);
    this.fitInside(this.arithmetic.verdict, Math.max(innerHeight / 40, 14), 12);
    // A corner's empty quarter has room for the workings, or for maps.
    const corner = this.large.left && !this.panes.maps.length && this.focus.querySelector(".nothing");
    const place = corner || this.shows;
    if (this.workings.root.parentNode !== place) place.append(this.workings.root);
    this.workings.root.classList.toggle("left-out", this.panes.maps.length > 0); // maps have their room
    if (!corner) this.fitWorkings();
    const { clientWidth: width } = this.shows;
    const height = this.shows.clientHeight - (corner ? 0 : this.workings.root.offsetHeight);
    const way = this.largest({ width, height });
    if (way.windows && this.panes.cutMore()) return this.draw();
    // Captions get shorter before numbers get too small to be read.
    let digits = 0;
    for (let terse = 0; terse < 3 && digits < Math.min(way.digits, innerHeight * READ); terse += 1) {
      this.put({ ...way, terse });
      digits = this.fitCells(way, width, height);
    }
    if (digits < this.leastDigits() && this.panes.cutMore()) return this.draw();
    if (corner) this.fitWorkings();
    this.seek();
  },

  // The smallest digits of a step: they are read from afar, but for a sentence of many words of which all
  // is seen.
  leastDigits() {
    const read = innerHeight * READ, tokens = Object.values(this.run.axes).filter(({ kind }) => kind === POSITION);
    const few = tokens.every(({ size }) => size <= FEW_WORDS);
    return few || this.panes.maps.length ? read : Math.max(innerHeight * READ_NEARBY, Math.min(LEAST_DIGITS, read));
  },

  // A caption may be wider than its matrix, and higher than a line; neither gets smaller with it.
  // Returns how large the digits are with it; 0 if not all fits.
  fitCells({ cell, high, digits, label, size, gap, rows, tall, lines }, width, height) {
    let wide = cell, low = high, fits = false;
    const letters = () => Math.min(digits * (wide / cell), low / tall, digits);
    for (let tries = 0; tries < 8 && !fits && low > 0; tries += 1) {
      this.putSizes({
        "--cell": `${wide}px`, "--cell-height": `${low}px`, "--digits": `${Math.floor(10 * letters()) / 10}px`,
        "--label": `${label}px`, "--label-size": `${Math.min(size, Math.max(SMALLEST_LABEL, low))}px`, "--gap": `${gap}px`,
      });
      // A word that is wider than a cell by now stands upright.
      this.uprightOf(lines.flat(), wide, size).forEach(({ root }) => { root.classList.add("upright"); });
      const { scrollWidth, scrollHeight } = this.focus;
      fits = scrollWidth <= width && scrollHeight <= height;
      if (scrollWidth > width) wide = Math.floor(0.98 * wide * (width / scrollWidth));
      if (scrollHeight > height) low -= Math.ceil((scrollHeight - height) / rows);
    }
    return fits ? letters() : 0;
  },

  // How a step stands largest: on as few lines as its digits allow, then with nothing between its
  // numbers, then as windows of numbers that are read. Numbers of many words may be smaller, if all of
  // them are seen.
  largest(room) {
    const most = Math.max(1, this.large.row.length);
    const ways = [false, true].flatMap((tight) => (
      Array.from({ length: most }, (_, fewer) => this.projected({ abreast: most - fewer, tight }, room))
    ));
    const best = ways.find(({ digits }) => digits >= innerHeight * LARGE)
      || ways.reduce((one, other) => (other.digits > one.digits ? other : one));
    return best.digits >= this.leastDigits() ? best : this.seenThrough(best, room);
  },

  // A way with the sizes that it leaves in a room.
  projected(way, { width, height }) {
    const { above } = this.large, lines = this.linesOf(way), shown = lines.flat();
    const gap = way.tight ? 1 : 2;
    const size = Math.max(SMALLEST_LABEL, Math.min(LARGEST_LABEL, innerHeight * READ_FROM_AFAR));
    const label = this.letters.widest(shown.flatMap(labelsBeside), size) + BESIDE_LARGE;
    const across = lines.filter((line) => line[0] !== above[0]);
    const room = Math.min(...across.map((line) => (
      (width - this.labelsIn(line) * label - line.length * BETWEEN_TWO) / sum(line.map(({ view }) => view.cols)) - gap
    )));
    const upright = this.uprightOf(shown, room, size);
    const headed = (line) => line.filter((matrix) => !(way.tight && this.isBelow(matrix)));
    const heads = sum(lines.map((line) => size * (ABOVE - LABEL_LINE) + this.labelsHigh(headed(line), upright, room, size)))
      + (lines.length - 1) * BETWEEN_LARGE;
    const rows = sum(lines.map((line) => Math.max(...line.map(({ view }) => view.rows))));
    const low = Math.floor((height - heads) / rows) - gap;
    const longest = Math.max(4.4, ...shown.map(({ view }) => lengthOf(view)));
    const tall = shown.some(({ changes }) => changes) ? HIGH_CHANGED : HIGH_DIGITS;
    return this.filled({ ...way, lines, terse: 0, upright, gap, size, label, rows, longest, tall }, room, low);
  },

  // A way with cells of a size, none of them too long.
  filled(way, wide, low) {
    const cell = Math.floor(Math.min(wide, LONGEST * low)), high = Math.min(low, LONGEST * cell);
    const digits = Math.min(cell / (DIGIT * (way.longest + 0.3)), high / way.tall, LARGEST_DIGITS);
    return { ...way, cell, high, digits };
  },

  // How many of the matrices of a line have row labels of their own.
  labelsIn(line) {
    return line[0] === this.large.left ? 2 : line.filter((matrix, at) => !at || !sameRows(matrix, line[at - 1])).length;
  },

  // A way whose matrices are windows, with the smallest numbers that are read.
  seenThrough(way, { width, height }) {
    const { above: [over], left, results: [result] } = this.large, { lines, gap, label, size } = way;
    const digits = innerHeight * READ, cols = ({ view }) => view.cols, rows = ({ view }) => view.rows;
    const between = (line) => line.length * (label + BETWEEN_TWO + EDGES);
    const across = lines.filter((line) => line[0] !== over);
    // All columns where the smallest numbers leave room for them; and so of rows.
    const room = Math.min(...across.map((line) => (width - between(line)) / sum(line.map(cols)) - gap));
    const cell = Math.max(Math.min(way.cell, Math.floor(room)), Math.ceil(digits * DIGIT * (way.longest + 0.3)));
    const upright = this.uprightOf(lines.flat(), cell, size);
    const heads = sum(lines.map((line) => size * (ABOVE - LABEL_LINE) + this.labelsHigh(line, upright, cell, size) + 2 * EDGES))
      + (lines.length - 1) * BETWEEN_LARGE;
    const low = Math.floor((height - heads) / way.rows) - gap;
    const high = Math.max(Math.min(way.high, low), Math.ceil(digits * way.tall));
    const most = Math.floor((height - heads) / (high + gap)), windows = new Map();
    const columns = (line, needs) => sharedOut(Math.floor((width - between(line)) / (cell + gap)), needs);
    if (left) {
      const [before, after] = columns([left, result], [left, result].map(cols));
      const [top, below] = sharedOut(most, [over, result].map(rows));
      windows.set(left, { cols: before, rows: below }).set(over, { cols: after, rows: top }).set(result, { cols: after, rows: below });
    }
    lines.filter((line) => this.large.row.includes(line[0])).forEach((line) => {
      columns(line, line.map(cols)).forEach((some, at) => {
        windows.set(line[at], { cols: some, rows: Math.max(1, Math.floor(most / lines.length)) });
      });
    });
    return { ...this.filled({ ...way, upright, windows }, cell, high), tight: false };
  },

  // The arithmetic on its line; where that is too long to be read from the last row, its end.
  fitArithmetic() {
    const { rows } = this.arithmetic, lines = [...rows.children];
    lines.forEach((line) => { line.classList.remove("left-out"); });
    this.fitInside(rows, innerHeight / 32, innerHeight / 45);
    if (this.root.classList.contains("taken") || rows.scrollWidth <= rows.clientWidth) return;
    const gap = parseFloat(getComputedStyle(rows).columnGap) || 0;
    let room = rows.clientWidth - 2 * gap;
    const widths = lines.map((line) => line.getBoundingClientRect().width + gap);
    lines.reverse().forEach((line, at) => {
      room -= widths.at(-1 - at);
      line.classList.toggle("left-out", at > 0 && room < 0);
    });
  },

  // Letters as large as their box allows; where lines wrap, smaller ones take fewer lines. A pixel is
  // what the browser rounds.
  // Strips of rows go before the digits get too small to be read from afar.
  fitWorkings() {
    const most = innerHeight / 40;
    this.workings.root.classList.remove("digits-only");
    this.fitInside(this.workings.root, most, 7);
    if (parseFloat(this.workings.root.style.fontSize) >= most) return;
    this.workings.root.classList.add("digits-only");
    this.fitInside(this.workings.root, most, 7);
  },

  fitInside(box, most, least) {
    const wraps = this.root.classList.contains("taken");
    let size = most;
    for (let tries = 0; tries < (wraps ? 12 : 1); tries += 1) {
      box.style.fontSize = `${size}px`;
      const part = Math.min((box.clientWidth + 1) / box.scrollWidth, (box.clientHeight + 1) / box.scrollHeight);
      if (part >= 1 || size <= least) return;
      size = Math.max(least, Math.max(0.97 * part, wraps ? 0.97 : 0) * size);
    }
    box.style.fontSize = `${size}px`;
  },
};
