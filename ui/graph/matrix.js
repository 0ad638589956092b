// The same edges as a matrix: a row for each token that reads, a column for each that is read. Each
// cell is a link to its cell on the stage, as each edge is: so one lights the other.

class EdgeMatrix {
  constructor() {
    this.root = element("div", "matrix");
  }

  // `bits` says row by row which edges there are; an edge whose line the server has not sent yet is fresh.
  draw({ labels, lines, title, stage }, bits, covering) {
    const count = labels.length, { root } = this;
    this.stage = stage;
    root.style.setProperty("--count", count);
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", title);
    const head = (label, side) => {
      const made = element("span", side, label);
      made.setAttribute("aria-hidden", "true");
      made.title = label;
      return made;
    };
    const known = new Map(lines.map((line) => [line.target * count + line.source, line]));
    this.cells = [];
    const parts = [element("span"), ...labels.map((label) => head(label, "top"))];
    labels.forEach((label, target) => {
      parts.push(head(label, "side"));
      labels.forEach((_, source) => parts.push(this.cell(known.get(target * count + source), bits[target * count + source] === "1", covering)));
    });
    root.replaceChildren(...parts);
  }

  cell(line, isEdge, covering) {
    if (!isEdge) return element("span", "cell none");
    if (!line) return element("span", "cell fresh");
    const made = element("a", "cell", covering ? "?" : line.text);
    made.href = `#stage-${line.cell}`;
    made.dataset.stage = this.stage;
    made.tabIndex = -1; // the edges are gone through by keys
    made.setAttribute("aria-label", line.spoken);
    if (!covering) made.style.setProperty("--share", `${Math.round(100 * line.weight)}%`);
    this.cells.push({ line, made });
    return made;
  }

  // What the stage points at, as the edges show it.
  mark(levels) {
    this.cells?.forEach(({ line, made }) => {
      const [name, ...index] = line.cell.split(".");
      const level = levels ? levels(name, index.map(Number)) : "";
      ["here", "source", "use"].forEach((kind) => made.classList.toggle(kind, level === kind));
    });
  }
}
