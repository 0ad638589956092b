// The sentence ribbon: the tokens as chips, and arcs from one of them, the query, to those that it
// reads, as wide as their weights. Percentages and sentences come with the document
// (stage/document/ribbon.py); the browser only chooses among them.

import { element } from "../dom/elements.js";
import { cutAfter, wordAndNumber } from "../dom/labels.js";
import { drawing } from "../dom/svg.js";
import { partNodes } from "../draw/prose.js";
import { mathOf } from "../formula/formula.js";
import { count, HERE, SOURCE, USE } from "../run/patterns.js";
import { HEAD, parts, percent, POSITION } from "../run/run.js";
import { capital } from "./toolbar.js";

// More keys than this have arcs from one percent on, and chips that come close.
const MANY_KEYS = 12;
const CHIP_LETTERS = 12, CHIP_TEXT = 15;
// Chips as they are if there is room for them, and as close as they come.
const USUAL = { gap: 16, least: 78, sides: 26, alike: true }, CLOSE = { gap: 6, least: 44, sides: 14, alike: false };
const ARCS = 46, BETWEEN_CHIPS = 36;
const TALLEST_ARC = 40, LOWER_ARC = 20; // the next token's arc is that much lower
const THINNEST = 1.4, THICKEST = 10;
const BESIDE_QUERY = 10; // where arcs from the left and from the right come down
const SPOKEN_KEYS = 3; // of which a chip says how much its token reads from them

// The text of a chip: a token, cut where it is long.
const chipText = ({ label }) => ([...wordAndNumber(label)[0]].length > CHIP_LETTERS ? cutAfter(label, CHIP_LETTERS) : label);

const inPercent = (text) => `${text}\u00a0%`;

export class Ribbon {
  constructor(stage) {
    this.stage = stage;
    this.pointed = null;
    this.root = element("div", "ribbon");
    this.root.dataset.testid = "ribbon";
    this.root.hidden = true;
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", TEXTS("ribbon"));
    this.reading = element("div", "reading");
    this.told = element("div", "told");
    this.of = element("span", "of");
    this.sentence = element("span", "reads");
    this.note = element("span", "of note"); // on the percentages
    this.list = element("ul", "list");
    this.told.append(this.of, " ", this.sentence, " ", this.note, this.list);
    this.root.append(this.reading, this.told);
    this.listen();
  }

