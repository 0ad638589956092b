// A number that a person typed for a covered cell, against the cell's text and those that mistakes
// would give: the same rules as core/questions/typed.py (a test compares the two). Decimals are
// compared as whole numbers with a unit, ten to the `unit`; none is computed.

const RIGHT = "right", WRONG = "wrong", DECIMALS = 2;
const WRITTEN = /^([+-]?)(?:(\d{1,20})(?:\.(\d{0,20}))?|\.(\d{1,20}))(?:e([+-]?\d{1,3}))?$/;
const INFINITE = /^([+-]?)(?:∞|inf|infinity)$/;

// A text as { infinite } or { digits, unit }; null where it is no number.
function decimal(text) {
  let short = text.replace(/[−–]/g, "-").trim().toLowerCase();
  if (short.split(",").length === 2 && !short.includes(".")) short = short.replace(",", ".");
  const endless = INFINITE.exec(short);
  if (endless) return { infinite: endless[1] === "-" ? -1 : 1 };
  const found = WRITTEN.exec(short);
  if (!found) return null;
  const [, sign, whole = "", part, alone, power] = found, after = part ?? alone ?? "";
  const digits = BigInt(`${whole}${after}`);
  return { digits: sign === "-" ? -digits : digits, unit: Number(power || 0) - after.length };
}

// To such a unit, half away from zero; a number that is no finer stays as it is.
function roundedTo(number, unit) {
  if (number.unit >= unit) return number;
  const scale = 10n ** BigInt(unit - number.unit), size = number.digits < 0n ? -number.digits : number.digits;
  const nearest = (2n * size + scale) / (2n * scale);
  return { digits: number.digits < 0n ? -nearest : nearest, unit };
}

function sameNumber(one, other) {
  const unit = Math.min(one.unit, other.unit);
  const scaled = ({ digits, unit: own }) => digits * 10n ** BigInt(own - unit);
  return scaled(one) === scaled(other);
}

function agrees(number, shown) {
  const other = decimal(shown);
  if (!other) return false;
  if (number.infinite || other.infinite) return number.infinite === other.infinite;
  if (sameNumber(roundedTo(number, Math.min(other.unit, -DECIMALS)), other)) return true;
  return number.unit <= -DECIMALS && sameNumber(roundedTo(other, number.unit), number);
}

// "right", the first mistake that gives the number, "wrong", or "" where it is none. `mistaken` has
// pairs of a mistake's name and what the cell would be by it.
function judged(typed, shown, mistaken) {
  const number = decimal(typed);
  if (!number) return "";
  if (agrees(number, shown)) return RIGHT;
  const named = mistaken.find(([, text]) => text !== shown && agrees(number, text));
  return named ? named[0] : WRONG;
}
