// Matrices as pictures in a row. Each is a link to its place on a stage, which goes there at once.

import { element } from "../../../stage/browser/dom/elements.js";
import { cutAfter } from "../../../stage/browser/dom/labels.js";
import { drawing } from "../../../stage/browser/dom/svg.js";
import { Component, componentOf } from "../component.js";

const HIDDEN = 255, LOOKS = { [HIDDEN]: "masked", 254: "nan", 253: "random" };
// Larger matrices have a shape for each colour, not for each cell; rows lower than a letter no label.
const MOST_ROWS = 24, LETTER = 13, LETTERS = 7, GAP = 1;

// The hatching of what the mask hides, for all pictures.
function patterns() {
  const made = drawing("svg", { class: "patterns", width: 0, height: 0, "aria-hidden": "true" });
  const hatch = drawing("pattern", {
    id: "hidden", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
  });
  hatch.append(
    drawing("rect", { class: "ground", width: 5, height: 5 }),
    drawing("line", { class: "stroke", x1: 0.75, y1: 0, x2: 0.75, y2: 5 }),
  );
  made.append(hatch);
  return made;
}

function picture({ palette, rows, cols, levels }, pitch, row) {
  const made = drawing("svg", { width: cols * pitch, height: rows * pitch, "aria-hidden": "true" });
  const size = pitch > 4 * GAP ? pitch - GAP : pitch, shapes = new Map();
  [...atob(levels)].forEach((byte, at) => {
    const level = byte.charCodeAt(0), look = LOOKS[level] || palette + level;
    const shape = rows > MOST_ROWS || cols > MOST_ROWS ? look : at;
    const [, path] = shapes.get(shape) || [look, ""];
    const place = `M${(at % cols) * pitch} ${Math.floor(at / cols) * pitch}`;
    shapes.set(shape, [look, `${path}${place}h${size}v${size}h-${size}z`]);
  });
  shapes.forEach(([look, d]) => made.append(drawing("path", { class: look, d })));
  if (row !== null) made.append(drawing("rect", { class: "row", y: row * pitch - GAP, x: -GAP, width: cols * pitch + GAP, height: pitch + GAP }));
  return made;
}

function beside(texts, pitch, after = "") {
  const made = element("span", `side ${after}`.trim());
  made.style.gridAutoRows = made.style.lineHeight = `${pitch}px`;
  made.append(...texts.map((text) => element("bdi", "", text)));
  return made;
}

class Maps extends Component {
  constructor(parent) {
    super(parent, "maps in-colours", { id: "maps" });
    this.root.setAttribute("role", "group");
    this.links = [];
    this.root.before(patterns());
    this.root.addEventListener("click", (event) => {
      const link = event.target.closest(".map");
      if (link && this.chooses) this.choose(this.links.indexOf(link));
    });
  }

  update(data) {
    const { root, links } = this, { pictures, stage, title, high, chosen, row, labels } = data;
    root.dataset.stage = stage;
    root.setAttribute("aria-label", title);
    while (links.length < pictures.length) links.push(root.appendChild(element("a", "map")));
    links.splice(pictures.length).forEach((link) => link.remove());
    const most = Math.max(...pictures.flatMap(({ matrices }) => matrices.map(({ rows }) => rows)));
    const pitch = high > 4 * most ? Math.floor(high / most) : high / most;
    pictures.forEach(({ name, place, matrices, said }, n) => {
      const link = links[n], grids = element("span", "grids");
      link.setAttribute("href", `#stage-${place}`);
      if (labels.length && pitch >= LETTER) grids.append(beside(labels.map((label) => (label.length > LETTERS ? cutAfter(label, LETTERS) : label)), pitch));
      matrices.forEach((matrix) => {
        grids.append(picture(matrix, pitch, row));
        if (matrix.beside?.length && pitch >= LETTER) grids.append(beside(matrix.beside, pitch, "after"));
      });
      link.replaceChildren(element("span", "name", name), grids);
      if (!said.length) return;
      const words = element("span", "said");
      words.append(...said.map((part, at) => (at % 2 ? element("bdi", "token", part) : part)));
      link.append(words);
    });
    this.chooses = chosen !== null;
    this.choose(chosen);
  }

  choose(chosen) {
    this.links.forEach((link, n) => link.setAttribute("aria-current", `${n === chosen}`));
  }
}

export default componentOf(Maps);
