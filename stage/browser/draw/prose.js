// What is said around the matrices: symbols in it are set as symbols, in the colour of their role.
// The text stays what it was: it is read aloud, found and copied as d_k.

import { element } from "../dom/elements.js";

const SYMBOL = /(?<!\w)(?:([A-Za-z])_([A-Za-z]+)|([A-Za-z]+)_(\d\w*))(?!\w)/g;

export function write(part, text, roles) {
  if (part.textContent !== text) part.replaceChildren(...symbols(text, roles));
}

// A sentence and its tokens by turns: these are set off from it, and stay as they are. In the place
// of a token may be a cell's number, with the cell: a link to it.
export function writeParts(part, said, roles) {
  part.replaceChildren(...partNodes(said, roles));
}

// What is said of a cell: its array's symbol is set as one, and its tokens stay as they are.
export function writeCell(part, text, roles) {
  if (part.textContent === text) return;
  const [array, ...labels] = text.split("[");
  part.replaceChildren(...symbols(array, roles), ...labels.map((label) => `[${label}`));
}

export function partNodes(said, roles) {
  return said.flatMap((part, n) => (n % 2 ? [setOff(part)] : symbols(part, roles)));
}

function setOff(part) {
  if (!Array.isArray(part)) return element("bdi", "token", part);
  const [number, cell] = part, link = element("a", "leads", number);
  link.href = `#stage-${cell}`;
  return link;
}

export function prose(tag, className, text, roles) {
  const made = element(tag, className);
  made.append(...symbols(text, roles));
  return made;
}

// A text as nodes.
function symbols(text, roles = {}) {
  const made = [];
  let from = 0;
  for (const found of text.matchAll(SYMBOL)) {
    const [name, ...parts] = found, [base, index] = parts.filter(Boolean);
    const symbol = element("span", `symbol ${roles[name] || ""} ${base.length > 1 ? "upright" : ""}`.trim(), base);
    symbol.append(element("span", "under", "_"), element("sub", "", index));
    made.push(text.slice(from, found.index), symbol);
    from = found.index + name.length;
  }
  return [...made, text.slice(from)].filter((part) => part !== "");
}
