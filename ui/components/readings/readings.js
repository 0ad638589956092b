// Sentences of which one word reads: arcs to what it reads, as wide as their weights, and its row
// before and after. Every number comes from the core as it is printed.

import { element, minus } from "../../../stage/browser/dom/elements.js";
import { drawing, stretched } from "../../../stage/browser/dom/svg.js";
import { Component, componentOf } from "../component.js";

const WIDTH = 100, HIGH = 48; // of a token's place in the drawing, and of the drawing
const THICKEST = 11, THINNEST = 1.5, ASIDE = 14; // where arcs from the left come down
const PERCENT = "\u00a0%";

function arc(from, to, apart, percent) {
  const top = HIGH - (HIGH - 6 - 14 / Math.max(apart, 1)) / 0.75;
  return drawing("path", {
    d: apart
      ? `M${from} ${HIGH}C${from} ${top} ${to - ASIDE} ${top} ${to - ASIDE} ${HIGH}`
      : `M${to - 4} ${HIGH}C${to - 22} ${HIGH / 3} ${to + 22} ${HIGH / 3} ${to + 4} ${HIGH}`,
    "stroke-width": THINNEST + ((THICKEST - THINNEST) * percent) / 100,
    "vector-effect": "non-scaling-stroke",
  });
}

// Above the words; wide as they are, whatever that is.
function arcs({ tokens, query, reads }) {
  const middle = (at) => (at + 0.5) * WIDTH;
  return stretched(tokens.length * WIDTH, HIGH, ...reads.flatMap((text, at) => {
    const percent = Number(text.replace(/\D/, ""));
    return percent ? [arc(middle(at), middle(query), Math.abs(query - at), percent)] : [];
  }));
}

function words({ tokens, query, reads }) {
  const list = element("ol", "words");
  list.append(...tokens.map((token, at) => {
    const item = element("li"), chip = element("bdi", at === query ? "chip asks" : "chip", token);
    item.append(chip, element("span", "percent", reads[at] ? reads[at] + PERCENT : ""));
    return item;
  }));
  return list;
}

function cell([text, part], isLargest) {
  const made = element("td", isLargest ? "largest" : "", minus(text));
  made.style.setProperty("--part", `${part}%`);
  return made;
}

function rows({ tokens, query, features, before, after, largest }) {
  const table = element("table"), head = table.createTHead().insertRow();
  head.append(element("td"), ...features.map((feature) => {
    const made = element("th", "", feature);
    made.scope = "col";
    return made;
  }));
  const body = table.createTBody();
  [["before", before, -1], ["after", after, largest]].forEach(([when, cells, at]) => {
    const row = body.insertRow(), name = element("th");
    name.scope = "row";
    name.append(element("bdi", "token", tokens[query]), ` ${when}`);
    row.append(name, ...cells.map((one, n) => cell(one, n === at)));
  });
  return table;
}

function picture(reading) {
  const made = element("figure"), caption = element("figcaption", "", `${reading.said} `);
  caption.append(element("span", "total", reading.total));
  made.append(caption, arcs(reading), words(reading), rows(reading));
  return made;
}

class Readings extends Component {
  constructor(parent) { super(parent, "readings"); }

  update(readings) {
    this.root.replaceChildren(...readings.map(picture));
  }
}

export default componentOf(Readings);
