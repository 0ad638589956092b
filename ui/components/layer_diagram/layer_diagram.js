// A layer's boxes with the rows of the tokens as lines through them: from the left each row comes in,
// and a line leads to each row that it moves. What is lit follows from the token that is pressed.

import { atPlace, drawnAt, element } from "../../../stage/browser/dom/elements.js";
import { Events } from "../events.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 32; // its height in a drawing, which is stretched to that of its token

class LayerDiagram {
  constructor(parent) {
    this.root = element("div", "layer");
    this.root.dataset.testid = "layer";
    this.root.setAttribute("role", "group");
    parent.append(this.root);
    this.events = new Events();
  }

  // What the server says counts, except where it has not heard yet of what was pressed last.
  update(data, send) {
    this.events.hear(data, send);
    this.data = data;
    if (this.events.answered) this.chosen = data.chosen;
    this.draw();
  }

  draw() {
    const { root, data } = this, { labels, boxes, words } = data;
    const focused = root.getRootNode().activeElement?.dataset?.token;
    root.setAttribute("aria-label", words.title);
    root.classList.toggle("present", !!data.present);
    root.style.setProperty("--boxes", boxes.length);
    root.style.setProperty("--rows", labels.length);
    const came = labels.map((_, row) => row === this.chosen);
    const parts = [this.tokens(), this.dots(came)];
    boxes.forEach((box, at) => {
      const before = at ? boxes[at - 1].inside[this.chosen] : came;
      parts.push(this.box(box, before), this.dots(box.inside[this.chosen]));
      if (box.adds !== null) parts.push(this.around(box.adds + 1, at));
    });
    root.replaceChildren(...parts);
    if (focused !== undefined) this.root.querySelector(`[data-token="${focused}"]`)?.focus({ preventScroll: true });
  }

  tokens() {
    const { labels, words } = this.data, made = element("div", "tokens");
    labels.forEach((label, token) => {
      const button = element("button", "token", label);
      button.type = "button";
      button.title = `${words.press} ${label}`;
      button.dataset.token = token;
      button.setAttribute("aria-label", button.title);
      button.setAttribute("aria-pressed", String(token === this.chosen));
      button.onclick = () => this.press(token);
      made.append(button);
    });
    return made;
  }

  press(token) {
    if (token === this.chosen) return;
    this.chosen = token;
    this.events.tell("token", { token });
    this.draw();
  }

  // The rows between two boxes: those that have changed are filled.
  dots(changed) {
    const made = element("div", "dots");
    made.setAttribute("aria-hidden", "true");
    made.append(...changed.map((row) => element("i", row ? "changed" : "")));
    return made;
  }

  box({ name, array, alone, inside }, before) {
    const { labels, words } = this.data;
    const mixes = alone.some((moved, one) => moved.some((row, other) => row && one !== other));
    const made = element("div", mixes ? "box mixes weights" : "box");
    made.dataset.array = array;
    const link = element("a", "name", name);
    const rows = labels.filter((_, row) => inside[this.chosen][row]);
    link.href = `#stage-${array}`;
    link.title = words.look;
    link.setAttribute("aria-label", `${name}: ${rows.length ? `${words.changes} ${rows.join(", ")}` : words.none}; ${words.look}`);
    made.append(link, this.lines(alone, before), element("p", "how", mixes ? words.mixes : words.apart));
    return made;
  }

  // A line for each row that a row moves; those that carry a change stand out, and stand above.
  lines(alone, before) {
    const high = alone.length * ROW, svg = document.createElementNS(SVG, "svg");
    Object.entries({ viewBox: `0 0 100 ${high}`, preserveAspectRatio: "none", "aria-hidden": "true" })
      .forEach(([name, value]) => svg.setAttribute(name, value));
    const y = (row) => (row + 0.5) * ROW;
    const made = alone.flatMap((moved, from) => moved.flatMap((row, to) => {
      if (!row) return [];
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M0,${y(from)} C50,${y(from)} 50,${y(to)} 100,${y(to)}`);
      path.setAttribute("class", before[from] ? "changed" : "");
      return [path];
    }));
    const isLit = (path) => path.getAttribute("class") === "changed";
    svg.append(...made.filter((path) => !isLit(path)), ...made.filter(isLit));
    return svg;
  }

  // What a sum adds goes around the boxes between: from before the box `from` to the box `to`.
  around(from, to) {
    const made = element("div", "around", this.data.words.adds), wide = 2 * (to - from) + 1;
    made.style.gridColumn = `${2 * from + 2} / span ${wide + 1}`;
    made.style.setProperty("--end", `${50 / (to - from + 1)}%`);
    return made;
  }

  close() {
    this.root.remove();
  }
}

export default function ({ data: [data], parentElement, setStateValue }) {
  const [diagram, leave] = atPlace(parentElement, () => new LayerDiagram(parentElement));
  diagram.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
}
