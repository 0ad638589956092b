// Large matrices as colours alone, a dot a cell: in the strip, and beside a pane of their numbers. A dot
// is a pixel of a canvas, which the style sheet makes as large as there is room.

import { levelsOf, readingColours } from "../dom/css_colours.js";
import { element } from "../dom/elements.js";
import { afterFrame } from "../dom/waiting.js";
import { FAR_SOURCE, FAR_USE } from "../run/patterns.js";
import { RANDOM } from "../run/run.js";
import { isLarge, MINI, MINI_CELL, MINI_WIDE, STATES } from "./matrices.js";

// A map's largest width and height in the strip and beside a pane, and the least that is seen of a long one.
const MAP_SIZES = { strip: [MINI_WIDE, MINI, 10], map: [112, 112, 24] };
// The least width of a column of a miniature, as stage.css has it.
const LEAST_COLUMN = 1.5;
// Every so many-th diagonal of masked cells is a line.
const HATCH = 3;

// The size of a map, so that its dots are square unless one side would be too short to be seen.
function mapSize({ rows, cols }, part) {
  const [wide, high, least] = MAP_SIZES[part], dot = Math.min(wide / cols, high / rows);
  return [Math.max(least, Math.round(dot * cols)), Math.max(least, Math.round(dot * rows))];
}

// How wide a miniature is at its full size, and at least.
export function miniWidth(view) {
  const { rows, cols } = view;
  return isLarge(view) ? mapSize(view, "strip")[0] : cols * Math.min(MINI_CELL, MINI / rows, MINI_WIDE / cols);
}

export function miniLeast(view) {
  return isLarge(view) ? MAP_SIZES.strip[2] : LEAST_COLUMN * view.cols;
}

export class ColourMap {
  constructor(part) {
    this.part = part;
    this.cells = [];
    this.root = element("span", `matrix ${part === "strip" ? "mini " : ""}colours`);
    this.root.dataset.part = part;
    this.canvas = element("canvas");
    this.pen = this.canvas.getContext("2d");
    this.root.append(this.canvas);
  }

  update(view, roles, changes, covered) {
    const colours = coloursOf(this.root);
    if (this.view === view && this.covered === covered && this.colours === colours) return;
    this.view = view;
    this.covered = covered;
    this.colours = colours;
    this.lit = null;
    this.root.dataset.matrix = view.name;
    if (view.prefix.length) this.root.dataset.head = view.prefix[0];
    const { rows, cols } = view, [wide, high] = mapSize(view, this.part);
    Object.assign(this.canvas, { width: cols, height: rows });
    this.root.style.setProperty("--map-wide", `${wide}px`);
    this.root.style.setProperty("--map-high", `${high}px`);
    this.image = this.pen.createImageData(cols, rows);
    this.dots = new Uint32Array(this.image.data.buffer);
    // Dots that are smaller than a pixel run together, and a pattern of them would be another one.
    this.fine = cols > wide || rows > high;
    this.canvas.classList.toggle("fine", this.fine);
    this.paint(null);
    // Colours are known to what is on the page: a map that is made before it is painted once it is there.
    if (!colours) afterFrame(() => this.view === view && this.root.isConnected && this.update(view, roles, changes, this.covered));
  }

  // How each dot stands to the cell pointed at: one byte a cell of the array.
  highlight(levels) {
    if (this.lit === levels || !colours.size) return;
    this.paint(levels || null);
  }

  paint(lit) {
    if (!this.colours) return;
    const { view: { flat, levels, palette, cols }, covered, dots, colours: { scales, states, cover, hatch, nan, random } } = this;
    const scale = scales[palette];
    for (let n = 0; n < flat.length; n += 1) {
      const at = flat[n], state = lit ? lit[at] : 0, level = levels[n];
      if (covered?.[at]) dots[n] = cover;
      else if (level === 255) dots[n] = this.fine ? half(...hatch) : hatch[(Math.floor(n / cols) + (n % cols)) % HATCH ? 0 : 1];
      else dots[n] = level === 254 ? nan : level === RANDOM ? random : scale[level];
      if (state) dots[n] = state === FAR_SOURCE || state === FAR_USE ? half(dots[n], states[state]) : states[state];
    }
    this.lit = lit;
    this.pen.putImageData(this.image, 0, 0);
  }

  select() {}
  leave() {}
  enter() {}
}

// The colour between two.
const half = (one, other) => ((one >>> 1) & 0x7f7f7f7f) + ((other >>> 1) & 0x7f7f7f7f) + 0x01000000;

// The colours of the style sheet as the numbers that a canvas takes, by theme.
const colours = new Map();
const SCALES = { s: 41, w: 21, b: 2 };

function coloursOf(root) {
  const { color, backgroundColor } = getComputedStyle(root.isConnected ? root : document.body);
  const theme = `${color} ${backgroundColor}`;
  if (root.isConnected && !colours.has(theme)) colours.set(theme, readColours(root));
  return colours.get(theme) || null;
}

function readColours(root) {
  return readingColours(root, (read) => ({
    scales: Object.fromEntries(Object.entries(SCALES).map(([palette, levels]) => [palette, levelsOf(palette, levels, read)])),
    states: STATES.map((state) => read(state && `dot ${state}`)), cover: read("covered"), nan: read("nan"), random: read("random"),
    hatch: [read("dot gap"), read("dot hatch")],
  }));
}
