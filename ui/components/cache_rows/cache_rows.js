// K and V row by row, as a sentence is written: what is kept is grey, the row that is computed now has
// the colour of its role and drops in. It plays over the tokens by itself and tells where it stops.

import { atPlace, drawnAt, element, minus } from "../../../stage/browser/dom/elements.js";
import { Events } from "../events.js";

const PAUSE = 900; // milliseconds that a token is looked at

class CacheRows {
  constructor(parent) {
    this.root = element("div", "cache");
    this.root.dataset.testid = "cache";
    parent.append(this.root);
    this.events = new Events();
    this.plays = null;
  }

  // What the server says counts, except where it has not heard yet of what was done last.
  update(data, send) {
    this.events.hear(data, send);
    if (this.data && this.data.labels.join() !== data.labels.join()) this.stop();
    this.data = data;
    if (this.events.answered && !this.plays) this.now = data.now;
    this.draw();
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
    root.classList.toggle("present", !!data.present);
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
    const { data, now } = this, { words } = data, bar = element("div", "way");
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
      button("play", this.plays ? `◼ ${words.stop}` : `▶ ${words.play}`, "", () => this.play(), !this.last),
      button("before", "←", words.before, () => this.step(-1), now === 0),
      button("after", "→", words.after, () => this.step(1), now === this.last),
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
    const { data, now } = this, { labels, words } = data, made = element("div", `matrix-of ${name}`);
    const table = element("table", "matrix");
    table.append(element("caption", "symbol", name));
    labels.forEach((label, at) => {
      const line = element("tr"), isNew = at === now, shown = at <= now;
      line.className = !shown ? "later" : isNew ? "new" : data.again ? "again" : "kept";
      if (isNew && this.drawn !== now) line.classList.add("drops");
      const head = element("th", "", label);
      head.scope = "row";
      line.append(head, ...data.rows[name][at].map((text) => element("td", "", shown ? minus(text) : "")));
      line.append(element("td", "how", shown ? words[line.classList[0]] : ""));
      table.append(line);
    });
    made.append(table);
    return made;
  }

  // The work so far, in bars of one scale: with a cache, and without.
  cost() {
    const { data, now } = this, { words } = data, made = element("div", "cost");
    made.append(element("p", "title", words.cost));
    data.costs.forEach(({ name, bars, texts }) => {
      const line = element("div", `work ${name}`), bar = element("i");
      bar.style.width = `${100 * bars[now]}%`;
      line.append(element("span", "name", words[name]), element("b", "", texts[now]), bar);
      made.append(line);
    });
    return made;
  }

  close() {
    this.stop();
    this.root.remove();
  }
}

export default function ({ data: [data], parentElement, setStateValue }) {
  const [rows, leave] = atPlace(parentElement, () => new CacheRows(parentElement));
  rows.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
}
