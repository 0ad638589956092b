// Two sentences, one above the other: each token with its row after attention, and a line from it to
// the same token below. The line is whole where both rows are the same, else broken.

import { element, minus } from "../../../stage/browser/dom/elements.js";
import { drawing, stretched } from "../../../stage/browser/dom/svg.js";
import { barButton, barGroup } from "../buttons.js";
import { componentOf } from "../component.js";
import { Telling } from "../events.js";

const SWITCHES = { mask: "board_mask", places: "board_positions" };

class TwoOrders extends Telling {
  constructor(parent) { super(parent, "orders"); }

  take({ chosen }) { this.chosen = chosen; }

  draw() {
    const { root, data, chosen } = this, { tokens, rows, place, same } = data.cases[`${chosen.mask} ${chosen.places}`];
    const focused = root.getRootNode().activeElement?.dataset?.option;
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
      const group = barGroup(TEXTS(SWITCHES[name]), ...Object.entries(options).map(([option, word]) => {
        const button = barButton(word, () => this.choose({ ...chosen, [name]: option }), chosen[name] === option);
        button.dataset.option = `${name} ${option}`;
        return button;
      }));
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", TEXTS(SWITCHES[name]));
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
    const count = place.length, made = element("div", "lines");
    const middle = (at) => (100 * (at + 0.5)) / count;
    made.append(stretched(100, 100, ...place.map((below, above) => drawing("line", {
      x1: middle(above), y1: 0, x2: middle(below), y2: 100, class: same[above] ? "same" : "other",
    }))));
    // Lines cross in the middle: what is said of each stands on its upper part.
    place.forEach((below, above) => {
      const said = element("span", same[above] ? "said same" : "said other", same[above] ? "= " : "≠ ");
      said.append(element("span", "long", same[above] ? TEXTS("board_same") : TEXTS("board_other")));
      said.style.left = `${middle(above) + 0.22 * (middle(below) - middle(above))}%`;
      made.append(said);
    });
    return made;
  }
}

export default componentOf(TwoOrders);
