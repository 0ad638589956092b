// One search of a library, from the question down: a search text meets every title, as well as the
// two fit, and so much of each content comes back. Every text comes from the server.

import { atPlace, drawnAt, element } from "../../../stage/browser/dom/elements.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 100, HIGH = 40; // of an entry's place in the drawing, and of the drawing
const THICKEST = 14, THINNEST = 1.5;
const PERCENT = "\u00a0%";

// From the middle to each entry, or from each to the middle; as wide as they are, whatever that is.
function lines(entries, turned) {
  const svg = document.createElementNS(SVG, "svg"), middle = (entries.length * WIDTH) / 2;
  svg.setAttribute("viewBox", `0 0 ${entries.length * WIDTH} ${HIGH}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(...entries.map(({ part }, at) => {
    const own = (at + 0.5) * WIDTH, [from, to] = turned ? [own, middle] : [middle, own];
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", `M${from} 0C${from} ${HIGH / 2} ${to} ${HIGH / 2} ${to} ${HIGH}`);
    path.setAttribute("stroke-width", THINNEST + ((THICKEST - THINNEST) * Number(part.replace(/\D/, ""))) / 100);
    path.setAttribute("vector-effect", "non-scaling-stroke");
    return path;
  }));
  return svg;
}

// A card: which part it plays, whose it is, and what stands on it.
function card(role, part, token, said) {
  const made = element("div", `card ${role}`), line = element("div");
  line.append(element("bdi", "token", token), said);
  made.append(element("small", "", part), line);
  return made;
}

function picture({ token, entries, best, words }) {
  const books = element("ul", "books");
  books.append(...entries.map((entry, at) => {
    const book = element("li", at === best ? "best" : "");
    book.append(
      card("key", words.key, entry.token, `: ${entry.title}`),
      element("span", "fit", words.fits[at]), element("span", "part", entry.part + PERCENT),
      card("value", words.value, entry.token, `: ${entry.content}`),
    );
    return book;
  }));
  return [
    card("query", words.query, token, ` ${words.asks}`),
    lines(entries, false), books, lines(entries, true),
    card("value", words.result, token, ` ${words.gets}`),
  ];
}

class Library {
  constructor(parentElement) {
    this.root = element("div", "library");
    this.root.setAttribute("role", "group");
    parentElement.append(this.root);
  }

  update(search) {
    this.root.setAttribute("aria-label", search.words.label);
    this.root.replaceChildren(...picture(search));
  }

  close() {
    this.root.remove();
  }
}

export default function ({ data: [data], parentElement }) {
  const [library, leave] = atPlace(parentElement, () => new Library(parentElement));
  library.update(data);
  drawnAt(parentElement);
  return leave;
}
