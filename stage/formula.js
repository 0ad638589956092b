// Formulas: the trees of core/program/formulas.py as native MathML, and the formula bar made of them.

const MATHML = "http://www.w3.org/1998/Math/MathML";
function math(tag, ...children) {
  const made = document.createElementNS(MATHML, tag);
  made.append(...children);
  return made;
}

// `roles` says which part an array plays; each role is a class, and so a colour.
function mathNode([kind, ...rest], roles) {
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

// A sign of a number is in the number: + and − stand between two terms, also where a row begins.
// Brackets around numbers and names are of the size of these; numbers are parted by more than a hair.
function operator(text) {
  if (text === "T") return math("mi", text);
  const made = math("mo", text);
  if ("+−".includes(text)) made.setAttribute("form", "infix");
  if ("()[]".includes(text)) made.setAttribute("stretchy", "false");
  if (text === ",") made.setAttribute("rspace", "0.28em");
  return made;
}

// Room of such a `width`, or such a `height` and `depth`.
function room(sides) {
  const made = math("mspace");
  Object.entries(sides).forEach(([side, length]) => made.setAttribute(side, length));
  return made;
}

function played(node, role) {
  if (role) node.setAttribute("class", role);
  return node;
}

function mathOf(tree, roles) {
  return math("math", mathNode(tree, roles));
}

// A formula that has a line to itself: as high as its neighbours, its fractions of full size.
function displayed(tree, roles) {
  const made = math("math", room({ height: "0.8em", depth: "0.3em" }), mathNode(tree, roles));
  made.setAttribute("displaystyle", "true");
  return made;
}

// A formula cut into pieces, each belonging to the innermost step that wrote it.
function pieces(tree, owner, found = []) {
  const [kind, ...rest] = tree;
  if (kind === "step") pieces(rest[1], rest[0], found);
  else if (kind === "row") rest.forEach((part) => pieces(part, owner, found));
  else {
    const last = found[found.length - 1];
    if (last && last.owner === owner) last.nodes.push(tree);
    else found.push({ owner, nodes: [tree] });
  }
  return found;
}

// The bar: each piece that first names a step is a button to it; later brackets only follow suit,
// on the line of what they follow.
class FormulaBar {
  constructor() {
    this.root = element("div", "formula");
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "The formula; each part goes to its step");
    this.parts = [];
  }

  // The formulas anew, those inside a closed stop left out; `go` is called with the step of the part
  // that is pressed.
  build(all, stops, roles, go) {
    const seen = new Set(stops.flatMap(({ names, minis }) => [...names, ...minis]));
    const closed = new Set(stops.flatMap((stop) => innermost(stop).flatMap(({ names }) => names)));
    const formulas = all.filter(([, owner]) => seen.has(owner) || !closed.has(owner));
    const stopOf = (step) => stops.findIndex((stop) => [stop, ...innermost(stop)].some(({ names }) => names.includes(step)));
    this.parts = [];
    this.root.replaceChildren(...formulas.map((tree) => {
      const line = element("span", "definition");
      const named = new Set();
      pieces(tree, "").forEach(({ owner, nodes }) => {
        const stop = stopOf(owner);
        const bracket = named.has(owner) && nodes.every(([kind]) => kind === "mark");
        const part = element(bracket ? "span" : "button");
        part.append(mathOf(["row", ...nodes], roles));
        if (!bracket) {
          named.add(owner);
          part.type = "button";
          part.dataset.step = owner;
          part.onclick = () => go(owner);
        }
        if (!bracket || !line.lastChild) line.append(element("span", "unbroken"));
        line.lastChild.append(part);
        this.parts.push({ part, stop });
      });
      return line;
    }));
  }

  // What is being computed is lit, what is done is dark.
  light(current, stops) {
    this.parts.forEach(({ part, stop }) => {
      part.className = `part ${stop === current ? "now" : stop < current ? "done" : "later"}`;
      if (part.type !== "button") return;
      part.setAttribute("aria-label", `${stops[stop].title}: ${part.dataset.step}`);
      if (stop === current) part.setAttribute("aria-current", "step");
      else part.removeAttribute("aria-current");
    });
  }
}
