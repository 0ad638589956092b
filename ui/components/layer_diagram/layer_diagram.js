// A layer's boxes with the rows of the tokens as lines through them: from the left each row comes in,
// and a line leads to each row that it moves. What is lit follows from the token that is pressed.

import { element } from "../../../stage/browser/dom/elements.js";
import { drawing, stretched } from "../../../stage/browser/dom/svg.js";
import { componentOf } from "../component.js";
import { Telling } from "../events.js";

const ROW = 32; // its height in a drawing, which is stretched to that of its token

class LayerDiagram extends Telling {
  constructor(parent) {
    super(parent, "layer");
    this.root.setAttribute("role", "group");
  }

  take({ chosen }) { this.chosen = chosen; }

  draw() {
    const { root, data } = this, { labels, boxes } = data;
    const focused = root.getRootNode().activeElement?.dataset?.token;
    root.setAttribute("aria-label", TEXTS("diagram"));
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
    const { labels } = this.data, made = element("div", "tokens");
    labels.forEach((label, token) => {
      const button = element("button", "token", label);
      button.type = "button";
      button.title = `${TEXTS("press")} ${label}`;
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
    const { labels } = this.data;
    const mixes = alone.some((moved, one) => moved.some((row, other) => row && one !== other));
    const made = element("div", mixes ? "box mixes weights" : "box");
    made.dataset.array = array;
    const link = element("a", "name", name);
    const rows = labels.filter((_, row) => inside[this.chosen][row]);
    link.href = `#stage-${array}`;
    link.title = TEXTS("look");
    link.setAttribute("aria-label", `${name}: ${rows.length ? `${TEXTS("changes")} ${rows.join(", ")}` : TEXTS("no_row")}; ${TEXTS("look")}`);
    made.append(link, this.lines(alone, before), element("p", "how", mixes ? TEXTS("mixes") : TEXTS("apart")));
    return made;
  }

  // A line for each row that a row moves; those that carry a change stand out, and stand above.
  lines(alone, before) {
    const y = (row) => (row + 0.5) * ROW;
    const carrying = (lit) => alone.flatMap((moved, from) => (!!before[from] === lit ? moved : []).flatMap((row, to) => (
      row ? [drawing("path", { d: `M0,${y(from)} C50,${y(from)} 50,${y(to)} 100,${y(to)}`, class: lit ? "changed" : "" })] : [])));
    return stretched(100, alone.length * ROW, ...carrying(false), ...carrying(true));
  }

  // What a sum adds goes around the boxes between: from before the box `from` to the box `to`.
  around(from, to) {
    const made = element("div", "around", TEXTS("adds")), wide = 2 * (to - from) + 1;
    made.style.gridColumn = `${2 * from + 2} / span ${wide + 1}`;
    made.style.setProperty("--end", `${50 / (to - from + 1)}%`);
    return made;
  }
}

export default componentOf(LayerDiagram);
