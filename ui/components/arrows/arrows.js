// Two arrows that can be dragged. While they move, the picture and the numbers follow here, in the
// frame; the server hears of it when they are let go, and answers with the core's arithmetic. The
// numbers are those of core/chapters/dot_products/vector_pair.py, digit for digit: a browser test compares the two.

import { element, MINUS } from "../../../stage/browser/dom/elements.js";
import { drawing } from "../../../stage/browser/dom/svg.js";
import { componentOf } from "../component.js";
import { Telling } from "../events.js";

const TIMES = "\u00d7";
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const ROWS = [["length_q", "‖q‖"], ["length_k", "‖k‖"], ["degrees", "θ"], ["cosine", "cos θ"], ["shadow", "‖k‖ cos θ"]];

// Two decimals, halves away from zero after the 9th decimal; below 0.005 the leading digit.
function decimal(value) {
  const size = Math.abs(value), sign = value < 0 ? MINUS : "";
  if (size <= 1e-9) return "0.00";
  if (size < 0.005) {
    const exponent = Math.floor(Math.log10(size));
    const digit = Math.floor(Math.round(size / 10 ** exponent * 1e9) / 1e9 + 0.5);
    return digit === 10 ? `${sign}1e${MINUS}${-exponent - 1}` : `${sign}${digit}e${MINUS}${-exponent}`;
  }
  const units = Math.floor((Math.round(size * 1e9) + 5e6) / 1e7);
  return `${units ? sign : ""}${Math.floor(units / 100)}.${String(units % 100).padStart(2, "0")}`;
}

const tenth = (units) => `${units < 0 ? MINUS : ""}${(Math.abs(units) / 10).toFixed(1)}`;
const bracketed = (units) => (units < 0 ? `(${tenth(units)})` : tenth(units));

// Every number of two arrows given in whole tenths, so that products are exact.
function measure([qx, qy], [kx, ky]) {
  const dot = qx * kx + qy * ky, cross = qx * ky - qy * kx;
  const q = qx * qx + qy * qy, k = kx * kx + ky * ky;
  const none = !q || !k;
  const sign = none ? "none" : dot > 0 ? "positive" : dot < 0 ? "negative" : "zero";
  return {
    sign,
    turn: cross < 0 ? -1 : 1,
    printed: {
      q: `(${tenth(qx)}, ${tenth(qy)})`,
      k: `(${tenth(kx)}, ${tenth(ky)})`,
      terms: `${bracketed(qx)} ${TIMES} ${bracketed(kx)} + ${bracketed(qy)} ${TIMES} ${bracketed(ky)}`,
      length_q: decimal(Math.sqrt(q) / 10),
      length_k: decimal(Math.sqrt(k) / 10),
      degrees: none ? "–" : `${decimal(Math.atan2(Math.abs(cross), dot) * 180 / Math.PI)}°`,
      cosine: none ? "–" : decimal(dot / Math.sqrt(q * k)),
      shadow: q ? decimal(dot / Math.sqrt(q) / 10) : "–",
      dot: decimal(dot / 100),
    },
  };
}

class Arrows extends Telling {
  constructor(parent) { super(parent, "arrows"); }

  update(data, send) {
    if (!this.data) this.build(data);
    super.update(data, send);
  }

  // Nothing counts while a hand is on an arrow.
  take({ q, k }) {
    const given = JSON.stringify([q, k]);
    if (given === this.given || this.held) return;
    this.given = given;
    const inTenths = (arrow) => arrow.map((x) => Math.round(10 * x));
    this.q = inTenths(q);
    this.k = inTenths(k);
  }

