// An element of a drawing, with its attributes and its text.
export const SVG = "http://www.w3.org/2000/svg";

export function drawing(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  if (text !== undefined) made.textContent = text;
  return made;
}

// A drawing as wide and as high as its place, whatever that is.
export const stretched = (width, height, ...parts) => {
  const made = drawing("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  made.append(...parts);
  return made;
};
