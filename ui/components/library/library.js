// One search of a library, from the question down: a search text meets every title, as well as the
// two fit, and so much of each content comes back. Every text comes from the server.

import { element, minus } from "../../../stage/browser/dom/elements.js";
import { drawing, stretched } from "../../../stage/browser/dom/svg.js";
import { Component, componentOf } from "../component.js";

const WIDTH = 100, HIGH = 40; // of an entry's place in the drawing, and of the drawing
const THICKEST = 14, THINNEST = 1.5;
const PERCENT = "\u00a0%";

// From the middle to each entry, or from each to the middle; as wide as they are, whatever that is.
function lines(entries, turned) {
  const wide = entries.length * WIDTH, middle = wide / 2;
  return stretched(wide, HIGH, ...entries.map(({ part }, at) => {
    const own = (at + 0.5) * WIDTH, [from, to] = turned ? [own, middle] : [middle, own];
    return drawing("path", {
      d: `M${from} 0C${from} ${HIGH / 2} ${to} ${HIGH / 2} ${to} ${HIGH}`,
      "stroke-width": THINNEST + ((THICKEST - THINNEST) * Number(part.replace(/\D/, ""))) / 100,
      "vector-effect": "non-scaling-stroke",
    });
  }));
}

// A card: which part it plays, whose it is, and what stands on it.
function card(role, part, token, said) {
  const made = element("div", `card ${role}`), line = element("div");
  line.append(element("bdi", "token", token), said);
  made.append(element("small", "", part), line);
  return made;
}

function picture({ token, entries, best, asks, returned }) {
  const books = element("ul", "books");
  books.append(...entries.map((entry, at) => {
    const book = element("li", at === best ? "best" : "");
    book.append(
      card("key", TEXTS("library_key"), entry.token, `: ${entry.title}`),
      element("span", "fit", TEXTS("library_fit", { number: minus(entry.fit) })), element("span", "part", entry.part + PERCENT),
      card("value", TEXTS("library_value"), entry.token, `: ${entry.content}`),
    );
    return book;
  }));
  return [
    card("query", TEXTS("library_query"), token, ` ${TEXTS("library_asks", { topics: asks })}`),
    lines(entries, false), books, lines(entries, true),
    card("value", TEXTS("library_returned"), token, ` ${TEXTS("library_gets", { row: returned })}`),
  ];
}

class Library extends Component {
  constructor(parent) {
    super(parent, "library");
    this.root.setAttribute("role", "group");
  }

  update(search) {
    this.root.setAttribute("aria-label", TEXTS("library_label"));
    this.root.replaceChildren(...picture(search));
  }
}

export default componentOf(Library);
