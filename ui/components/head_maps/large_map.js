// The chosen head's map with its tokens, or two: before and after a change. Pointing at a cell, or the
// arrow keys, say who reads whom and how much.

import { element } from "../../../stage/browser/dom/elements.js";
import { drawing, stretched } from "../../../stage/browser/dom/svg.js";
import { drawWeights, isHidden, partOf, percentOf } from "./weight_canvas.js";

// With more tokens than this there is no room for their names; with more than that, for a frame of a cell.
const MOST_LABELS = 24, MOST_FRAMED = 64;
// Pixels of a letter: where a key's name is wider than its column, the names stand upright.
const LETTER = 8;

class Board {
  constructor(large) {
    this.large = large;
    this.root = element("div", "one");
    this.title = element("span", "title");
    this.labels = element("span", "labels");
    this.heads = element("span", "heads");
    this.canvas = element("canvas");
    this.counted = stretched(0, 0, drawing("path"));
    this.counted.setAttribute("class", "counted");
    this.here = element("i", "here");
    this.board = element("div", "board");
    this.board.tabIndex = 0;
    this.board.setAttribute("role", "application");
    this.board.append(this.canvas, this.counted, this.here);
    const both = element("div", "both");
    this.room = element("div", "room");
    this.room.append(this.board);
    this.room.addEventListener("scroll", () => large.follow(this.room));
    both.append(this.heads, this.labels, this.room);
    this.root.append(this.title, both);
    const point = (event) => this.point(event);
    ["pointermove", "pointerdown"].forEach((name) => this.board.addEventListener(name, point));
    this.board.addEventListener("keydown", (event) => large.key(event));
  }

  draw(map, title, [queries, keys], counted, colours) {
    const { rows, columns } = this.large, name = TEXTS("large_map");
    this.map = map;
    drawWeights(this.canvas, map, colours);
    this.title.textContent = title;
    this.title.hidden = !title;
    this.board.setAttribute("aria-label", title ? TEXTS("map_of_change", { map: name, when: title }) : name);
    this.labels.replaceChildren(...queries.map((label) => element("bdi", "", label)));
    this.heads.replaceChildren(...keys.map((label) => element("bdi", "", label)));
    const longest = Math.max(0, ...keys.map((label) => label.length));
    this.heads.classList.toggle("upright", longest * LETTER * columns > this.board.clientWidth);
    this.counted.setAttribute("viewBox", `0 0 ${columns} ${rows}`);
    this.counted.firstChild.setAttribute("d", counted);
  }

  point({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect(), { rows, columns } = this.large;
    this.large.pointed = true;
    this.large.read(Math.floor(((clientY - top) / height) * rows), Math.floor(((clientX - left) / width) * columns));
  }

  place(row, col) {
    this.here.style.setProperty("--row", row);
    this.here.style.setProperty("--col", col);
  }

  percent(row, col) { return percentOf(this.map, row, col); }

  // The column with the largest weight of a row.
  largest(row, columns) {
    const parts = Array.from({ length: columns }, (_, col) => (isHidden(this.map, row, col) ? -1 : partOf(this.map, row, col)));
    return parts.indexOf(Math.max(...parts));
  }
}

export class LargeMap {
  constructor() {
    this.root = element("div", "large");
    this.boards = [];
    this.all = element("div", "boards");
    this.reading = element("p", "reading");
    this.reading.setAttribute("role", "status");
    this.root.append(this.all, this.reading);
  }

  // `maps` are one, or those before and after; while they are `coming`, the small ones in their place.
  draw({ queries, keys }, maps, counted, colours, coming) {
    const { root } = this, many = Math.max(queries.length, keys.length);
    const titles = maps.length > 1 ? [TEXTS("map_before"), TEXTS("map_after")] : [""];
    this.queries = queries;
    this.keys = keys;
    this.coming = coming;
    this.rows = queries.length;
    this.columns = keys.length;
    root.style.setProperty("--rows", this.rows);
    root.style.setProperty("--columns", this.columns);
    root.classList.toggle("many", many > MOST_LABELS);
    root.classList.toggle("fine", many > MOST_FRAMED);
    root.classList.toggle("two", maps.length > 1);
    root.setAttribute("aria-busy", `${coming}`);
    if (maps.length !== this.boards.length) {
      this.boards = maps.map(() => new Board(this));
      this.all.replaceChildren(...this.boards.map((board) => board.root));
    }
    const labels = many > MOST_LABELS ? [[], []] : [queries, keys], marks = this.marks(counted);
    this.boards.forEach((board, n) => board.draw(maps[n], titles[n], labels, marks, colours));
    if (this.pointed || coming) this.read(this.row ?? 0, this.col ?? 0);
    else this.read(this.rows - 1, this.boards.at(-1).largest(this.rows - 1, this.columns));
  }

  // The marked cells as one path.
  marks(counted) {
    if (counted === this.counted) return this.path;
    this.counted = counted;
    const cells = [];
    counted?.dots.forEach((is, n) => is && cells.push(`M${n % counted.columns} ${Math.floor(n / counted.columns)}h1v1h-1z`));
    this.path = cells.join("");
    return this.path;
  }

  key(event) {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [];
    if (down === undefined) return;
    event.preventDefault();
    this.pointed = true;
    this.read(this.row + down, this.col + right);
    const [{ here }] = this.boards;
    if (this.root.classList.contains("fine")) here.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Two maps show the same cells.
  follow({ scrollLeft, scrollTop }) {
    this.boards.forEach(({ room }) => Object.assign(room, { scrollLeft, scrollTop }));
  }

  read(row, col) {
    const within = (at, size) => Math.min(size - 1, Math.max(0, at));
    this.row = within(row, this.rows);
    this.col = within(col, this.columns);
    this.boards.forEach((board) => board.place(this.row, this.col));
    const says = this.coming ? "" : this.says();
    if (this.reading.textContent !== says) this.reading.textContent = says;
  }

  says() {
    const { row, col } = this, query = this.queries[row], key = this.keys[col];
    const percents = this.boards.map((board) => board.percent(row, col));
    if (percents.every((percent) => percent === null)) return TEXTS("map_hides", { query, key });
    if (percents.length === 1) return TEXTS("map_reads", { query, key, percent: percents[0] });
    const [before, after] = percents.map((percent) => (percent === null ? TEXTS("map_hidden") : TEXTS("map_percent", { percent })));
    return TEXTS("map_changes", { query, key, before, after });
  }
}
