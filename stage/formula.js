// Formulas: the trees of core/formulas.py as native MathML, and the formula bar made of them.

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ROLES = {
  Q: "query", W_Q: "query", Q_hat: "query", K: "key", W_K: "key", K_hat: "key", V: "value", W_V: "value",
  weights: "weights", softmax: "weights",
};

function math(tag, ...children) {
  const made = document.createElementNS(MATHML, tag);
  made.append(...children);
  return made;
}

function mathNode([kind, ...rest]) {
  if (kind === "name") {
    const [letter, sub, array] = rest;
    const made = sub
      ? math("msub", math("mi", letter), math("mi", sub)) : math("mi", letter);
    if (ROLES[array]) made.setAttribute("class", ROLES[array]);
    return made;
  }
  if (kind === "word") {
    const made = math("mi", rest[0]);
    if (ROLES[rest[0]]) made.setAttribute("class", ROLES[rest[0]]);
    return made;
  }
  if (kind === "mark") return math(rest[0] === "T" ? "mi" : "mo", rest[0]);
  if (kind === "sup") return math("msup", mathNode(rest[0]), mathNode(rest[1]));
  if (kind === "sqrt") return math("msqrt", mathNode(rest[0]));
  if (kind === "step") return mathNode(rest[1]);
  return math("mrow", ...rest.map(mathNode));
}

function mathOf(tree) {
  return math("math", mathNode(tree));
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
function formulaBar(formulas, phases, current, go) {
  const bar = element("div", "formula");
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "The formula; each part goes to its step");
  const phaseOf = (step) => phases.findIndex((phase) => phase.names.includes(step));
  formulas.forEach((tree) => {
    const line = element("span", "definition");
    const named = new Set();
    pieces(tree, "").forEach(({ owner, nodes }) => {
      const phase = phaseOf(owner);
      const bracket = named.has(owner) && nodes.every(([kind]) => kind === "mark");
      const state = phase === current ? "now" : phase < current ? "done" : "later";
      const part = element(bracket ? "span" : "button", `part ${state}`);
      part.append(mathOf(["row", ...nodes]));
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
