// A number that a person typed for a covered cell, against the cell's text and those that mistakes
// would give: the rules of core/questions/answers.py and tests/typed.py (a test compares the two).
// A number is a fraction of whole numbers, over / under, and the place of its last digit as written:
// its `unit`, −2 for 0.40 and null for a fraction.

export const RIGHT = "right", WRONG = "wrong", DECIMALS = 2;
const NUMERAL = "(\\d{1,20}(?:\\.\\d{0,20})?|\\.\\d{1,20})";
const DECIMAL = new RegExp(`^([+-]?) ?${NUMERAL}(?:e([+-]?\\d{1,3}))? ?(%?)$`);
const RATIO = new RegExp(`^([+-]?) ?${NUMERAL} ?/ ?${NUMERAL}$`);
const INFINITE = /^([+-]?) ?(?:∞|inf|infinity)$/;

const tens = (power) => 10n ** BigInt(Math.max(power, 0));

// A number of digits before and after a point, times ten to a power.
function decimal(sign, digits, power = 0) {
  const [whole, after = ""] = digits.split("."), unit = power - after.length;
  return { over: BigInt(`${sign === "-" ? "-" : ""}${whole}${after}`) * tens(unit), under: tens(-unit), unit };
}

// A text as { endless } or { over, under, unit }; null where it is no number.
function numberOf(text) {
  let short = text.replace(/[−–]/g, "-").replace(/[⁄∕]/g, "/").replace(/\s+/g, " ").trim().toLowerCase();
  if (short.split(",").length === 2 && !short.includes(".")) short = short.replace(",", ".");
  const infinite = INFINITE.exec(short);
  if (infinite) return { endless: infinite[1] === "-" ? -1 : 1 };
  const found = DECIMAL.exec(short);
  if (found) return decimal(found[1], found[2], Number(found[3] || 0) - (found[4] ? 2 : 0));
  const [, sign, above, below] = RATIO.exec(short) || [];
  if (!above) return null;
  const one = decimal(sign, above), other = decimal("", below);
  return other.over ? { over: one.over * other.under, under: one.under * other.over, unit: null } : null;
}

// To such a place, half away from zero; a number that is no finer stays as it is.
function roundedTo(number, unit) {
  if (number.unit !== null && number.unit >= unit) return number;
  const over = number.over * tens(-unit), under = number.under * tens(unit), size = over < 0n ? -over : over;
  const nearest = (2n * size + under) / (2n * under);
  return { over: (over < 0n ? -nearest : nearest) * tens(unit), under: tens(-unit), unit };
}

const sameNumber = (one, other) => one.over * other.under === other.over * one.under;

function agrees(number, shown) {
  const other = numberOf(shown);
  if (!other) return false;
  if (number.endless || other.endless) return number.endless === other.endless;
  const finest = other.unit === null ? -DECIMALS : Math.min(other.unit, -DECIMALS), { unit } = number;
  if (sameNumber(roundedTo(number, finest), other)) return true;
  return unit !== null && unit <= -DECIMALS && sameNumber(roundedTo(other, unit), number);
}

// "right", the first mistake that gives the number, "wrong", or "" where it is none. `mistaken` has
// pairs of a mistake and what the cell would be by it.
export function judged(typed, shown, mistaken) {
  const number = numberOf(typed);
  if (!number) return "";
  if (agrees(number, shown)) return RIGHT;
  const named = mistaken.find(([, text]) => text !== shown && agrees(number, text));
  return named ? named[0] : WRONG;
}
