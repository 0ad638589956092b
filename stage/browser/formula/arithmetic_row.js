// A row of arithmetic, which breaks where its room ends: before a sign between two terms, and inside a
// term that is too long by itself also between factors, after a comma and before a sign.

import { element } from "../dom/elements.js";
import { math, mathNode, room } from "./formula.js";

const RELATIONS = "=≈", BETWEEN = "+−";
// A token of more letters may break too.
const LONG = 16;

// A formula without the rows that it is nested in.
function flat([kind, ...rest]) {
  if (kind === "row") return rest.flatMap(flat);
  return kind === "step" ? flat(rest[1]) : [[kind, ...rest]];
}

// The terms of a row, each as the pieces that it may break into.
function terms(nodes) {
  const found = [];
  let depth = 0, before = "";
  nodes.forEach((node) => {
    const [kind, text] = node, sign = kind === "mark" ? text : "", long = kind === "text" && text.length > LONG;
    const parts = BETWEEN.includes(sign || " ") && before !== "(";
    if (")]".includes(sign || " ")) depth -= 1;
    if (!found.length || (!depth && (parts || RELATIONS.includes(sign || " ")))) found.push([[node]]);
    else if (parts || long || before === "," || (before === ")" && sign === "(")) found.at(-1).push([node]);
    else found.at(-1).at(-1).push(node);
    if ("([".includes(sign || " ")) depth += 1;
    before = sign;
  });
  return found;
}

// As high as its neighbours, its fractions of full size.
function displayed(nodes, roles) {
  const made = math("math", room({ height: "0.8em", depth: "0.3em" }), mathNode(["row", ...nodes], roles));
  made.setAttribute("displaystyle", "true");
  made.querySelectorAll("mtext").forEach((token) => {
    if (token.textContent.length > LONG) token.replaceChildren(element("span", "long", token.textContent));
  });
  return made;
}

export function arithmeticRow(tree, roles) {
  const [kind, inner] = tree, indented = kind === "indent";
  const row = element("div", indented ? "further" : "");
  row.append(...terms(flat(indented ? inner : tree)).map((pieces) => {
    const term = element("span", "term");
    term.append(...pieces.map((nodes) => displayed(nodes, roles)));
    return term;
  }));
  return row;
}
