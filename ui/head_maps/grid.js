// All heads of a run as small maps, a column for each layer; the chosen one is drawn large next to them.

class HeadGrid {
  constructor(parent) {
    this.root = element("div", "all in-colours");
    this.root.dataset.testid = "head-grid";
    this.events = new Events();
    this.grid = element("div", "grid");
    this.grid.setAttribute("role", "group");
    this.large = new LargeMap();
    this.root.append(this.grid, this.large.root);
    parent.append(this.root);
    this.theme = new ThemeWatch(this.root, (colours) => { this.colours = colours; this.paint(); });
    this.grid.addEventListener("click", ({ target }) => this.choose(target.closest("button")));
    this.grid.addEventListener("keydown", (event) => this.key(event));
  }

  async update(data, send) {
    this.events.hear(data, send);
    const { layers, heads, size, levels, present } = data, { grid } = this;
    this.data = data;
    this.root.classList.toggle("present", !!present);
    const given = `${layers} ${heads} ${levels}`;
    if (given !== this.given) {
      this.given = given;
      this.dots = null;
      this.build(layers, heads);
      const dots = await unpackedLevels(levels);
      if (given !== this.given) return;
      this.dots = dots;
      this.theme.look();
      this.paint();
    }
    const framed = new Set(data.framed.map(([layer, head]) => layer * heads + head));
    this.maps.forEach((map, at) => {
      const layer = Math.floor(at / heads), head = at % heads, score = this.data.scores[layer][head];
      map.classList.toggle("framed", framed.has(at));
      map.style.setProperty("--score", `${parseInt(score, 10) || 0}%`);
      map.setAttribute("aria-label", TEXTS("one_map", { layer: layer + 1, head: head + 1, score }));
      map.title = TEXTS("one_map", { layer: layer + 1, head: head + 1, score });
    });
    grid.setAttribute("aria-label", TEXTS("map_grid", { layers, heads }));
    if (this.events.answered) this.show(data.chosen[0] * heads + data.chosen[1]);
    else this.show(this.at);
    this.size = size;
  }

  build(layers, heads) {
    const { grid } = this;
    grid.style.setProperty("--layers", layers);
    const corner = element("span", "corner", TEXTS("map_layer"));
    const numbers = Array.from({ length: layers }, (_, layer) => element("span", "number", `${layer + 1}`));
    this.maps = Array.from({ length: layers * heads }, () => {
      const map = element("button", "map");
      map.type = "button";
      map.tabIndex = -1;
      map.append(element("canvas"), element("i", "bar"));
      return map;
    });
    const rows = Array.from({ length: heads }, (_, head) => [
      element("span", "number side", `${head ? "" : `${TEXTS("map_head")} `}${head + 1}`),
      ...Array.from({ length: layers }, (__, layer) => this.maps[layer * heads + head]),
    ]);
    grid.replaceChildren(corner, ...numbers, ...rows.flat());
  }

  part(at) {
    const cells = this.data.size ** 2;
    return this.dots.subarray(at * cells, (at + 1) * cells);
  }

  paint() {
    const { colours, dots, data, maps } = this;
    if (!colours || !dots) return;
    maps.forEach((map, at) => drawWeights(map.firstChild, this.part(at), data.size, data.causal, colours));
    if (this.at !== undefined) this.show(this.at);
  }

  show(at) {
    const { maps, data, dots, colours } = this;
    this.at = at;
    maps.forEach((map, n) => {
      map.setAttribute("aria-pressed", `${n === at}`);
      map.tabIndex = n === at ? 0 : -1;
    });
    if (dots && colours) this.large.draw(data, this.part(at), colours);
    this.reveal(maps[at]);
  }

  // Where the grid is wider than its room, the chosen map is in sight.
  reveal({ offsetLeft, offsetWidth }) {
    const { grid } = this, left = offsetLeft - grid.offsetLeft;
    if (left < grid.scrollLeft) grid.scrollLeft = left;
    else if (left + offsetWidth > grid.scrollLeft + grid.clientWidth) grid.scrollLeft = left + 2 * offsetWidth - grid.clientWidth;
  }

