// Two sentences, one above the other: each token with its row after attention, and a line from it to
// the same token below. The line is whole where both rows are the same, else broken.

import { atPlace, drawnAt, element, minus } from "../../../stage/browser/dom/elements.js";
import { Events } from "../events.js";

const SVG = "http://www.w3.org/2000/svg";

class TwoOrders {
  constructor(parent) {
    this.root = element("div", "orders");
    this.root.dataset.testid = "orders";
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
    const { root, data, chosen } = this, { tokens, rows, place, same } = data.cases[`${chosen.mask} ${chosen.places}`];
    const focused = root.getRootNode().activeElement?.dataset?.option;
    root.classList.toggle("present", !!data.present);
    root.style.setProperty("--count", tokens[0].length);
    const sentences = tokens.map((sentence, at) => {
      const made = element("div", "sentence");
      made.append(...sentence.map((token, n) => this.token(token, rows[at][n], same[at ? place.indexOf(n) : n])));
      return made;
    });
    root.replaceChildren(this.switches(), sentences[0], this.lines(place, same), sentences[1]);
    if (focused) root.querySelector(`[data-option="${focused}"]`)?.focus({ preventScroll: true });
  }

  switches() {
    const { data, chosen } = this, bar = element("div", "bar");
    Object.entries(data.switches).forEach(([name, options]) => {
      const group = element("span", "group");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", data.words[name]);
      group.append(element("span", "word", data.words[name]));
      Object.entries(options).forEach(([option, word]) => {
        const button = element("button", "", word);
        button.type = "button";
        button.dataset.option = `${name} ${option}`;
        button.setAttribute("aria-pressed", String(chosen[name] === option));
        button.onclick = () => this.choose({ ...chosen, [name]: option });
        group.append(button);
      });
      bar.append(group);
    });
    return bar;
  }

  choose(chosen) {
    this.chosen = chosen;
    this.events.tell("chosen", chosen);
    this.draw();
  }

  token(token, row, same) {
    const made = element("div", "token");
    made.append(element("b", "", token));
    const numbers = element("span", "numbers");
    numbers.append(...row.map((text) => element("i", same ? "" : "other", minus(text))));
    made.append(numbers);
    return made;
  }

  // From the middle of a token above to the middle of the same one below.
  lines(place, same) {
    const { words } = this.data, count = place.length, made = element("div", "lines");
    const svg = document.createElementNS(SVG, "svg"), middle = (at) => (100 * (at + 0.5)) / count;
    svg.setAttribute("viewBox", "0 0 100 100");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    place.forEach((below, above) => {
      const line = document.createElementNS(SVG, "line");
      Object.entries({ x1: middle(above), y1: 0, x2: middle(below), y2: 100 }).forEach(([name, at]) => line.setAttribute(name, at));
      line.setAttribute("class", same[above] ? "same" : "other");
      svg.append(line);
    });
    made.append(svg);
    // Lines cross in the middle: what is said of each stands on its upper part.
    place.forEach((below, above) => {
      const said = element("span", same[above] ? "said same" : "said other", same[above] ? "= " : "≠ ");
      said.append(element("span", "long", same[above] ? words.same : words.other));
      said.style.left = `${middle(above) + 0.22 * (middle(below) - middle(above))}%`;
      made.append(said);
    });
    return made;
  }

  close() {
    this.root.remove();
  }
}

export default function ({ data: [data], parentElement, setStateValue }) {
  const [orders, leave] = atPlace(parentElement, () => new TwoOrders(parentElement));
  orders.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
}
