// Formulas: the trees of core/program/formulas.py as native MathML.

import { minus } from "../dom/elements.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
export function math(tag, ...children) {
  const made = document.createElementNS(MATHML, tag);
  made.append(...children);
  return made;
}

// `roles` says which part an array plays; each role is a class, and so a colour.
export function mathNode([kind, ...rest], roles) {
  const inside = (node) => mathNode(node, roles);
  if (kind === "name") {
    const [letter, sub, array] = rest;
    return played(sub ? math("msub", math("mi", letter), math("mi", sub)) : math("mi", letter), roles[array]);
  }
  if (kind === "word") return played(math("mi", rest[0]), rest[1]);
  if (kind === "number") return math("mn", minus(rest[0]));
  if (kind === "text") return math("mtext", rest[0]);
  if (kind === "mark") return operator(rest[0]);
  if (kind === "sup") return math("msup", inside(rest[0]), inside(rest[1]));
  if (kind === "sqrt") return math("msqrt", inside(rest[0]));
  if (kind === "over") return math("mfrac", inside(rest[0]), inside(rest[1]));
  if (kind === "indent") return math("mrow", room({ width: "1.2em" }), inside(rest[0]));
  if (kind === "step") return inside(rest[1]);
  return math("mrow", ...rest.flatMap((node, place) => (
    place && parted(rest[place - 1], node) ? [room({ width: "0.17em" }), inside(node)] : [inside(node)]
  )));
}

// Whether two neighbours would read as one word.
function parted(...neighbours) {
  const isWord = ([kind, text]) => kind === "word" || (kind === "name" && text.length > 1);
  return neighbours.every(([kind]) => kind !== "mark") && neighbours.some(isWord);
}

// A sign stands between two terms and a bracket at one, also where a piece of a formula begins or ends
// with it; the sign of a number is in the number. Brackets around numbers and names are of the size of
// these; numbers are parted by more than a hair.
const FORMS = { infix: "+−=≈×/·⊗,;", prefix: "([", postfix: ")]" };
function operator(text) {
  if (text === "T") return math("mi", text);
  const made = math("mo", text);
  const form = Object.keys(FORMS).find((name) => FORMS[name].includes(text));
  if (form) made.setAttribute("form", form);
  if ("()[]".includes(text)) made.setAttribute("stretchy", "false");
  if (text === ",") made.setAttribute("rspace", "0.28em");
  return made;
}

// Room of such a `width`, or such a `height` and `depth`.
export function room(sides) {
  const made = math("mspace");
  Object.entries(sides).forEach(([side, length]) => made.setAttribute(side, length));
  return made;
}

function played(node, role) {
  if (role) node.setAttribute("class", role);
  return node;
}

export function mathOf(tree, roles) {
  return math("math", mathNode(tree, roles));
}