  listen() {
    const chip = (event) => event.target.closest?.("[data-query]");
    const pointed = (event) => { if (chip(event) && !this.stage.playing.isOn) this.point(Number(chip(event).dataset.query)); };
    this.reading.addEventListener("pointerover", pointed);
    this.reading.addEventListener("pointerleave", () => this.point(null));
    this.reading.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) pointed(event); });
    this.reading.addEventListener("focusout", () => this.point(null));
    this.reading.addEventListener("click", (event) => {
      const { arc, share } = event.target.closest?.("[data-arc], [data-share]")?.dataset || {};
      if (arc || share) this.lead(arc || share);
      else if (chip(event)) this.choose(Number(chip(event).dataset.query));
    });
    this.reading.addEventListener("keydown", (event) => this.key(event));
  }

  // Of the run's ribbons that of the weights nearest to the step on show; the earlier one of two.
  nearest() {
    const { run, stops, stop } = this.stage;
    const steps = ({ array }) => Math.abs(run.stopOf(array, stops) - stop);
    return run.ribbons.reduce((near, one) => (!near || steps(one) < steps(near) ? one : near), null);
  }

  draw() {
    const { stage } = this, { run } = stage, shown = this.nearest();
    this.root.hidden = !shown;
    if (shown && shown !== this.shown) this.shareTexts = shown.shares.split(" ");
    this.shown = shown;
    if (!shown) return;
    const { letters, shape } = run.arrays[shown.array];
    this.asks = letters.at(-2);
    this.asked = letters.at(-1);
    this.queries = shape.at(-2);
    this.keys = shape.at(-1);
    const lines = this.lines();
    this.many = this.keys > MANY_KEYS;
    const usual = this.measured(lines, USUAL), roomy = !this.many && usual.total <= (stage.width ||= stage.ownWidth());
    stage.anew("ribbon", [lines, roomy], () => this.build(lines, roomy ? usual : this.measured(lines, CLOSE)));
    if (this.pointed >= this.queries) this.pointed = null;
    const before = this.query;
    this.query = this.looked() ?? Math.min(this.query ?? this.queries, this.queries - 1);
    this.show();
    if (this.query !== before) this.reveal();
  }

  // The tokens: on one line where queries and keys are of one list of them, else keys above queries.
  lines() {
    const { axes } = this.stage.run, [q, k] = [axes[this.asks], axes[this.asked]];
    const [wholeQuery, wholeKey] = this.shown.whole;
    const asking = Array.from({ length: this.queries }, (_, at) => ({
      label: q.labels[at], whole: wholeQuery[at] || q.labels[at], query: at, place: at + q.offset,
    }));
    const read = Array.from({ length: this.keys }, (_, at) => ({
      label: k.labels[at], whole: wholeKey[at] || k.labels[at], key: at, place: at + k.offset,
    }));
    const tokens = new Map(read.map((item) => [item.place, item]));
    const alike = q.tokens === k.tokens && asking.every(({ place, label }) => (tokens.get(place)?.label ?? label) === label);
    if (!alike) return [read, asking];
    asking.forEach((item) => tokens.set(item.place, { ...tokens.get(item.place), ...item }));
    return [[...tokens.values()].sort((a, b) => a.place - b.place)];
  }

  // How wide the chips of each line are, all alike or each as its token; the lines; and the longest.
  measured(lines, { gap, least, sides, alike }) {
    const own = lines.map((line) => line.map((item) => (
      Math.max(least, Math.ceil(this.stage.letters.widest([chipText(item)], CHIP_TEXT)) + sides)
    )));
    const widest = Math.max(...own.flat());
    const widths = alike ? own.map((line) => line.map(() => widest)) : own;
    const totals = widths.map((line) => line.reduce((sum, width) => sum + width + gap, -gap));
    return { gap, widths, totals, total: Math.max(...totals) };
  }

  build(lines, { gap, widths, totals, total }) {
    this.total = total;
    this.crossed = lines.length > 1;
    this.root.classList.toggle("many", this.many);
    this.root.classList.toggle("crossed", this.crossed);
    this.chips = new Map(); // by query
    this.shares = new Map(); // by key
    this.from = []; // the middle of each query's chip
    this.to = []; // and of each key's
    const rows = lines.map((line, number) => this.row(line, widths[number], gap, (total - totals[number]) / 2));
    this.arcs = drawing("svg", { width: total, height: this.crossed ? BETWEEN_CHIPS : ARCS, "aria-hidden": "true" });
    const percents = this.percents(lines[0], widths[0], gap, (total - totals[0]) / 2);
    this.reading.replaceChildren(...(this.crossed ? [percents, rows[0], this.arcs, rows[1]] : [this.arcs, rows[0], percents]));
    this.looks = this.chipLooks = "";
  }

  // A line of chips. Of tokens that ask one is chosen.
  row(line, widths, gap, start) {
    const row = element("div", "chips");
    row.style.cssText = `gap: ${gap}px; padding-left: ${start}px`;
    if (line.some(({ query }) => query !== undefined)) {
      row.setAttribute("role", "listbox");
      row.setAttribute("aria-orientation", "horizontal");
      row.setAttribute("aria-label", TEXTS("asking"));
    }
    let left = start;
    line.forEach((item, number) => {
      const { query, key, whole } = item, chip = element("div", "chip");
      chip.append(element("bdi", "", chipText(item)));
      chip.style.width = `${widths[number]}px`;
      if (chipText(item) !== whole) chip.title = whole;
      const middle = left + widths[number] / 2;
      if (key !== undefined) this.to[key] = middle;
      if (query !== undefined) {
        chip.setAttribute("role", "option");
        chip.dataset.query = query;
        this.from[query] = middle;
        this.chips.set(query, [chip, whole]);
      }
      row.append(chip);
      left += widths[number] + gap;
    });
    return row;
  }

  percents(line, widths, gap, start) {
    const row = element("div", "percents");
    row.style.cssText = `gap: ${gap}px; padding-left: ${start}px`;
    row.setAttribute("aria-hidden", "true");
    line.forEach(({ key }, number) => {
      const share = element("span");
      share.style.width = `${widths[number]}px`;
      if (key !== undefined) this.shares.set(key, share);
      row.append(share);
    });
    return row;
  }

  // The query of the row where one looks: of its cell, or else of the step's own; null where neither
  // has one, or where one looks at what is read.
  looked() {
    const { at, row, run } = this.stage, { letters } = run.arrays[parts(at.cell)[0]];
    if (letters.includes(this.asked) && !letters.includes(this.asks)) return null;
    return this.queryOf(...parts(at.cell)) ?? this.queryOf(at.step, row);
  }

  queryOf(name, index) {
    const [axis, shift] = this.along(name);
    const query = axis < 0 ? -1 : index[axis] + shift;
    return query >= 0 && query < this.queries ? query : null;
  }

  // Along which axis of an array the queries lie, and how their numbers differ from its own; another
  // list of the same tokens will do, but not the one that is read.
  along(name) {
    const { arrays, axes } = this.stage.run, { letters } = arrays[name], own = letters.indexOf(this.asks);
    if (own >= 0) return [own, 0];
    if (letters.includes(this.asked)) return [-1, 0];
    const { tokens, offset } = axes[this.asks];
    const other = letters.findIndex((letter) => axes[letter].kind === POSITION && axes[letter].tokens === tokens);
    return [other, other < 0 ? 0 : axes[letters[other]].offset - offset];
  }

  choose(query) {
    const { stage } = this, { at, row, run } = stage;
    const moved = [parts(at.cell), [at.step, row]].map(([name, index]) => {
      const [axis, shift] = this.along(name), to = query - shift;
      return axis < 0 || to < 0 || to >= run.shapes[name][axis] ? "" : [name, ...index.with(axis, to)].join(".");
    });
    [this.query, this.pointed] = [query, null];
    const cell = moved.find(Boolean);
    if (cell) stage.choose(cell);
    else this.show();
  }

  // An arc and its percentage lead to the weight that they stand for, as the grids do by keys.
  lead(arc) {
    const { stage } = this, { array } = this.shown, index = stage.run.prefix(array, stage.places);
    stage.move({ step: array, cell: [array, ...index, arc].join("."), open: stage.isInside(array) });
  }

  // What a person points at: that query's row, everywhere.
  point(query) {
    if (this.pointed === query || !this.shown) return;
    this.pointed = query;
    this.show();
    if (query === null) this.stage.point(this.stage.hovered || this.stage.at.cell);
    else this.light(query);
  }

  // Says whether there is a query that somebody points at.
  relight() {
    if (!this.shown) this.pointed = null;
    if (this.pointed === null || this.stage.playing.isOn) return false;
    this.light(this.pointed);
    return true;
  }

  // How the row of a query is lit in every matrix: what makes its weights, these, and what they make.
  light(query) {
    const { stage } = this, { run } = stage, { array } = this.shown, makers = run.makers(array), levels = {};
    Object.entries(run.arrays).forEach(([name, { letters, shape, strides: steps }]) => {
      const axis = letters.indexOf(this.asks);
      if (axis < 0) return;
      const state = name === array ? HERE : makers.has(name) ? SOURCE : USE;
      levels[name] = Uint8Array.from({ length: count(shape) }, (_, at) => (
        Math.floor(at / steps[axis]) % shape[axis] === query ? state : 0
      ));
    });
    stage.pointed = [array, ...run.prefix(array, stage.places), query, 0].join(".");
    stage.reached = { id: "", levels };
    stage.shown.forEach((matrix) => matrix.highlight(levels[matrix.view.name]));
    stage.tellPointed();
  }

  key(event) {
    if ((event.key === "Enter" || event.key === " ") && event.target.matches("[data-query]")) {
      event.preventDefault();
      return this.choose(Number(event.target.dataset.query));
    }
    const chips = [...this.chips.values()].map(([chip]) => chip), now = chips.indexOf(event.target);
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: chips.length - 1 }[event.key];
    if (now < 0 || to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const chip = chips[to];
    if (!chip) return;
    chips.forEach((other) => { other.tabIndex = other === chip ? 0 : -1; });
    chip.focus();
  }

  // Where a query's row begins in an array between the same tokens, of what is on show.
  start(name, query) {
    const { run, places } = this.stage, { strides: steps } = run.arrays[name];
    return run.prefix(name, places).reduce((sum, at, axis) => sum + at * steps[axis], query * steps.at(-2));
  }

  // The percentages of a query's row; null where a covered number would be given away.
  rowOf(query) {
    const { covers: { cells: covered } } = this.stage, { array, hides } = this.shown;
    const hidden = hides.some((name) => {
      const start = covered[name] ? this.start(name, query) : 0;
      return covered[name]?.subarray(start, start + this.keys).includes(1);
    });
    if (hidden) return null;
    const start = this.start(array, query);
    return this.shareTexts.slice(start, start + this.keys);
  }

  show() {
    const { stage } = this, { run } = stage, query = this.pointed ?? this.query, texts = this.rowOf(query);
    const number = this.start(this.shown.array, query) / this.keys;
    this.number = number;
    const hides = this.shown.hides.map((name) => (stage.covers.cells[name] ? stage.covers.lifts : 0));
    const looks = JSON.stringify([run.id, this.shown.array, number, this.query, hides]);
    if (this.looks === looks) return;
    this.looks = looks;
    this.arcs.replaceChildren(...(texts ? this.arcsOf(query, texts) : []));
    this.shares.forEach((share, key) => {
      share.textContent = texts?.[key] ? inPercent(texts[key]) : "";
      share.dataset.share = `${query}.${key}`;
    });
    this.of.replaceChildren(...this.heads());
    this.sentence.replaceChildren(...(texts ? partNodes(this.shown.said[number], run.roles) : []));
    this.note.textContent = texts ? this.shown.notes[number] : "";
    stage.tellStory();
    this.list.replaceChildren(...this.read(query, texts || []).map((said) => element("li", "", said)));
    this.chips.forEach(([chip], at) => {
      chip.classList.toggle("asking", at === query);
      chip.setAttribute("aria-checked", String(at === this.query)); // selected is the cell
      chip.tabIndex = at === this.query ? 0 : -1;
    });
    this.sayChips(JSON.stringify([run.id, this.shown.array, number - query, hides]));
  }

  // What each chip's token reads, which is the same whoever is pointed at.
  sayChips(looks) {
    if (this.chipLooks === looks) return;
    this.chipLooks = looks;
    this.chips.forEach(([chip, whole], at) => {
      const most = this.read(at, this.rowOf(at) || []);
      const keys = most.slice(0, SPOKEN_KEYS).join(", ");
      const said = keys && TEXTS(most.length > SPOKEN_KEYS ? "reads_others" : "reads", { keys });
      chip.setAttribute("aria-label", [whole, said].filter(Boolean).join(", "));
    });
  }

  // What a query reads, the most first: 74 % from river.
  read(query, texts) {
    const { labels } = this.stage.run.axes[this.asked];
    const keys = [...texts.keys()].filter((key) => this.isDrawn(texts[key]));
    keys.sort((a, b) => percent(texts[b]) - percent(texts[a]));
    return keys.map((key) => TEXTS("percent_from", {
      percent: inPercent(texts[key]), token: this.isItself(query, key) ? TEXTS("itself") : labels[key],
    }));
  }

  isDrawn(text) {
    return percent(text) >= (this.many ? 1 : 0.5);
  }

  arcsOf(query, texts) {
    const { axes } = this.stage.run, shift = axes[this.asked].offset - axes[this.asks].offset;
    const way = this.crossed ? across : over;
    return texts.flatMap((text, key) => (this.isDrawn(text) ? [drawing("path", {
      d: way(this.to[key], this.from[query], Math.abs(key - query + shift)),
      "stroke-width": THINNEST + ((THICKEST - THINNEST) * percent(text)) / 100,
      "data-arc": `${query}.${key}`,
    })] : []));
  }

  isItself(query, key) {
    return !this.crossed && this.to[key] === this.from[query];
  }

  // The weights' name where the program has several, and the head on show.
  heads() {
    const { run, places } = this.stage, { array } = this.shown, { letters, shape, symbol } = run.arrays[array];
    const named = run.prefix(array, places).flatMap((at, n) => {
      const { kind, word } = run.axes[letters[n]], called = run.called(letters[n], at);
      return kind === HEAD && shape[n] > 1 ? [`${capital(word)} ${at + 1}${called && `: ${called}`}`] : [];
    });
    const several = run.ribbons.length > 1;
    return [...(several ? [mathOf(symbol, run.roles)] : []), `${several && named.length ? " · " : ""}${named.join(" · ")}`];
  }

  // Scrolls the query into sight, where there are more tokens than room.
  reveal() {
    if (this.total <= (this.stage.width || 0)) return;
    this.reading.scrollLeft = this.from[this.query] - this.reading.clientWidth / 2;
  }
}

// From a key above to a query below.
function across(from, to) {
  const middle = BETWEEN_CHIPS / 2;
  return `M${from} 0C${from} ${middle} ${to} ${middle} ${to} ${BETWEEN_CHIPS}`;
}

// From a chip over others to the query, so many tokens on; the loop of a query that reads itself
// stands between the arcs that come to it.
function over(from, to, apart) {
  if (!apart) return `M${from - 4} ${ARCS}C${from - 18} ${ARCS - 30} ${from + 18} ${ARCS - 30} ${from + 4} ${ARCS}`;
  const end = to + Math.sign(from - to) * BESIDE_QUERY;
  const high = ARCS - (TALLEST_ARC - LOWER_ARC / apart) / 0.75;
  return `M${from} ${ARCS}C${from} ${high} ${end} ${high} ${end} ${ARCS}`;
}