  build({ limit }) {
    const edge = limit + 0.6;
    this.limit = 10 * limit;
    this.svg = drawing("svg", { class: "plane", viewBox: `${-edge} ${-edge} ${2 * edge} ${2 * edge}` });
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", TEXTS("arrows"));
    for (let at = -limit; at <= limit; at += 1) {
      const kind = at ? "grid" : "axis";
      this.svg.append(
        drawing("line", { class: kind, x1: at, x2: at, y1: -limit, y2: limit }),
        drawing("line", { class: kind, x1: -limit, x2: limit, y1: at, y2: at }),
      );
    }
    [-limit, limit].forEach((at) => {
      this.svg.append(this.tick(at, at, 0.45), this.tick(at, 0.12, -at + (at > 0 ? 0.1 : 0.3), true));
    });
    this.parts = {};
    ["wedge", "drop", "shadow", "corner"].forEach((name) => this.part(name, "path"));
    this.part("angle", "text");
    ["q", "k"].forEach((name) => {
      this.part(`${name}-line`, "path", `arrow ${name}`);
      this.part(`${name}-name`, "text", `name ${name}`);
    });
    ["q", "k"].forEach((name) => this.handle(name));
    this.svg.append(this.parts["q-name"], this.parts["k-name"]);
    this.root.append(this.svg, this.side());
  }

  tick(number, x, y, upright = false) {
    const text = String(number).replace("-", MINUS);
    return drawing("text", { class: "tick", x, y, "text-anchor": upright ? "start" : "middle" }, text);
  }

  part(name, tag, className = name) {
    this.parts[name] = drawing(tag, { class: className });
    this.svg.append(this.parts[name]);
  }

  side() {
    const side = element("div", "side");
    this.numbers = {};
    const number = (name) => {
      this.numbers[name] = element("span", "number");
      this.numbers[name].dataset.number = name;
      return this.numbers[name];
    };
    const product = element("p", "product");
    product.append(element("span", "q", "q"), "·", element("span", "k", "k"), " = ", number("terms"));
    const result = element("p", "product", "= ");
    result.append(number("dot"));
    this.sign = element("p", "sign");
    this.sign.setAttribute("role", "status");
    const list = element("dl");
    ["q", "k"].forEach((name) => {
      const term = element("dt");
      term.append(element("span", name, name));
      list.append(term, element("dd"));
      list.lastChild.append(number(name));
    });
    ROWS.forEach(([name, symbol]) => {
      const term = element("dt", "", symbol);
      term.append(" ", element("small", "", TEXTS(name)));
      list.append(term, element("dd"));
      list.lastChild.append(number(name));
    });
    side.append(product, result, this.sign, list);
    return side;
  }

