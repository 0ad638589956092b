// A graph of tokens: nodes in boxes, edges as arrows between them. Each edge is a link to its cell on
// a stage; the stage says in the browser which cells it points at. A new edge is drawn here, at once,
// and reported to the server, which computes the numbers. Until these arrive, the edge has no width.

import { Announcer } from "../../../stage/browser/dom/announcer.js";
import { element } from "../../../stage/browser/dom/elements.js";
import { barButton, barGroup, replaceButtons } from "../buttons.js";
import { componentOf } from "../component.js";
import { Telling } from "../events.js";
import { Edges } from "./edges.js";
import { Gestures } from "./gestures.js";
import { Picture } from "./picture.js";

const WIDE = 900, BESIDE = 0.33;

export class Graph extends Telling {
  constructor(parent) {
    super(parent, "graph");
    this.bar = element("div", "bar");
    this.board = element("div", "board");
    this.help = element("p", "help");
    this.help.setAttribute("role", "status");
    this.root.append(this.bar, this.board, this.help);
    this.announcer = new Announcer(this.root);
    this.past = [];
    this.mode = "look";
    this.held = null; // the node an edge is drawn from
    this.at = { node: 0, line: null }; // where the keys are: a node, or one of the edges to it
    this.levels = null; // which cells the stage points at
    this.lastPointed = null; // the edge that the stage was told of
    // The picture: the texts of its nodes, how wide and high their boxes are and where; how far loops may
    // go beside them; its own middle.
    this.shown = [];
    this.boxes = [];
    this.spots = [];
    this.high = this.room = 0;
    this.middle = [];
    this.nodes = this.edges = this.loose = null; // as drawn; the last one follows a hand
    this.board.addEventListener("keydown", (event) => this.pressed(event));
    this.board.addEventListener("focusin", ({ target }) => {
      const edge = this.edges.find(({ link }) => link === target), { node } = target.dataset;
      if (edge) this.at = { node: edge.line.target, line: edge.line };
      else if (node) this.at = { node: Number(node), line: null };
    });
    this.board.addEventListener("pointerover", (event) => this.over(event));
    this.board.addEventListener("pointerover", ({ target }) => this.tellPointed(target.closest("a[href]")));
    this.board.addEventListener("pointerleave", () => this.over(null));
    this.covers = new MutationObserver(() => this.draw());
    this.covers.observe(document.documentElement, { attributeFilter: ["data-covering"] });
    this.pointed = ({ detail }) => detail.stage === this.data?.stage && this.mark(detail.at);
    document.addEventListener("stage-points", this.pointed);
    this.filled = ({ detail }) => detail.stage === this.data?.stage && this.project(detail);
    document.addEventListener("stage-shown", this.filled);
    this.sizes = new ResizeObserver(() => this.root.clientWidth !== this.wide && this.draw());
    this.sizes.observe(this.root);
  }

  update(data, send) {
    this.at.node = Math.min(this.at.node, data.labels.length - 1);
    super.update(data, send);
    this.mine = false;
  }

  take({ drawn, looks, chosen }) {
    if (this.bits !== drawn && !this.mine) this.past = [];
    this.bits = drawn;
    if (looks || this.known !== chosen) this.chosen = this.known = chosen;
  }

  // If its stage fills the window, the graph is shown next to it when there is room for both.
  project(detail) {
    const { root } = this, beside = detail.on && !detail.taken && innerWidth >= WIDE;
    if (beside) {
      detail.beside.push(root);
      detail.taken = BESIDE;
    }
    if (beside === this.beside) return;
    this.beside = beside;
    root.style.setProperty("--share", `${100 * BESIDE}vw`);
    root.popover = beside ? "manual" : null;
    if (beside) root.showPopover();
    this.draw();
  }

  get large() { return !!(this.data.present || this.beside); }

  get letterSize() {
    if (this.beside) return Math.max(18, innerHeight / 34);
    return this.large ? 21 : 16;
  }

  get count() { return this.data.labels.length; }

