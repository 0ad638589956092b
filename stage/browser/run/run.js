// A run as its document tells it (stage/document/document.py): which matrix of an array one looks at, the
// stops of the walk, and the same place in another array. It computes no numbers.

import { minus } from "../dom/elements.js";
import { compileStep, strides } from "./patterns.js";

// Rows or columns of a tile (stage/document/number_tiles.py): numbers of a large array come so many at a time.
const TILE = 32;
// As core/program/axes.py calls what letters count.
export const POSITION = "position", HEAD = "head";

// The level of a cell whose row was drawn at random (stage/document/document.py): its column's name says nothing of it.
export const RANDOM = 253;

export function bytes(base64) {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

export class Run {
  constructor(document) {
    Object.assign(this, document);
    this.document = document;
    this.views = new Map();
    this.tiles = new Map();
    this.asked = new Set();
    this.shapes = {};
    this.arrays = {};
    Object.entries(document.arrays).forEach(([name, array]) => {
      this.shapes[name] = array.shape;
      const own = { name, strides: strides(array.shape), levels: bytes(array.levels), split: null };
      this.arrays[name] = Object.assign({}, array, own);
    });
  }

  // The index patterns, ready to be asked.
  get compiled() {
    const { steps, removed, overwritten, unguarded } = this.ways;
    const unpacked = (packed) => (
      Object.fromEntries(Object.entries(packed).map(([name, bits]) => [name, bytes(bits)]))
    );
    const made = {
      shapes: this.shapes,
      steps: steps.map((step) => compileStep(step, this.shapes)),
      removed: unpacked(removed),
      overwritten: unpacked(overwritten),
      unguarded: unpacked(unguarded),
    };
    Object.defineProperty(this, "compiled", { value: made });
    return made;
  }

  // The same, as if no mask took anything out.
  get open() {
    const made = { ...this.compiled, removed: {}, overwritten: {} };
    Object.defineProperty(this, "open", { value: made });
    return made;
  }

  has(id) {
    const [name, index] = parts(id);
    const shape = this.shapes[name];
    return !!shape && shape.length === index.length && shape.every((size, axis) => index[axis] < size);
  }

  // A cell's place in its array, the last index running fastest.
  flat(name, index) {
    const { strides: steps } = this.arrays[name];
    return index.reduce((sum, at, axis) => sum + at * steps[axis], 0);
  }

  isRandom(name, index) {
    return this.arrays[name].levels[this.flat(name, index)] === RANDOM;
  }

  // As core/program/labels.py names a cell: weights[sat, cat] of head 1, or of head 1 (its name).
  cellName(id) {
    const [name, index] = parts(id), { letters, shape } = this.arrays[name];
    const inside = [];
    let heads = "";
    letters.forEach((letter, n) => {
      const { kind, word, labels } = this.axes[letter], at = index[n], called = this.called(letter, at);
      if (kind !== HEAD) inside.push(n === letters.length - 1 && this.isRandom(name, index) ? at + 1 : labels[at]);
      else if (shape[n] > 1) heads = ` of ${word} ${at + 1}${called && ` (${called})`}${heads}`;
    });
    return `${saidName(this.arrays[name].symbol)}[${inside.join(", ")}]${heads}`;
  }

  // What a cell is, in words, as what is said and a place by turns; nothing where no text says it. A
  // place without a name is that number of what its axis counts.
  cellTitle(id) {
    const [name, index] = parts(id), { letters, title, randomTitle } = this.arrays[name];
    return (this.isRandom(name, index) ? randomTitle : title).map((part, n) => {
      if (n % 2 === 0) return part;
      const end = part === "row" ? -2 : -1, letter = letters.at(end), { kind, word, labels } = this.axes[letter];
      return kind === POSITION || this.called(letter, index.at(end)) ? labels[index.at(end)] : `${word} ${labels[index.at(end)]}`;
    });
  }

  // The name of a place; "" where it has a number alone.
  called(letter, at) {
    const label = this.axes[letter].labels[at];
    return label === String(at + 1) ? "" : label;
  }

  // The texts of an array's cells; null where it is so large that they come in tiles.
  texts(name) {
    const array = this.arrays[name];
    return (array.split ||= array.texts?.split(" "));
  }

  // The text of a cell, by its place in the array; "" where it has not come yet.
  textAt(name, at) {
    const texts = this.texts(name);
    if (texts) return texts[at];
    const { id, inside } = this.tileOf(name, at);
    return this.tiles.get(id)?.[inside] || "";
  }

  // The tile that a cell's number comes with, and the place that it has there.
  tileOf(name, at) {
    const { shape, strides: steps } = this.arrays[name], first = shape.length - 2;
    const index = steps.map((step, axis) => Math.floor(at / step) % shape[axis]);
    const tile = index.map((place, axis) => (axis < first ? place : Math.floor(place / TILE)));
    const wide = Math.min(TILE, shape.at(-1) - TILE * tile.at(-1));
    const row = index.length > 1 ? index.at(-2) % TILE : 0;
    return { id: [name, ...tile].join("."), inside: row * wide + (index.at(-1) % TILE) };
  }

  // Numbers that were asked for, by tile.
  hearTiles(tiles) {
    Object.entries(tiles).forEach(([id, texts]) => this.tiles.set(id, texts.split(" ")));
  }

  // The texts of large arrays, all of them.
  hearTexts(arrays) {
    this.whole = true;
    Object.entries(arrays).forEach(([name, texts]) => { this.arrays[name].texts = texts; });
  }

  // A cell's number as it is printed; its own name where that has not come.
  number(id) {
    const [name, index] = parts(id);
    return minus(this.textAt(name, this.flat(name, index))) || id;
  }

  // The cell of another array at the same token and feature, of the places on show.
  carried(array, source, cell, slices, tokens = {}) {
    const kept = { ...tokens, ...this.places(source, cell), ...slices };
    const { letters, shape } = this.arrays[array];
    return letters.map((letter, n) => {
      const axis = this.axes[letter];
      let at = kept[letter] ?? 0;
      if (axis.kind === HEAD && axis.of in slices) at = this.shared(letter, slices[axis.of], shape[n]);
      else if (!(letter in kept) && axis.kind === POSITION) at = this.token(kept, axis.tokens) - axis.offset;
      return Math.max(0, Math.min(at, shape[n] - 1));
    });
  }

  // The cell of an array that an untouched page selects: its own, or the opening's place in it.
  openedAt(array, slices, own = this.opening[2]) {
    const [name, index] = this.opening;
    return [array, ...this.carried(array, ...(own[array] ? [array, own[array]] : [name, index]), slices)].join(".");
  }

  places(array, cell) {
    return Object.fromEntries(this.arrays[array].letters.map((letter, n) => [letter, cell[n]]));
  }

  // Of which tokens a cell is; null if it is of none, as one of a weight matrix is.
  tokensOf(cell) {
    const places = Object.entries(this.places(...parts(cell))).filter(([letter]) => this.axes[letter].kind === POSITION);
    return places.length ? Object.fromEntries(places) : null;
  }

  // The places on show, such that a cell is among what they show.
  around(cell, slices) {
    const [name, index] = parts(cell), found = { ...slices };
    this.arrays[name].letters.forEach((letter, n) => {
      const { of, size } = this.axes[letter];
      if (letter in found) found[letter] = index[n];
      else if (of in found && this.shared(letter, found[of], size) !== index[n]) {
        found[of] = Math.floor((index[n] * this.axes[of].size) / size);
      }
    });
    return found;
  }

  // Which of an axis' few places serves a place of the axis that it is of.
  shared(letter, at, size) {
    return Math.floor((at * size) / this.axes[this.axes[letter].of].size);
  }

  // The token of a cell's first position along that list of tokens.
  token(kept, tokens) {
    for (const [letter, at] of Object.entries(kept)) {
      const axis = this.axes[letter];
      if (axis.kind === POSITION && axis.tokens === tokens) return at + axis.offset;
    }
    return 0;
  }

  // The stops of the walk as seen from an array: the phases, those around it open. `single`: each
  // product is a stop of its own.
  stops(array, open, single = false, phases = this.phases, inside = false) {
    return phases.flatMap((phase) => {
      const within = innermost(phase).some(({ names }) => names.includes(array));
      if (phase.phases.length && within && (open || array !== phase.first)) {
        return this.stops(array, open, single, phase.phases, true);
      }
      return (single ? products(phase) : [phase]).map((stop) => Object.assign({}, stop, { inside }));
    });
  }

  // All that an array is made of, directly or by way of others.
  makers(array, found = new Set()) {
    (this.operands[array] || []).filter((name) => !found.has(name)).forEach((name) => {
      found.add(name);
      this.makers(name, found);
    });
    return found;
  }

  // The number of the stop that makes an array, or first uses it as an input.
  stopOf(array, stops) {
    const made = stops.findIndex((stop) => [stop, ...innermost(stop)].some(({ names }) => names.includes(array)));
    if (made >= 0) return made;
    const users = Object.keys(this.operands).filter((step) => this.operands[step].includes(array));
    return users.length ? Math.min(...users.map((user) => this.stopOf(user, stops))) : 0;
  }

  // Where the matrix on show lies in its array: an index for each axis before the last two.
  prefix(name, at) {
    const { letters, shape } = this.arrays[name];
    return letters.slice(0, -2).map((letter, n) => {
      const whole = this.axes[letter].of;
      const place = whole && whole in at ? this.shared(letter, at[whole], shape[n]) : at[letter] ?? 0;
      return Math.min(place, shape[n] - 1);
    });
  }

  // One matrix of an array, rows and columns as on the screen; a vector is a matrix of one row.
  view(name, at, transposed = false) {
    const prefix = this.prefix(name, at);
    const key = [name, transposed, ...prefix].join();
    if (!this.views.has(key)) this.views.set(key, this.made(name, prefix, transposed));
    return this.views.get(key);
  }

  made(name, prefix, transposed) {
    const array = this.arrays[name], vector = array.shape.length === 1;
    const [rows, cols] = vector ? [1, ...array.shape] : array.shape.slice(-2);
    const start = prefix.reduce((sum, at, axis) => sum + at * array.strides[axis], 0);
    const letters = vector ? ["", ...array.letters] : array.letters.slice(-2);
    if (transposed) letters.reverse();
    const flat = Int32Array.from({ length: rows * cols }, (_, n) => (
      start + (transposed ? (n % rows) * cols + Math.floor(n / rows) : n)
    ));
    const texts = this.texts(name);
    const labels = letters.map((letter) => (letter ? this.axes[letter].labels : [""]));
    const [across, down] = transposed ? [rows, cols] : [cols, rows];
    const [caption, plainCaption] = transposed ? array.turned : array.caption;
    return {
      name, called: saidName(array.symbol), prefix, transposed, vector, flat, caption, plainCaption,
      symbol: transposed ? caption : array.symbol,
      rows: down, cols: across, rowLetter: letters[0], colLetter: letters[1], longest: array.longest,
      palette: array.palette, editable: array.editable, paint: array.paint,
      levels: Uint8Array.from(flat, (at) => array.levels[at]),
      text: texts && Array.from(flat, (at) => texts[at]),
      size: `${down} × ${across}`,
      rowLabels: labels[0], colLabels: labels[1], rowsNamed: this.hasNames(letters[0]), colsNamed: this.hasNames(letters[1]),
      rowWord: this.word(letters[0], letters), colWord: this.word(letters[1], letters),
    };
  }

  // A part of a view: `rows` and `cols` of it from a corner on. `whole` is the view itself.
  pane(view, top, left, rows, cols) {
    const places = Array.from({ length: rows * cols }, (_, n) => (
      (top + Math.floor(n / cols)) * view.cols + left + (n % cols)
    ));
    const flat = places.map((at) => view.flat[at]);
    return {
      ...view, whole: view, top, left, rows, cols, flat,
      levels: places.map((at) => view.levels[at]),
      text: flat.map((at) => this.textAt(view.name, at)),
      rowLabels: view.rowLabels.slice(top, top + rows), colLabels: view.colLabels.slice(left, left + cols),
    };
  }

  // Whether the places of an axis have names and are no tokens.
  hasNames(letter) {
    return !!letter && this.axes[letter].kind !== POSITION && !!this.called(letter, 0);
  }

  // What an axis counts: a position is a query only where keys stand across.
  word(letter, letters) {
    if (!letter) return "";
    const positions = letters.filter((other) => other && this.axes[other].kind === POSITION);
    return positions.length === 1 && positions[0] === letter ? "token" : this.axes[letter].word;
  }
}

// What an array is called where its symbol cannot be drawn: words stand beside each other.
function saidName([, words, sub, name]) {
  return words.includes(" ") ? [words, sub].join(" ").trim() : name;
}

// A phase of several products as a stop for each; what is of none of them stays with the first.
function products(phase) {
  const { columns, row, left } = phase.focus;
  if (columns.length < 2) return [phase];
  const own = columns.map(({ above, result }) => [above, result]);
  return columns.map((column, n) => ({
    ...phase,
    title: column.result,
    first: column.result,
    names: phase.names.filter((name) => own[n].includes(name) || (!n && !own.flat().includes(name))),
    minis: [column.result],
    focus: { row: n ? [] : row, left, columns: [column] },
  }));
}

export function innermost(phase) {
  return phase.phases.length ? phase.phases.flatMap(innermost) : [phase];
}

// A percentage as a number, to compare it and to draw it; "" is a key that is not read.
export const percent = (text) => ({ "<1": 0.5, ">99": 99.5 }[text] ?? Number(text));

// scores.0.2.1 as an array's name and a cell.
export function parts(id) {
  const [name, ...index] = (id || "").split(".");
  return [name, index.map(Number)];
}
