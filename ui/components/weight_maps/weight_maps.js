// Small matrices of weights beside each other. One that is pressed opens on its stage: the server
// hears of it, and the window goes there as soon as that stage is on the page.

import { element, minus } from "../../../stage/browser/dom/elements.js";
import { componentOf } from "../component.js";
import { Telling } from "../events.js";

class WeightMaps extends Telling {
  constructor(parent) {
    super(parent, "maps");
    this.came = new MutationObserver(() => this.go());
  }

  draw() {
    const { data } = this;
    this.root.style.setProperty("--count", data.labels.length);
    const said = JSON.stringify([data.labels, data.row, data.maps]);
    if (said !== this.said) this.root.replaceChildren(...data.maps.map((map) => this.map(map)));
    this.said = said;
    this.go();
  }

  map({ word, name, weights, texts, stage }) {
    const { labels, row: framed } = this.data, made = element("div", "map");
    made.dataset.map = word;
    const grid = element("span", "grid matrix weights");
    grid.setAttribute("aria-hidden", "true");
    weights.forEach((row, query) => {
      grid.append(element("span", "label", labels[query]));
      row.forEach((weight, key) => {
        const cell = element("i", query < key ? "hidden" : "");
        cell.style.setProperty("--share", `${Math.round(100 * Math.min(Math.max(weight, 0), 1))}%`);
        cell.title = `${labels[query]} ${TEXTS("reads")} ${labels[key]}: ${minus(texts[query][key])}`;
        grid.append(cell);
      });
    });
    const frame = grid.appendChild(element("span", "frame"));
    frame.style.gridRow = framed + 1;
    const open = element("button", "open", `${TEXTS("open")} ↓`);
    open.type = "button";
    open.setAttribute("aria-label", `${name}: ${TEXTS("open")}`);
    made.append(element("span", "name", name), grid, open);
    made.onclick = () => {
      this.goal = stage;
      this.events.tell("map", { word });
      this.came.observe(document.body, { childList: true, subtree: true });
    };
    return made;
  }

  // To the stage that was asked for, once the server has answered and it is there.
  go() {
    const stage = this.goal && this.events.answered && document.querySelector(`.st-key-${this.goal}[data-drawn]`);
    if (!stage) return;
    this.came.disconnect();
    this.goal = null;
    stage.style.scrollMarginTop = "4rem";
    stage.scrollIntoView();
  }

  close() {
    this.came.disconnect();
    super.close();
  }
}

export default componentOf(WeightMaps);
