// Edges of the graph: the curve from box to box, its arrow and its number. These are methods of the
// graph; graph.js takes them over.

import { drawing } from "../../../stage/browser/dom/svg.js";
import { between, cut, near, onCurve, pathOf } from "./curves.js";

const PLAIN = 2.5, STEPS = 48;

/** @satisfies {ThisType<import("./graph.js").Graph>} */
export const Edges = {
  // A curve from box to box; one that leads back to its own node is a loop beside it.
  curve(source, target) {
    const a = this.spots[source], b = this.spots[target], { high } = this;
    if (source === target) {
      const out = this.outward(a), side = [-out[1], out[0]];
      const reach = high * 1.75 + Math.abs(out[0]) * this.boxes[source] * 0.75;
      const at = (along) => [a[0] + out[0] * reach + side[0] * along, a[1] + out[1] * reach + side[1] * along];
      return [a, at(-high), at(high), a];
    }
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(dx, dy) || 1;
    if (this.inColumn(source, target)) {
      const wide = Math.min(this.boxes[source] * 0.5 + 12 + Math.abs(dy) * 0.36, this.room / 0.75 - 8);
      const out = this.outward(a)[0] * wide;
      return [a, [a[0] + out, a[1]], [b[0] + out, b[1]], b];
    }
    if (!this.data.round) return [a, [a[0] + dx * 0.4, a[1]], [b[0] - dx * 0.4, b[1]], b];
    const bend = Math.min(0.14 * length, 44), off = [(-dy / length) * bend, (dx / length) * bend];
    const side = (point) => [point[0] + off[0], point[1] + off[1]];
    return [a, side(between(a, b, 0.3)), side(between(a, b, 0.7)), b];
  },

  // Whether an edge stays in one of the columns that the nodes stand in.
  inColumn(source, target) {
    const { places, round } = this.data;
    return !round && near(places[source][0]) === near(places[target][0]);
  },

  outward([x, y]) {
    const [dx, dy] = [x - this.middle[0], this.data.round ? y - this.middle[1] : 0];
    const length = Math.hypot(dx, dy);
    return length < 1 ? [0, -1] : [dx / length, dy / length];
  },

  inside(node, [x, y], more) {
    const [cx, cy] = this.spots[node];
    return Math.abs(x - cx) <= this.boxes[node] / 2 + more && Math.abs(y - cy) <= this.high / 2 + more;
  },

  edge(line) {
    const { source, target } = line, { covering, data } = this;
    let curve = this.curve(source, target);
    const [own, one, other] = curve, out = this.outward(own);
    const plain = covering || line.fresh, width = plain ? PLAIN : line.width;
    const tip = 7 + width * 0.7; // the arrow's head
    const steps = [...Array(STEPS + 1).keys()].map((n) => n / STEPS);
    const end = steps.findLast((t) => !this.inside(target, onCurve(curve, t), tip)) ?? 1;
    const start = steps.find((t) => !this.inside(source, onCurve(curve, t), 1)) ?? 0;
    if (end > start) {
      [curve] = cut(curve, end);
      [, curve] = cut(curve, start / end);
    }
    const before = onCurve(curve, 0.93), [x, y] = curve[3];
    const turn = Math.atan2(y - before[1], x - before[0]);
    const corner = (along, across) => [x + along * Math.cos(turn) - across * Math.sin(turn), y + along * Math.sin(turn) + across * Math.cos(turn)].map(near);
    const half = 3.5 + width * 0.62;
    const link = drawing("a", { class: "edge", tabindex: -1 });
    if (line.cell) link.setAttribute("href", `#stage-${line.cell}`);
    link.dataset.stage = data.stage;
    link.dataset.from = source;
    link.dataset.to = target;
    const path = pathOf(curve);
    link.append(
      drawing("path", { d: path, class: "reach" }),
      drawing("path", { d: path, class: "stroke", "stroke-width": near(width) }),
      drawing("path", { d: `M${corner(tip, 0)} L${corner(-1, half)} L${corner(-1, -half)} Z`, class: "tip" }),
    );
    const number = covering && line.text ? "?" : line.text ?? "…";
    const value = covering ? TEXTS("covered") : line.text;
    const spoken = line.text ? `${line.spoken}: ${value}` : line.spoken;
    link.setAttribute("aria-label", line.spoken ? spoken : `${data.labels[source]} → ${data.labels[target]}`);
    // A loop's number stands beyond it, an edge's on it.
    const loop = between(own, between(one, other, 0.5), 0.75);
    const [px, py] = source === target ? [loop[0] + out[0] * 17, loop[1] + out[1] * 11] : onCurve(curve, 0.42);
    const place = [Math.min(Math.max(px, 18), this.middle[0] * 2 - 18), py];
    const label = drawing("g", { class: "number", transform: `translate(${place.map(near)})`, "aria-hidden": "true" });
    label.append(drawing("text", { "text-anchor": "middle", dy: "0.35em" }, number));
    link.classList.toggle("in", target === this.chosen);
    label.classList.toggle("in", target === this.chosen);
    link.classList.toggle("fresh", !!line.fresh);
    link.addEventListener("click", (event) => line.fresh && event.preventDefault());
    return { line, link, label };
  },
};