  choose(map) {
    if (!map) return;
    const at = this.maps.indexOf(map), { heads } = this.data;
    this.show(at);
    map.focus({ preventScroll: true });
    this.events.tell("place", { layer: Math.floor(at / heads), head: at % heads });
  }

  key(event) {
    const { heads } = this.data, steps = { ArrowRight: heads, ArrowLeft: -heads, ArrowDown: 1, ArrowUp: -1 };
    const at = this.maps.indexOf(event.target), next = at + steps[event.key];
    if (!(event.key in steps)) return;
    event.preventDefault();
    const leaves = Math.abs(steps[event.key]) === 1 && Math.floor(at / heads) !== Math.floor(next / heads);
    if (!leaves && this.maps[next]) {
      event.target.tabIndex = -1;
      this.maps[next].tabIndex = 0;
      this.maps[next].focus();
    }
  }

  close() {
    this.theme.close();
    this.root.remove();
  }
}

// One map with its tokens. Pointing at a cell, or the arrow keys, say who reads whom and how much.
class LargeMap {
  constructor() {
    this.root = element("div", "large");
    this.labels = element("span", "labels");
    this.canvas = element("canvas");
    this.board = element("div", "board");
    this.board.tabIndex = 0;
    this.board.setAttribute("role", "application");
    this.here = element("i", "here");
    this.counted = element("span", "counted");
    this.board.append(this.canvas, this.counted, this.here);
    this.reading = element("p", "reading");
    this.reading.setAttribute("role", "status");
    const both = element("div", "both");
    both.append(this.labels, this.board);
    this.root.append(both, this.reading);
    this.board.addEventListener("pointermove", (event) => this.point(event));
    this.board.addEventListener("pointerdown", (event) => this.point(event));
    this.board.addEventListener("keydown", (event) => this.key(event));
  }

  draw(data, dots, colours) {
    Object.assign(this, { data, dots });
    const { size, labels, causal, counted } = data;
    drawWeights(this.canvas, dots, size, causal, colours);
    this.root.style.setProperty("--size", size);
    this.root.classList.toggle("many", size > MOST_LABELS);
    const shown = size > MOST_LABELS ? [] : labels;
    this.labels.replaceChildren(...shown.map((label) => element("bdi", "", label)));
    this.counted.replaceChildren(...counted.map(([row, col]) => this.placed(element("i"), row, col)));
    this.board.setAttribute("aria-label", TEXTS("large_map"));
    this.read(this.row ?? size - 1, this.col ?? 0);
  }

  placed(mark, row, col) {
    mark.style.setProperty("--row", row);
    mark.style.setProperty("--col", col);
    return mark;
  }

  point({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect(), { size } = this.data;
    const at = (part, whole) => Math.min(size - 1, Math.max(0, Math.floor((part / whole) * size)));
    this.read(at(clientY - top, height), at(clientX - left, width));
  }

  key(event) {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [];
    if (down === undefined) return;
    event.preventDefault();
    this.read(this.row + down, this.col + right);
  }

  read(row, col) {
    const { size, labels, causal } = this.data, within = (at) => Math.min(size - 1, Math.max(0, at));
    this.row = within(row);
    this.col = within(col);
    this.placed(this.here, this.row, this.col);
    const query = labels[this.row], key = labels[this.col], percent = Math.round((this.dots[this.row * size + this.col] / MOST) * 100);
    const says = causal && this.col > this.row ? TEXTS("map_hides", { query, key }) : TEXTS("map_reads", { query, key, percent });
    if (this.reading.textContent !== says) this.reading.textContent = says;
  }
}

const MOST_LABELS = 24;

export default function ({ data: [data], parentElement, setStateValue }) {
  const [grid, leave] = atPlace(parentElement, () => new HeadGrid(parentElement));
  grid.update(data, setStateValue).then(() => drawnAt(parentElement));
  return leave;
}
