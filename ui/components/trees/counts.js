// How much each key counts, and the merged value next to that of all keys at once. These are methods
// of the trees; trees.js takes them over.

import { element, minus } from "../../../stage/browser/dom/elements.js";

/** @satisfies {ThisType<import("./trees.js").Trees>} */
export const Counts = {
  // A bar for each key; a key that is counted more than once has as many bars.
  bars() {
    const { data, forest, covering } = this, made = element("div", "bars");
    made.setAttribute("role", "img");
    const times = data.labels.map((_, at) => forest.timesOf(at + 1));
    const { sizes, texts } = data.counts, most = Math.max(1, ...sizes.map((size, at) => size * times[at]));
    const spoken = texts.map((text, at) => `${at + 1}: ${times[at] > 1 ? `${times[at]} × ` : ""}${minus(text)}`);
    made.setAttribute("aria-label", `${TEXTS("board_counts")}: ${covering ? TEXTS("board_covered") : spoken.join(", ")}`);
    sizes.forEach((size, at) => {
      const column = element("div", "column"), pile = element("div", "pile weights");
      Array.from({ length: Math.max(1, times[at]) }, (_, n) => {
        const bar = element("i", n ? "again" : "");
        bar.style.height = `${covering ? 30 : (100 * size) / most}%`;
        pile.append(bar);
      });
      column.append(element("span", "count", covering ? "?" : minus(texts[at])), pile, element("b", "", `{${at + 1}}`));
      made.append(column);
    });
    return made;
  },

  // The merged value next to that of all keys at once; dots until the server has sent them.
  result() {
    const { data, covering } = this, { merged, whole, off } = data.counts;
    const made = element("p", "result");
    if (!this.forest.isOneTree) return made;
    const known = this.events.answered && merged && !covering;
    const wrong = known && off;
    made.classList.toggle("off", !!wrong);
    const number = (text, label) => {
      const part = element("span", "part");
      part.append(element("b", "", covering ? "?" : known ? minus(text) : "…"), element("small", "", label));
      return part;
    };
    made.append(number(merged, TEXTS("board_merged")), element("b", "sign", wrong ? "≠" : "="), number(whole, TEXTS("board_whole")));
    return made;
  },

  // Says the merged value, and which keys count more than once, whenever they change.
  announce() {
    const { data, forest, covering } = this, { merged, whole, off } = data.counts;
    if (!forest.isOneTree || !this.events.answered || !merged) return;
    const twice = data.labels.map((_, at) => at + 1).filter((key) => forest.timesOf(key) > 1);
    const message = [
      ...(covering ? [] : [`${minus(merged)} ${TEXTS("board_merged")} ${off ? "≠" : "="} ${minus(whole)} ${TEXTS("board_whole")}.`]),
      ...(twice.length ? [TEXTS("board_twice").replace("…", twice.join(", "))] : []),
    ].join(" ");
    const now = `${this.text} ${message}`;
    if (this.announced && this.announced !== now) this.announcer.say(message);
    this.announced = now;
  },
};