  handle(name) {
    const grip = drawing("g", {
      class: `grip ${name}`, tabindex: 0, role: "slider", "aria-label": TEXTS("tip", { name }),
      "aria-valuemin": -this.limit / 10, "aria-valuemax": this.limit / 10,
    });
    grip.dataset.grip = name;
    grip.append(drawing("circle", { class: "reach", r: 0.6 }), drawing("circle", { class: "tip", r: name === "q" ? 0.24 : 0.17 }));
    grip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      grip.focus({ preventScroll: true });
      grip.setPointerCapture(event.pointerId);
      this.held = name;
      this.from = JSON.stringify([this.q, this.k]);
    });
    // A finger on a tip drags the tip, not the page: touch-action alone is not enough inside SVG.
    grip.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    grip.addEventListener("pointermove", (event) => {
      if (this.held !== name || !grip.hasPointerCapture(event.pointerId)) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      this.move(name, 10 * at.x, -10 * at.y);
    });
    ["lostpointercapture", "pointercancel"].forEach((kind) => grip.addEventListener(kind, () => this.release()));
    grip.addEventListener("keydown", (event) => {
      const by = KEYS[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (!this.held) this.from = JSON.stringify([this.q, this.k]);
      this.held = name;
      this.move(name, this[name][0] + by[0], this[name][1] + by[1]);
    });
    ["keyup", "blur"].forEach((kind) => grip.addEventListener(kind, () => this.release()));
    this.parts[`${name}-grip`] = grip;
    this.svg.append(grip);
  }

  move(name, x, y) {
    this[name] = [x, y].map((at) => Math.max(-this.limit, Math.min(this.limit, Math.round(at))) + 0);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  release() {
    if (!this.held) return;
    this.held = "";
    if (JSON.stringify([this.q, this.k]) === this.from) return;
    this.events.tell("drop", { q: this.q.map((x) => x / 10), k: this.k.map((x) => x / 10) });
  }

  draw() {
    const { q, k, parts } = this;
    const { sign, turn, printed } = measure(q, k);
    Object.entries(this.numbers).forEach(([name, made]) => {
      if (made.textContent !== printed[name]) made.textContent = printed[name];
    });
    if (this.sign.textContent !== this.data.words[sign]) this.sign.textContent = this.data.words[sign];
    this.root.dataset.sign = sign;
    /** @type {Record<string, [number, number]>} */
    const tips = { q: [q[0] / 10, -q[1] / 10], k: [k[0] / 10, -k[1] / 10] };
    Object.entries(tips).forEach(([name, tip]) => this.arrow(name, tip, tips[name === "q" ? "k" : "q"], printed[name]));
    const angled = sign !== "none";
    ["wedge", "drop", "shadow", "corner", "angle"].forEach((part) => { parts[part].style.display = angled ? "" : "none"; });
    if (angled) this.projection(tips.q, tips.k, turn);
  }

  arrow(name, [x, y], other, text) {
    const length = Math.hypot(x, y);
    const [ux, uy] = length ? [x / length, y / length] : [0, 0];
    const head = Math.min(0.42, length / 2), half = head * 0.45;
    const [bx, by] = [x - ux * head, y - uy * head];
    this.parts[`${name}-line`].setAttribute("d", length
      ? `M0 0L${bx} ${by}M${x} ${y}L${bx - uy * half} ${by + ux * half}L${bx + uy * half} ${by - ux * half}Z` : "");
    // The name stands beyond the tip, on the side away from the other arrow.
    const away = x * other[1] - y * other[0] > 0 ? -1 : 1;
    const clamp = (at) => Math.max(-this.limit / 10, Math.min(this.limit / 10, at));
    const label = this.parts[`${name}-name`];
    label.setAttribute("x", clamp(x + 0.3 * ux - 0.5 * away * uy));
    label.setAttribute("y", clamp(y + 0.3 * uy + 0.5 * away * ux) + 0.14);
    label.textContent = name;
    const grip = this.parts[`${name}-grip`];
    grip.setAttribute("transform", `translate(${x} ${y})`);
    grip.setAttribute("aria-valuenow", x);
    grip.setAttribute("aria-valuetext", text);
  }

  // k's shadow on q, the line that drops it there, the angle and its mark.
  projection([qx, qy], [kx, ky], turn) {
    const { parts } = this;
    const long = Math.hypot(qx, qy), far = Math.hypot(kx, ky);
    const [ux, uy] = [qx / long, qy / long], [vx, vy] = [kx / far, ky / far];
    const along = kx * ux + ky * uy;
    const [fx, fy] = [along * ux, along * uy];
    parts.shadow.setAttribute("d", `M0 0L${fx} ${fy}`);
    parts.drop.setAttribute("d", `M${kx} ${ky}L${fx} ${fy}`);
    const off = Math.hypot(kx - fx, ky - fy);
    const [nx, ny] = off ? [(kx - fx) / off, (ky - fy) / off] : [0, 0];
    const [sx, sy] = [-Math.sign(along) * ux, -Math.sign(along) * uy], size = 0.22;
    parts.corner.setAttribute("d", off > 0.5 && Math.abs(along) > 0.5
      ? `M${fx + sx * size} ${fy + sy * size}L${fx + (sx + nx) * size} ${fy + (sy + ny) * size}L${fx + nx * size} ${fy + ny * size}` : "");
    const arc = Math.min(0.7, 0.8 * Math.max(long, far));
    parts.wedge.setAttribute("d",
      `M${arc * ux} ${arc * uy}A${arc} ${arc} 0 0 ${turn > 0 ? 0 : 1} ${arc * vx} ${arc * vy}`);
    const [mx, my] = [ux + vx, uy + vy], middle = Math.hypot(mx, my);
    const [cx, cy] = middle > 1e-6 ? [mx / middle, my / middle] : [uy * turn, -ux * turn];
    parts.angle.setAttribute("x", 1.05 * cx);
    parts.angle.setAttribute("y", 1.05 * cy + 0.14);
    parts.angle.textContent = "θ";
  }

  close() {
    cancelAnimationFrame(this.frame);
    super.close();
  }
}

export default componentOf(Arrows);