  // The edges to draw: those of the server, without what was taken away since, and new ones.
  get lines() {
    const { data, bits, covering } = this;
    const strong = data.lines.filter(({ weight }) => covering || weight >= data.threshold);
    if (!bits) return strong;
    const stays = strong.filter(({ source, target }) => bits[target * this.count + source] === "1");
    const known = new Set(data.lines.map(({ source, target }) => target * this.count + source));
    const fresh = [...bits].flatMap((bit, at) => (bit === "1" && !known.has(at)
      ? [{ source: at % this.count, target: Math.floor(at / this.count), fresh: true }] : []));
    return [...stays, ...fresh];
  }

  // Whether the numbers of its edges are covered.
  get covering() {
    const names = (document.documentElement.dataset.covering || "").split(" ");
    return this.data.lines.some(({ cell }) => names.includes((cell || "").split(".")[0]));
  }

  // Draws an edge, or takes it away.
  join(source, target) {
    this.held = null;
    const at = target * this.count + source;
    const flipped = this.bits[at] === "1" ? "0" : "1", { labels } = this.data;
    const message = flipped === "1" ? TEXTS("edge_drawn") : TEXTS("edge_taken");
    this.announcer.say(message.replace("…", labels[source]).replace("…", labels[target]));
    this.to(this.bits.slice(0, at) + flipped + this.bits.slice(at + 1));
  }

  to(bits) {
    if (bits === this.bits) return this.draw();
    this.past.push(this.bits);
    this.tell(bits);
  }

  tell(bits) {
    this.bits = bits;
    this.held = null;
    this.mine = true;
    this.events.tell("drawn", { bits });
    this.draw();
  }

  // A press on a node looks at it; or takes it up, to join it to the one that is pressed next.
  press(node) {
    this.at = { node, line: null };
    if (this.mode === "look") {
      this.chosen = node;
      if (this.data.looks) {
        this.mine = true;
        this.events.tell("node", { node });
      }
    } else if (this.held === null) this.held = node;
    else return this.join(this.held, node);
    this.draw();
  }

  draw() {
    const { data } = this;
    if (!data) return;
    this.wide = this.root.clientWidth;
    if (!this.wide) return;
    const had = this.board.contains(this.root.getRootNode().activeElement);
    replaceButtons(this.bar, ...this.buttons());
    this.svg = this.picture(this.lines);
    this.board.replaceChildren(this.svg);
    if (had) this.focus();
    const idle = this.mode === "draw" ? TEXTS("drawing") : TEXTS("idle");
    const help = this.held === null ? idle : TEXTS("held").replace("…", data.labels[this.held]);
    if (this.help.textContent !== help) this.help.textContent = help;
    this.root.classList.toggle("present", this.large);
    this.root.classList.toggle("beside", !!this.beside);
    this.root.classList.toggle("joining", this.mode === "draw");
    this.root.dataset.drawn = this.bits;
    this.root.dataset.settled = String(this.events.answered);
    this.mark(this.levels);
  }

  buttons() {
    if (!this.data.drawn) return [];
    const modes = ["look", "draw"].map((name) => barButton(TEXTS(name), () => {
      this.mode = name;
      this.held = null;
      this.draw();
    }, this.mode === name));
    const back = barButton(TEXTS("back"), () => this.tell(this.past.pop()));
    back.disabled = !this.past.length;
    const clear = barButton(TEXTS("clear"), () => this.to("0".repeat(this.bits.length)));
    clear.disabled = !this.bits.includes("1");
    return [barGroup(TEXTS("press"), ...modes), back, clear];
  }

  // Marks what the stage points at: the cell itself, and what it is made of or feeds.
  mark(levels) {
    this.levels = levels;
    this.edges?.forEach(({ line, link, label }) => {
      const [name, ...index] = (line.cell || "").split(".");
      const level = levels && line.cell ? levels(name, index.map(Number)) : "";
      ["here", "source", "use"].forEach((kind) => link.classList.toggle(kind, level === kind));
      label.classList.toggle("here", level === "here");
    });
  }

  close() {
    this.covers.disconnect();
    this.sizes.disconnect();
    document.removeEventListener("stage-points", this.pointed);
    document.removeEventListener("stage-shown", this.filled);
    super.close();
  }
}

Object.assign(Graph.prototype, Picture, Edges, Gestures);

export default componentOf(Graph);
