// A graph of tokens: nodes in boxes, edges as arrows between them. Each edge is a link to its cell on
// a stage; the stage says in the browser which cells it points at. Drawing happens here, at once; the
// numbers are the server's, which hears of each new edge. An edge it has not told yet has no width.

const SVG = "http://www.w3.org/2000/svg";
const SIDE = 12, PLAIN = 2.5, STEPS = 48, NARROW = 520, LONG = 8, WIDE = 900, BESIDE = 0.33, CELL = 50;

function drawing(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  if (text !== undefined) made.textContent = text;
  return made;
}

class Graph {
  constructor(parent) {
    this.root = element("div", "graph");
    this.root.dataset.testid = "graph";
    this.bar = element("div", "bar");
    this.board = element("div", "board");
    this.help = element("p", "help");
    this.help.setAttribute("role", "status");
    this.table = new EdgeMatrix();
    this.both = element("div", "both");
    this.both.append(this.board, this.table.root);
    this.root.append(this.bar, this.both, this.help);
    this.announcer = new Announcer(this.root);
    parent.append(this.root);
    this.events = new Events();
    this.past = [];
    this.mode = "look";
    this.held = null; // the node an edge is drawn from
    this.at = { node: 0, line: null }; // where the keys are: a node, or one of the edges to it
    this.levels = null; // which cells the stage points at
    this.board.addEventListener("keydown", (event) => this.pressed(event));
    this.board.addEventListener("focusin", ({ target }) => {
      const edge = this.edges.find(({ link }) => link === target), { node } = target.dataset;
      if (edge) this.at = { node: edge.line.target, line: edge.line };
      else if (node) this.at = { node: Number(node), line: null };
    });
    this.board.addEventListener("pointerover", (event) => this.over(event));
    this.both.addEventListener("pointerover", ({ target }) => this.tellPointed(target.closest("a[href]")));
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

  // What the server says counts, except where it has not heard yet of what was done last.
  update(data, send) {
    this.events.hear(data, send);
    this.data = data;
    if (this.events.answered) {
      if (this.bits !== data.drawn && !this.mine) this.past = [];
      this.bits = data.drawn;
      if (data.looks || this.known !== data.chosen) this.chosen = this.known = data.chosen;
    }
    this.mine = false;
    this.at.node = Math.min(this.at.node, data.labels.length - 1);
    this.draw();
  }

  // Its stage fills the window: the graph stands beside it, where there is room for both.
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

  // Beside a stage that fills the window there is its matrix already.
  get hasTable() { return this.data.matrix && !this.beside; }

  get large() { return !!(this.data.present || this.beside); }

  get count() { return this.data.labels.length; }

  // The edges to draw: those that the server told, without what was taken away since, and new ones.
  get lines() {
    const { data, bits, covering } = this;
    const strong = data.lines.filter(({ weight }) => covering || weight >= data.threshold);
    if (!bits) return strong;
    const stays = strong.filter(({ source, target }) => bits[target * this.count + source] === "1");
    const told = new Set(data.lines.map(({ source, target }) => target * this.count + source));
    const fresh = [...bits].flatMap((bit, at) => (bit === "1" && !told.has(at)
      ? [{ source: at % this.count, target: Math.floor(at / this.count), fresh: true }] : []));
    return [...stays, ...fresh];
  }

  // Whether the numbers of its edges are covered.
  get covering() {
    const names = (document.documentElement.dataset.covering || "").split(" ");
    return this.data.lines.some(({ cell }) => names.includes((cell || "").split(".")[0]));
  }

  // Drawing an edge, or taking it away.
  join(source, target) {
    this.held = null;
    const at = target * this.count + source;
    const flipped = this.bits[at] === "1" ? "0" : "1", { words, labels } = this.data;
    const said = flipped === "1" ? words.drawn : words.taken;
    this.announcer.say(said.replace("…", labels[source]).replace("…", labels[target]));
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

  // A press on a node: look at it; or take it up, and join it to the one that is pressed next.
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
    const { words } = data, lines = this.lines;
    replaceButtons(this.bar, ...this.buttons());
    this.svg = this.picture(lines);
    this.board.replaceChildren(this.svg);
    if (had) this.focus();
    this.table.root.hidden = !this.hasTable;
    if (this.hasTable) this.table.draw(data, this.bits, this.covering);
    const idle = this.mode === "draw" ? words.drawing : words.idle;
    const said = this.held === null ? idle : words.held.replace("…", data.labels[this.held]);
    if (this.help.textContent !== said) this.help.textContent = said;
    this.root.classList.toggle("present", this.large);
    this.root.classList.toggle("beside", !!this.beside);
    this.root.classList.toggle("joining", this.mode === "draw");
    this.root.dataset.drawn = this.bits;
    this.root.dataset.settled = String(this.events.answered);
    this.mark(this.levels);
  }

  buttons() {
    const { data, mode } = this, { words } = data;
    if (!data.drawn) return [];
    const group = element("span", "group");
    group.append(element("span", "word", words.press));
    ["look", "draw"].forEach((name) => {
      const made = this.button(words[name], () => {
        this.mode = name;
        this.held = null;
        this.draw();
      });
      made.setAttribute("aria-pressed", String(mode === name));
      group.append(made);
    });
    const back = this.button(words.back, () => this.tell(this.past.pop()));
    back.disabled = !this.past.length;
    const clear = this.button(words.clear, () => this.to("0".repeat(this.bits.length)));
    clear.disabled = !this.bits.includes("1");
    return [group, back, clear];
  }

  button(label, act) {
    const made = element("button", "", label);
    made.type = "button";
    made.onclick = act;
    return made;
  }

  // Nodes and edges, as large as there is room.
  picture(lines) {
    const { data, wide } = this;
    const { large } = this, size = this.beside ? Math.max(18, innerHeight / 34) : large ? 21 : 16;
    const high = size * 1.9;
    const measure = (document.createElement("canvas")).getContext("2d");
    measure.font = `600 ${size}px ${getComputedStyle(this.root).fontFamily}`;
    // Where there is little room, a long token is cut short; it is spoken whole.
    const long = (label) => wide < NARROW && [...label].length > LONG;
    const fitting = (label) => cutAfter(label, LONG - 1 - wordAndNumber(label)[1].length);
    this.shown = data.labels.map((label) => (long(label) ? fitting(label) : label));
    this.boxes = this.shown.map((label) => Math.max(high, measure.measureText(label).width + 2 * SIDE));
    const table = this.hasTable ? CELL * (this.count + 2) : 0, room = wide - table > NARROW ? wide - table : wide;
    const widest = Math.max(...this.boxes), across = Math.min(room, large ? 900 : 680);
    const rows = new Set(data.places.map(([, y]) => near(y))).size;
    const tall = data.round ? Math.max(2.2 * high, Math.min(across, this.beside ? innerHeight * 0.6 : large ? 480 : 380, 62 * (this.count + 1)))
      : rows * high * 1.65 + high;
    // Room beside the nodes: for loops, and for edges that stay in a column.
    const loop = data.round ? 40 : 4, side = data.within ? Math.min(110, across / 5) : loop;
    this.room = widest / 2 + side;
    const [h, v] = [across / 2 - widest / 2 - side - 6, tall / 2 - high / 2 - loop];
    this.spots = data.places.map(([x, y]) => [across / 2 + x * h, tall / 2 + y * v]);
    this.middle = [across / 2, tall / 2];
    this.high = high;
    const svg = drawing("svg", { viewBox: `0 0 ${near(across)} ${near(tall)}`, width: near(across), height: near(tall), role: "group", "aria-label": data.title });
    svg.style.fontSize = `${size}px`;
    this.edges = lines.map((line) => this.edge(line));
    const faint = (edge) => (edge.line.target === this.chosen ? 1 : 0);
    svg.append(...[...this.edges].sort((a, b) => faint(a) - faint(b)).map(({ link }) => link));
    this.nodes = data.labels.map((label, node) => this.node(label, node));
    svg.append(...this.nodes);
    // Numbers stand above the nodes' boxes and the other edges.
    svg.append(...this.edges.map(({ label }) => label));
    this.loose = drawing("path", { class: "loose" });
    svg.append(this.loose);
    return svg;
  }

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
  }

