// Explanations as a page of its own carries them (stage/hosts/standalone.py), written out as the core writes them.
// It computes no numbers: a line that adds up products goes through two lists of them.

import { HEAD, parts } from "./run.js";

// As core/program/explanations.py breaks a sum: the letters of a row, and those that signs take.
const LETTERS_ON_A_ROW = 34, PLUS = 3, BRACKETS = 2, POWER_OF_TEN = 3;
// A line that says of a printed number alone what it equals.
const NUMBER_ALONE = /^(-?inf|NaN|-?[\d.]+(e[-+]?\d+)?) = /;

// The explanation of a cell of a packed array.
export function unpacked(run, { lists, lines }, { said, feeds, lines: ofCells }, cell) {
  const [name, index] = parts(cell), at = run.flat(name, index);
  const written = ofCells[at].map((line) => (Array.isArray(line) ? sumOfProducts(lists, ...line) : lines[line]));
  return writtenOut(run, cell, said[at], feeds[at], written);
}

// A cell whose number is told and no more.
export function unexplained(run, cell) {
  const [name, index] = parts(cell), text = run.textAt(name, run.flat(name, index)), number = numberNode(text);
  return writtenOut(run, cell, [TEXTS("unexplained")], "", [[`${text} = ${text}`, [number, ["row", ["mark", "="], number]]]]);
}

// `written` are plain lines, each with its pieces: its left side, broken, and the sign with the right.
function writtenOut(run, cell, said, feeds, written) {
  const before = written.slice(0, -1).flatMap(([, pieces]) => {
    const [left, [, ...right]] = pieces;
    return pieces.length === 2 ? [["row", left, ...right]] : pieces;
  });
  const [plain, [first, ...others]] = written.at(-1);
  const own = NUMBER_ALONE.test(plain) ? others : [["row", ["mark", "="], first], ...others];
  const rows = [...before, headOf(run, cell), ...own];
  return {
    title: run.cellName(cell), said, feeds, rows, plain: written.map(([line]) => line),
  };
}

// A cell as a formula: scores[sat, cat].
function headOf(run, cell) {
  const [name, index] = parts(cell), { letters, symbol } = run.arrays[name];
  const inside = letters.flatMap((letter, n) => {
    const { kind, labels } = run.axes[letter];
    return kind === HEAD ? [] : [["mark", ","], ["text", labels[index[n]]]];
  });
  return ["row", symbol, ["mark", "["], ...inside.slice(1), ["mark", "]"]];
}

function sumOfProducts(lists, first, second, exact, result) {
  const [one, other] = [lists[first], lists[second]].map((texts) => texts.split(" ")), sign = exact ? "=" : "≈";
  const bracketed = (text) => ["row", ["mark", "("], numberNode(text), ["mark", ")"]];
  const products = one.map((text, n) => ["row", bracketed(text), bracketed(other[n])]);
  const letters = one.map((text, n) => lettersOfFactor(text) + lettersOfFactor(other[n]));
  const pieces = rowsOf(products, letters).map((some, n) => {
    const terms = ["row", ...some.flatMap((product) => [["mark", "+"], product]).slice(1)];
    return n ? ["indent", ["row", ["mark", "+"], terms]] : terms;
  });
  const plain = one.map((text, n) => `${text}*${other[n]}`), left = plain.length > 1 ? plain.map((term) => `(${term})`).join(" + ") : plain[0];
  return [`${left} ${sign} ${result}`, [...pieces, ["row", ["mark", sign], numberNode(result)]]];
}

function lettersOfFactor(text) {
  return text.length + (text.includes("e") ? POWER_OF_TEN : 0) + BRACKETS;
}

// The terms of a sum, row by row.
function rowsOf(terms, letters) {
  const rows = [[]];
  let used = 0;
  terms.forEach((term, n) => {
    if (rows.at(-1).length && used + PLUS + letters[n] > LETTERS_ON_A_ROW) {
      rows.push([]);
      used = 0;
    }
    used += letters[n] + (rows.at(-1).length ? PLUS : 0);
    rows.at(-1).push(term);
  });
  return rows;
}

// A printed number as a formula: 3e-7 is 3 × 10⁻⁷.
function numberNode(text) {
  const [mantissa, power] = text.split("e");
  if (!power) return ["number", text];
  return ["row", ["number", mantissa], ["mark", "×"], ["sup", ["number", "10"], ["number", String(Number(power))]]];
}
