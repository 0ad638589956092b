// Cubic curves as four points, between which edges are drawn.

/** @returns {[number, number]} */
export const between = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
/** @param {number[][]} curve */
export const onCurve = ([a, b, c, d], t) => {
  const [ab, bc, cd] = [between(a, b, t), between(b, c, t), between(c, d, t)];
  return between(between(ab, bc, t), between(bc, cd, t), t);
};
// The part of a cubic curve up to t, and the one from there on.
/** @param {number[][]} curve */
export function cut([a, b, c, d], t) {
  const ab = between(a, b, t), bc = between(b, c, t), cd = between(c, d, t);
  const abc = between(ab, bc, t), bcd = between(bc, cd, t), middle = between(abc, bcd, t);
  return [[a, ab, abc, middle], [middle, bcd, cd, d]];
}
/** @param {number[][]} curve */
export const pathOf = ([a, ...others]) => `M${a.map(near)} C${others.map((point) => point.map(near)).join(" ")}`;
export const near = (number) => Math.round(number * 10) / 10;