  // A press that stays is a press; one that moves draws an edge to the node it is let go on.
  grab(event, node) {
    if (event.button) return;
    const from = [event.clientX, event.clientY], scope = this.root.getRootNode();
    const pointed = ({ clientX, clientY }) => scope.elementFromPoint(clientX, clientY)?.closest?.(".node")?.dataset.node;
    let moved = false;
    const move = (at) => {
      if (!moved && Math.hypot(at.clientX - from[0], at.clientY - from[1]) < 6) return;
      if (!this.bits) return;
      moved = true;
      at.preventDefault();
      const box = this.svg.getBoundingClientRect();
      const scale = this.svg.viewBox.baseVal.width / box.width;
      const end = [(at.clientX - box.left) * scale, (at.clientY - box.top) * scale];
      this.loose.setAttribute("d", `M${this.spots[node].map(near)} L${end.map(near)}`);
      const target = pointed(at);
      this.nodes.forEach((other, n) => other.classList.toggle("target", String(n) === target));
    };
    const done = (at) => {
      left();
      if (!moved) return this.press(node);
      const target = pointed(at);
      if (target === undefined) return this.draw();
      this.at = { node: Number(target), line: null };
      this.join(node, Number(target));
    };
    const dropped = () => {
      left();
      this.draw();
    };
    const left = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", done);
      removeEventListener("pointercancel", dropped);
    };
    addEventListener("pointermove", move, { passive: false });
    addEventListener("pointerup", done);
    addEventListener("pointercancel", dropped);
  }

  // By keys: nodes beside each other, and under a node the edges that lead to it.
  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { at, count } = this;
    const incoming = this.edges.filter(({ line }) => line.target === at.node);
    const here = incoming.findIndex(({ line }) => line.source === at.line?.source);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const acts = event.key === "Enter" || event.key === " ";
    if (by && at.line) this.at = { ...at, line: incoming[(here + by + incoming.length) % incoming.length].line };
    else if (by) this.at = { node: (at.node + by + count) % count, line: null };
    else if (event.key === "ArrowDown" && !at.line && incoming.length) this.at = { ...at, line: incoming[0].line };
    else if (event.key === "ArrowUp" && at.line) this.at = { ...at, line: null };
    else if (acts && at.line) {
      incoming[here].link.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true, cancelable: true }));
    } else if (acts) this.press(at.node);
    else if ((event.key === "Delete" || event.key === "Backspace") && at.line && this.bits) {
      this.at = { ...at, line: null };
      this.join(at.line.source, at.line.target);
    } else if (event.key === "Escape" && (at.line || this.held !== null)) {
      this.held = null;
      this.at = { ...at, line: null };
      this.draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.focus();
  }

  focus() {
    const { at } = this;
    const edge = at.line && this.edges.find(({ line }) => line.source === at.line.source && line.target === at.line.target);
    if (at.line && !edge) at.line = null;
    this.nodes.forEach((made, node) => made.setAttribute("tabindex", !edge && node === at.node ? 0 : -1));
    this.edges.forEach((other) => other.link.setAttribute("tabindex", other === edge ? 0 : -1));
    const on = edge ? edge.link : this.nodes[at.node];
    on.focus({ preventScroll: true });
    // A focus that moves inside a component is not heard outside of it, where the stage listens.
    on.dispatchEvent(new Event("focusin", { bubbles: true, composed: true }));
  }

  // The edge under the mouse shows its number.
  over(event) {
    const link = event?.target.closest?.(".edge");
    this.edges.forEach((edge) => edge.label.classList.toggle("over", edge.link === link));
  }

  // A pointer that moves inside a component is not heard outside of it, where the stage listens.
  tellPointed(link) {
    if (link === this.told) return;
    this.told = link;
    (link || this.both).dispatchEvent(new PointerEvent("pointerover", { bubbles: true, composed: true }));
  }

  // What the stage points at: the cell itself, and what it is made of or feeds.
  mark(levels) {
    this.levels = levels;
    this.table.mark(levels);
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
    this.root.remove();
  }
}

Object.assign(Graph.prototype, Edges);

export default function ({ data: [data], parentElement, setStateValue }) {
  const [graph, leave] = atPlace(parentElement, () => new Graph(parentElement));
  graph.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
}
