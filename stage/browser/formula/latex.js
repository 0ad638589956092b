// Formulas in LaTeX, as core/program/formulas.py writes them.

const LATEX_MARKS = { "×": "\\times", "·": "\\cdot", "⊗": "\\otimes", "−": "-", "≈": "\\approx", "‖": "\\Vert", T: "\\top" };
const LATEX_FUNCTIONS = ["exp", "log", "tanh", "sin", "cos", "max", "min"];
const LATEX_NUMBERS = { inf: "\\infty", "-inf": "-\\infty", NaN: "\\mathrm{NaN}" };
const LATEX_LETTERS = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", _: "\\_", "%": "\\%",
  "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
};

export function formulaLatex([kind, ...rest]) {
  const [first, second] = rest, inside = (node) => formulaLatex(node);
  const upright = (words) => `\\operatorname{${words.replaceAll("_", "\\_").replaceAll(" ", "\\ ")}}`;
  if (kind === "name") {
    const base = [...first].length === 1 ? first : upright(first);
    return second ? `${base}_{${second.length > 1 ? `\\text{${second}}` : second}}` : base;
  }
  if (kind === "word") return LATEX_FUNCTIONS.includes(first) ? `\\${first}` : upright(first);
  if (kind === "number") return LATEX_NUMBERS[first] || first;
  if (kind === "text") return `\\text{${[...first].map((letter) => LATEX_LETTERS[letter] || letter).join("")}}`;
  if (kind === "mark") return LATEX_MARKS[first] || first;
  if (kind === "sup") return `${inside(first)}^{${inside(second)}}`;
  if (kind === "sqrt") return `\\sqrt{${inside(first)}}`;
  if (kind === "over") return `\\dfrac{${inside(first)}}{${inside(second)}}`;
  if (kind === "step") return inside(second);
  if (kind === "indent") return `\\quad ${inside(first)}`;
  return rest.map(inside).reduce((line, part) => {
    const opens = "([".includes(part[0]) && /[\p{L}\p{N}})\]]$/u.test(line);
    return line + (!line || "([".includes(line.at(-1)) || ")],;".includes(part[0]) || opens ? "" : " ") + part;
  }, "");
}
