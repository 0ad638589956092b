// Copying: to the clipboard, or where there is none, as over plain http or in a sandboxed frame, by
// hand from a field where the text stands selected. Its two elements stand where its owner puts them.

import { element, MINUS } from "../dom/elements.js";

export class Copier {
  constructor() {
    this.said = element("span", "said");
    this.said.setAttribute("role", "status");
    this.text = element("textarea", "by-hand");
    this.text.readOnly = true;
    this.silence();
  }

  // `form` says as what. `stands`: whether what was copied is still on show once that is known.
  // Says whether it is in the clipboard.
  async copy(text, form, stands = () => true) {
    this.silence();
    let copied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copied = false;
    }
    if (!stands()) return false;
    if (copied) this.said.textContent = TEXTS("copied", { form });
    else this.offer(text, form);
    return copied;
  }

  offer(text, form) {
    this.text.setAttribute("aria-label", TEXTS("by_hand", { form }));
    this.text.value = text;
    this.text.rows = Math.min(8, text.split("\n").length + 1);
    this.text.hidden = false;
    this.text.focus();
    this.text.select();
    this.said.textContent = TEXTS("selected");
  }

  silence() {
    this.said.textContent = "";
    this.text.hidden = true;
  }
}

// bmatrix takes ten columns at most.
const MOST_COLUMNS = 10;

// Rows of numbers' texts, as cells show them.
export function matrixLatex(rows) {
  const cols = rows[0].length;
  const [begin, end] = cols <= MOST_COLUMNS ? ["\\begin{bmatrix}", "\\end{bmatrix}"]
    : [`\\left[\\begin{array}{${"r".repeat(cols)}}`, "\\end{array}\\right]"];
  const lines = rows.map((row) => row.map(numberLatex).join(" & "));
  return `${begin}\n${lines.join(" \\\\\n")}\n${end}`;
}

function numberLatex(text) {
  const plain = text.replaceAll(MINUS, "-").replace("∞", "\\infty").replace("NaN", "\\mathrm{NaN}");
  const scientific = /^(.+)e([+-]?\d+)$/.exec(plain);
  if (scientific) return `${scientific[1]} \\cdot 10^{${Number(scientific[2])}}`;
  return plain === "?" ? "\\text{?}" : plain;
}
