// The picture of the graph: nodes in boxes, as large as there is room, with the edges between them.
// These are methods of the graph; graph.js takes them over.

import { cutAfter, wordAndNumber } from "../../../stage/browser/dom/labels.js";
import { drawing } from "../../../stage/browser/dom/svg.js";
import { near } from "./curves.js";

const SIDE = 12, NARROW = 520, LONG = 8;

/** @satisfies {ThisType<import("./graph.js").Graph>} */
export const Picture = {
  // Nodes and edges, as large as there is room.
  picture(lines) {
    const { data } = this, size = this.letterSize;
    this.measureNodes(size);
    const [width, height] = this.placeNodes();
    const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": data.title });
    svg.style.fontSize = `${size}px`;
    this.edges = lines.map((line) => this.edge(line));
    const last = ({ line }) => Number(line.target === this.chosen);
    svg.append(...[...this.edges].sort((a, b) => last(a) - last(b)).map(({ link }) => link));
    this.nodes = data.labels.map((label, node) => this.node(label, node));
    svg.append(...this.nodes);
    // Numbers are drawn above the nodes' boxes and the other edges.
    svg.append(...this.edges.map(({ label }) => label));
    this.loose = drawing("path", { class: "loose" });
    svg.append(this.loose);
    return svg;
  },

  // Sets the text of each node's box, its width, and the height of all boxes.
  measureNodes(size) {
    const { labels } = this.data;
    this.high = size * 1.9;
    const context = document.createElement("canvas").getContext("2d");
    context.font = `600 ${size}px ${getComputedStyle(this.root).fontFamily}`;
    // A long token is cut short if there is little room; it is spoken whole.
    const long = (label) => this.wide < NARROW && [...label].length > LONG;
    const fitting = (label) => cutAfter(label, LONG - 1 - wordAndNumber(label)[1].length);
    this.shown = labels.map((label) => (long(label) ? fitting(label) : label));
    this.boxes = this.shown.map((label) => Math.max(this.high, context.measureText(label).width + 2 * SIDE));
  },

  // Sets the middle of each node. Returns the picture's width and height.
  placeNodes() {
    const { data, wide, high, large } = this;
    const across = Math.min(wide, large ? 900 : 680);
    const tall = data.round ? this.heightOfCircle(across) : this.heightOfColumns();
    const widest = Math.max(...this.boxes);
    // Room next to the nodes: for loops, and for edges that stay in a column.
    const loop = data.round ? 40 : 4, side = data.within ? Math.min(110, across / 5) : loop;
    this.room = widest / 2 + side;
    const [h, v] = [across / 2 - widest / 2 - side - 6, tall / 2 - high / 2 - loop];
    this.middle = [across / 2, tall / 2];
    this.spots = data.places.map(([x, y]) => [across / 2 + x * h, tall / 2 + y * v]);
    return [near(across), near(tall)];
  },

  heightOfCircle(across) {
    const most = this.beside ? innerHeight * 0.6 : this.large ? 480 : 380;
    return Math.max(2.2 * this.high, Math.min(across, most, 62 * (this.count + 1)));
  },

  heightOfColumns() {
    const rows = new Set(this.data.places.map(([, y]) => near(y))).size;
    return rows * this.high * 1.65 + this.high;
  },

  node(label, node) {
    const [x, y] = this.spots[node], wide = this.boxes[node], { high } = this;
    const made = drawing("g", { class: "node", role: "button", tabindex: -1, transform: `translate(${[x, y].map(near)})` });
    made.dataset.node = node;
    const { held, chosen } = this;
    made.classList.toggle("chosen", chosen === node);
    made.classList.toggle("held", held === node);
    made.classList.toggle("faint", this.data.faint.includes(node));
    made.setAttribute("aria-pressed", String(this.mode === "draw" ? held === node : chosen === node));
    made.setAttribute("aria-label", label);
    made.append(
      drawing("rect", { x: near(-wide / 2), y: near(-high / 2), width: near(wide), height: near(high), rx: 9 }),
      drawing("text", { "text-anchor": "middle", dy: "0.35em" }, this.shown[node]),
    );
    if (this.at.node === node && !this.at.line) made.setAttribute("tabindex", 0);
    made.addEventListener("pointerdown", (event) => this.grab(event, node));
    return made;
  },
};
