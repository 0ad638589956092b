// The picture of the graph: nodes in boxes, as large as there is room, with the edges between them.
// These are methods of the graph; graph.js takes them over.

const SIDE = 12, NARROW = 520, LONG = 8, CELL = 50;

const Picture = {
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
