// Formulas: the trees of core/formulas.py as native MathML, and the formula bar made of them.

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
  if (kind === "mark") return math(rest[0] === "T" ? "mi" : "mo", rest[0]);
  if (kind === "sup") return math("msup", inside(rest[0]), inside(rest[1]));
  if (kind === "sqrt") return math("msqrt", inside(rest[0]));
  if (kind === "step") return inside(rest[1]);
  return math("mrow", ...rest.map(inside));
}

function played(node, role) {
  if (role) node.setAttribute("class", role);
  return node;
}

function mathOf(tree, roles) {
  return math("math", mathNode(tree, roles));
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
function formulaBar(formulas, phases, current, roles, go) {
  const bar = element("div", "formula");
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "The formula; each part goes to its step");
  const phaseOf = (step) => phases.findIndex((phase) => [phase, ...innermost(phase)].some(({ names }) => names.includes(step)));
  formulas.forEach((tree) => {
    const line = element("span", "definition");
    const named = new Set();
    pieces(tree, "").forEach(({ owner, nodes }) => {
      const phase = phaseOf(owner);
      const bracket = named.has(owner) && nodes.every(([kind]) => kind === "mark");
      const state = phase === current ? "now" : phase < current ? "done" : "later";
      const part = element(bracket ? "span" : "button", `part ${state}`);
      part.append(mathOf(["row", ...nodes], roles));
      if (!bracket) {
        named.add(owner);
        part.type = "button";
        part.dataset.step = owner;
        part.setAttribute("aria-label", `${phases[phase].title}: ${owner}`);
        if (phase === current) part.setAttribute("aria-current", "step");
        part.onclick = () => go(owner);
      }
      if (!bracket || !line.lastChild) line.append(element("span", "unbroken"));
      line.lastChild.append(part);
    });
    bar.append(line);
  });
  return bar;
}
