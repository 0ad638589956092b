// The maps of all heads of a training, a row for each layer, with what each head does at a step.

import { element } from "../../../stage/browser/dom/elements.js";
import { drawWeights, mapOf, percentOf } from "../head_maps/weight_canvas.js";

export class TrainedMaps {
  constructor(training, tokens, kind) {
    const { name, heads: [rows] } = training, [first] = rows;
    this.training = training;
    this.tokens = tokens;
    this.root = element("div", `heads ${kind}`);
    this.root.style.setProperty("--heads", first.length);
    this.root.style.setProperty("--layers", rows.length);
    this.drawn = rows.map((layer) => layer.map(() => {
      const map = element("div", "map"), [caption, percent] = ["caption", "percent"].map((part) => element("span", part));
      const head = { map, canvas: element("canvas"), caption, percent, weights: null };
      map.setAttribute("role", "img");
      head.canvas.addEventListener("pointermove", (event) => this.point(event, head));
      map.append(head.canvas, element("i", "bar-of"), head.percent, head.caption);
      return head;
    }));
    const columns = first.map((_, head) => numbered("column", TEXTS("curve_head", { head: head + 1 })));
    const lines = this.drawn.flatMap((layer, at) => (
      [numbered("layer", TEXTS("curve_layer", { layer: at + 1 })), ...layer.map(({ map }) => map)]));
    if (name) {
      this.root.setAttribute("role", "group");
      this.root.setAttribute("aria-label", name);
    }
    this.root.append(element("span", "of-training", name), element("span"), ...columns, ...lines);
  }

  draw(step, off, colours) {
    const { drawn, training: { heads, maps } } = this, layers = drawn.length, many = drawn[0].length;
    drawn.forEach((layer, row) => layer.forEach((head, column) => {
      const { map, canvas, caption, percent } = head;
      const label = heads[step][row][column], isOff = off.has(`${row} ${column}`);
      head.weights = mapOf(maps, (step * layers + row) * many + column);
      drawWeights(canvas, head.weights, colours);
      canvas.removeAttribute("title"); // it is of another step
      caption.textContent = label ? label[0] : "";
      percent.textContent = label ? TEXTS("map_percent", { percent: label[1] }) : "";
      map.style.setProperty("--part", `${label ? label[1] : 0}%`);
      map.classList.toggle("off", isOff);
      map.classList.toggle("named", !!label);
      map.title = this.said(row, column, label, isOff);
      map.setAttribute("aria-label", map.title);
    }));
  }

  // A cell that is pointed at says who reads whom.
  point({ offsetX, offsetY }, { canvas, weights }) {
    const { tokens } = this, most = tokens.length - 1;
    const [row, column] = [offsetY / canvas.clientHeight, offsetX / canvas.clientWidth].map(
      (place) => Math.min(most, Math.max(0, Math.floor(tokens.length * place))));
    const percent = percentOf(weights, row, column), query = tokens[row], key = tokens[column];
    canvas.title = percent === null ? TEXTS("map_hides", { query, key }) : TEXTS("map_reads", { query, key, percent });
  }

  said(layer, head, label, isOff) {
    const { name: training } = this.training;
    let map = TEXTS("map_of_layer", { layer: layer + 1, head: head + 1 });
    if (training) map = TEXTS("map_of_training", { map, training });
    if (label) map = TEXTS("map_named", { map, caption: label[0], percent: label[1] });
    return isOff ? TEXTS("map_off", { map }) : map;
  }
}

// What a map says of its place itself: this is only seen.
function numbered(className, text) {
  const made = element("span", className, text);
  made.setAttribute("aria-hidden", "true");
  return made;
}
