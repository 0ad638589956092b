// The maps of all heads of a training, a row for each layer, with what each head does at a step.

import { element } from "../../../stage/browser/dom/elements.js";
import { drawWeights, mapOf } from "../head_maps/weight_canvas.js";

export class TrainedMaps {
  constructor(training, kind) {
    const { name, heads: [rows] } = training, [first] = rows;
    this.training = training;
    this.root = element("div", `heads ${kind}`);
    this.root.style.setProperty("--heads", first.length);
    this.root.style.setProperty("--layers", rows.length);
    this.drawn = rows.map((layer) => layer.map(() => {
      const map = element("div", "map"), head = { map, canvas: element("canvas"), caption: element("span", "caption"), percent: element("span", "percent") };
      map.setAttribute("role", "img");
      map.append(head.canvas, element("i", "bar-of"), head.percent, head.caption);
      return head;
    }));
    const columns = first.map((_, head) => element("span", "column", TEXTS("curve_head", { head: head + 1 })));
    const lines = this.drawn.flatMap((layer, at) => (
      [element("span", "layer", TEXTS("curve_layer", { layer: at + 1 })), ...layer.map(({ map }) => map)]));
    this.root.append(element("span", "of-training", name), element("span"), ...columns, ...lines);
  }

  draw(step, off, colours) {
    const { drawn, training: { heads, maps } } = this, layers = drawn.length, many = drawn[0].length;
    drawn.forEach((layer, row) => layer.forEach(({ map, canvas, caption, percent }, column) => {
      const label = heads[step][row][column], isOff = off.has(`${row} ${column}`);
      drawWeights(canvas, mapOf(maps, (step * layers + row) * many + column), colours);
      caption.textContent = label ? label[0] : "";
      percent.textContent = label ? TEXTS("map_percent", { percent: label[1] }) : "";
      map.style.setProperty("--part", `${label ? label[1] : 0}%`);
      map.classList.toggle("off", isOff);
      map.classList.toggle("named", !!label);
      map.title = this.said(row, column, label, isOff);
      map.setAttribute("aria-label", map.title);
    }));
  }

  said(layer, head, label, isOff) {
    const { name: training } = this.training;
    let map = TEXTS("map_of_layer", { layer: layer + 1, head: head + 1 });
    if (training) map = TEXTS("map_of_training", { map, training });
    if (label) map = TEXTS("map_named", { map, caption: label[0], percent: label[1] });
    return isOff ? TEXTS("map_off", { map }) : map;
  }
}
