// K and V row by row, as a sentence is written: what is kept is grey, the row that is computed now has
// the colour of its role and drops in. It plays over the tokens by itself and tells where it stops.

import { element, minus } from "../../../stage/browser/dom/elements.js";
import { componentOf } from "../component.js";
import { Telling } from "../events.js";

const PAUSE = 900; // milliseconds that a token is looked at
const HOW = { new: "new_row", kept: "kept_row", again: "again_row" };
const BARS = { with: "with_bar", without: "without_bar" };

class CacheRows extends Telling {
  constructor(parent) { super(parent, "cache"); }

  update(data, send) {
    if (this.data && this.data.labels.join() !== data.labels.join()) this.stop();
    super.update(data, send);
  }

  take({ now }) {
    if (!this.plays) this.now = now;
  }

  get last() { return this.data.labels.length - 1; }

  to(token) {
    this.now = Math.min(Math.max(token, 0), this.last);
    if (!this.plays) this.events.tell("token", { token: this.now });
    this.draw();
  }

  play() {
    if (this.plays) {
      this.stop();
      return this.to(this.now);
    }
    this.plays = setInterval(() => {
      if (this.now >= this.last - 1) this.stop();
      this.to(this.now + 1);
    }, PAUSE);
    this.to(this.now >= this.last ? 0 : this.now + 1);
    if (this.now >= this.last) this.play();
  }

  stop() {
    clearInterval(this.plays);
    this.plays = null;
  }

  draw() {
    const { root, data, now } = this;
    const focused = root.getRootNode().activeElement?.dataset?.act;
    root.style.setProperty("--rows", data.labels.length);
    root.classList.toggle("many", data.labels.length > 10);
    root.dataset.token = now + 1;
    const parts = element("div", "parts");
    parts.append(...["K", "V"].map((name) => this.matrix(name)), this.cost());
    root.replaceChildren(this.bar(), parts);
    this.drawn = now;
    if (focused) root.querySelector(`[data-act="${focused}"]`)?.focus({ preventScroll: true });
  }

  bar() {
    const { data, now } = this, bar = element("div", "way");
    const button = (act, text, label, does, off) => {
      const made = element("button", act, text);
      made.type = "button";
      made.dataset.act = act;
      if (label) made.setAttribute("aria-label", label);
      made.disabled = !!off;
      made.onclick = does;
      return made;
    };
    bar.append(
      button("play", this.plays ? `◼ ${TEXTS("stop")}` : `▶ ${TEXTS("play")}`, "", () => this.play(), !this.last),
      button("before", "←", TEXTS("one_back"), () => this.step(-1), now === 0),
      button("after", "→", TEXTS("next_token"), () => this.step(1), now === this.last),
    );
    const written = element("span", "written");
    written.append(...data.labels.slice(0, now + 1).map((label, at) => element("span", at === now ? "new" : "", label)));
    bar.append(written);
    return bar;
  }

  step(by) {
    this.stop();
    this.to(this.now + by);
  }

  matrix(name) {
    const { data, now } = this, { labels } = data, made = element("div", `matrix-of ${name}`);
    const table = element("table", "matrix");
    table.append(element("caption", "symbol", name));
    labels.forEach((label, at) => {
      const line = element("tr"), isNew = at === now, shown = at <= now;
      line.className = !shown ? "later" : isNew ? "new" : data.again ? "again" : "kept";
      if (isNew && this.drawn !== now) line.classList.add("drops");
      const head = element("th", "", label);
      head.scope = "row";
      line.append(head, ...data.rows[name][at].map((text) => element("td", "", shown ? minus(text) : "")));
      line.append(element("td", "how", shown ? TEXTS(HOW[line.classList[0]]) : ""));
      table.append(line);
    });
    made.append(table);
    return made;
  }

  // The work so far, in bars of one scale: with a cache, and without.
  cost() {
    const { data, now } = this, made = element("div", "cost");
    made.append(element("p", "title", TEXTS("work_so_far")));
    data.costs.forEach(({ name, bars, texts }) => {
      const line = element("div", `work ${name}`), bar = element("i");
      bar.style.width = `${100 * bars[now]}%`;
      line.append(element("span", "name", TEXTS(BARS[name])), element("b", "", texts[now]), bar);
      made.append(line);
    });
    return made;
  }

  close() {
    this.stop();
    super.close();
  }
}

export default componentOf(CacheRows);
