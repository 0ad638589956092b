// Heads as cards to choose from: a group of radio buttons, each with the map of its weights.

import { atPlace, drawnAt, element } from "../../../stage/browser/dom/elements.js";
import { Telling } from "../events.js";
import { drawWeights, ThemeWatch, unpack } from "./weight_canvas.js";

class HeadCards extends Telling {
  constructor(parent) {
    super(parent, "cards in-colours", { id: "head-cards" });
    this.root.setAttribute("role", "radiogroup");
    this.legend = element("p", "legend in-colours");
    parent.append(this.legend);
    this.cards = [];
    this.theme = new ThemeWatch(this.root, (colours) => { this.colours = colours; this.paint(); });
    this.root.addEventListener("click", ({ target }) => this.choose(target.closest(".card")));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  async update(data, send) {
    this.events.hear(data, send);
    const { root } = this, { title, legend, groups, chosen, present } = data;
    this.legend.textContent = legend;
    this.legend.classList.toggle("present", !!present);
    root.setAttribute("aria-label", title);
    root.classList.toggle("present", !!present);
    const given = JSON.stringify(groups);
    if (given !== this.given) {
      this.given = given;
      this.cards = groups.flatMap(([, cards]) => cards.map((card) => ({ ...card, root: this.card(card) })));
      let at = 0;
      root.replaceChildren(...groups.map(([name, cards]) => {
        const group = element("div", "group"), row = element("div", "row");
        row.append(...cards.map(() => this.cards[at++].root));
        group.append(element("span", "group-name", name), row);
        return group;
      }));
    }
    if (this.events.answered) this.show(chosen);
    await Promise.all(this.cards.map(unpack));
    this.theme.look();
    this.paint();
  }

  card({ word, name, text, measured }) {
    const made = element("button", "card");
    made.type = "button";
    made.dataset.head = word;
    made.setAttribute("role", "radio");
    made.setAttribute("aria-label", `${name}: ${text} (${measured} %)`);
    made.title = text;
    made.append(element("canvas"), element("span", "name", name), element("bdi", "text", text), element("span", "measured", measured));
    return made;
  }

  paint() {
    if (!this.colours) return;
    this.cards.forEach((card) => card.dots && drawWeights(card.root.firstChild, card, this.colours));
  }

  show(chosen) {
    this.cards.forEach(({ word, root }) => {
      root.setAttribute("aria-checked", `${word === chosen}`);
      root.tabIndex = word === chosen ? 0 : -1;
    });
  }

  choose(card) {
    if (!card) return;
    const { head: word } = card.dataset;
    this.show(word);
    card.focus({ preventScroll: true });
    this.events.tell("head", { word });
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const { cards } = this, at = cards.findIndex(({ root }) => root === event.target);
    this.choose(cards[(at + step + cards.length) % cards.length].root);
  }

  close() {
    this.theme.close();
    super.close();
    this.legend.remove();
  }
}

export default function ({ data: [data], parentElement, setStateValue }) {
  const [cards, leave] = atPlace(parentElement, () => new HeadCards(parentElement));
  cards.update(data, setStateValue).then(() => drawnAt(parentElement));
  return leave;
}
