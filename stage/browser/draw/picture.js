// A picture of the focus: what is on the screen as a standalone SVG, and that drawn as a PNG.
// Only shapes and text nodes, so that it stays text whatever a token holds.

import { drawing, SVG } from "../dom/svg.js";

const FAMILY = "system-ui, 'Noto Sans', sans-serif", LABEL = 12;
const DIGITS = "font-variant-numeric:tabular-nums;font-size-adjust:ch-width 0.5";

const svgNode = (tag, attributes, text) => (
  drawing(tag, attributes, text?.replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, "")));

// A CSS colour of any kind as #rrggbb, which every viewer knows; one that lets through is on `paper`.
function hex(colour, paper = "white") {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  [paper, colour].forEach((fill) => {
    pen.fillStyle = fill;
    pen.fillRect(0, 0, 1, 1);
  });
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

// A single letter of a formula as the sign that a browser draws for it: x as an italic x. Of these
// signs one has a place of its own, Planck's constant.
/** @type {[RegExp, number][]} */
const ITALIC = [[/[A-Z]/, 0x1d434 - 0x41], [/[a-z]/, 0x1d44e - 0x61], [/[α-ω]/, 0x1d6fc - 0x3b1]];
const NO_SIGN = 0x1d455, PLANCK = 0x210e;

function drawnAs(letter, { textTransform }) {
  const [, further] = ITALIC.find(([kind]) => kind.test(letter)) || [];
  if (textTransform !== "math-auto" || !further || [...letter].length > 1) return letter;
  const sign = letter.codePointAt() + further;
  return String.fromCodePoint(sign === NO_SIGN ? PLANCK : sign);
}

// What a formula consists of, each part with its place: signs, and the lines of fractions and roots.
function partsOf(math) {
  const texts = document.createTreeWalker(math, NodeFilter.SHOW_TEXT), signs = [];
  while (texts.nextNode()) {
    const { currentNode: { data, parentElement } } = texts, range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const style = getComputedStyle(parentElement), text = data.trim();
    if (text) signs.push({ text: drawnAs(text, style), style, range });
  }
  return { signs, fractions: math.querySelectorAll("mfrac"), roots: math.querySelectorAll("msqrt") };
}

function picture(stage) {
  const { root } = stage;
  const frame = stage.focus.getBoundingClientRect();
  const top = 34, pad = 12;
  const width = stage.focus.scrollWidth + 2 * pad, height = stage.focus.scrollHeight + top + 2 * pad;
  const paper = hex(getComputedStyle(root).backgroundColor), drawn = (colour) => hex(colour, paper);
  const ink = drawn(getComputedStyle(root).color);
  const made = svgNode("svg", {
    xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`,
    "font-family": FAMILY,
  });
  const hatch = svgNode("pattern", {
    id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)",
  });
  hatch.append(
    svgNode("rect", { width: 6, height: 6, fill: paper }),
    svgNode("rect", { width: 6, height: 1.5, fill: ink, "fill-opacity": 0.3 }),
  );
  const fonts = [...globalThis[Symbol.for("attention-fonts")] || []];
  const faces = fonts.map(([family, address]) => `@font-face{font-family:"${family}";src:url(${address})}`);
  made.append(svgNode("style", {}, faces.join("")), hatch, svgNode("rect", { width, height, fill: paper }));
  const place = (node) => {
    const box = node.getBoundingClientRect();
    return {
      x: box.left - frame.left + stage.focus.scrollLeft + pad, y: box.top - frame.top + stage.focus.scrollTop + top + pad,
      width: box.width, height: box.height,
    };
  };
  const write = (box, text, size, attributes = {}) => made.append(svgNode("text", {
    x: box.x + box.width / 2, y: box.y + box.height / 2, "text-anchor": "middle",
    "dominant-baseline": "central", "font-size": size, fill: ink, ...attributes,
  }, text));
  const { title, summary } = stage.stops[stage.stop];
  made.append(svgNode("text", { x: pad, y: 26, "font-size": 16, fill: ink }, `${title}. ${summary}`));
  const drawnParts = (kind) => [...stage.focus.querySelectorAll(kind)].filter((part) => part.getClientRects().length);
  drawnParts(".cell").forEach((cell) => {
    const box = place(cell), style = getComputedStyle(cell);
    const masked = cell.classList.contains("masked");
    const fill = masked ? "url(#hatch)" : drawn(style.backgroundColor);
    const edge = cell.getAttribute("aria-selected") === "true"
      ? { stroke: drawn(style.outlineColor), "stroke-width": 3 } : {};
    made.append(svgNode("rect", { ...box, rx: 3, fill, ...edge }));
    write(box, cell.innerText.replace("\n", " "), parseFloat(style.fontSize), { style: DIGITS });
  });
  drawnParts(".label").forEach((label) => {
    const box = place(label), said = label.textContent;
    if (!label.classList.contains("top")) return write(box, said, LABEL);
    if (label.closest(".upright")) {
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      return write(box, said, LABEL, { transform: `rotate(-90 ${x} ${y})` });
    }
    const words = box.height < 2 * LABEL ? [said] : said.split(" "), height = box.height / words.length;
    words.forEach((word, line) => write({ ...box, y: box.y + line * height, height }, word, LABEL));
  });
  drawnParts(".arrow").forEach((arrow) => write(place(arrow), "→", 20));
  const rule = (d) => made.append(svgNode("path", { d, fill: "none", stroke: ink }));
  drawnParts(".caption math").forEach((math) => {
    const { signs, fractions, roots } = partsOf(math);
    signs.forEach(({ text, style, range }) => write(place(range), text, parseFloat(style.fontSize), {
      "font-family": style.fontFamily, fill: drawn(style.color),
    }));
    fractions.forEach((fraction) => {
      const { x, width: length } = place(fraction), [above, below] = [...fraction.children].map(place);
      rule(`M${x} ${(above.y + above.height + below.y) / 2}h${length}`);
    });
    roots.forEach((root) => {
      const { x, y, width: length, height: tall } = place(root), sign = place(root.firstElementChild).x - x;
      rule(`M${x} ${y + 0.6 * tall}l${0.3 * sign} ${-0.1 * tall}L${x + 0.6 * sign} ${y + tall}L${x + sign} ${y}H${x + length}`);
    });
  });
  drawnParts(".caption .size").forEach((size) => (
    write(place(size), size.textContent, parseFloat(getComputedStyle(size).fontSize))));
  return { width, height, text: new XMLSerializer().serializeToString(made) };
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function savePicture(stage, kind) {
  const { width, height, text } = picture(stage);
  const name = `attention-${stage.at.step}.${kind}`;
  const blob = new Blob([text], { type: "image/svg+xml" });
  if (kind === "svg") return save(blob, name);
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
    URL.revokeObjectURL(image.src);
    canvas.toBlob((png) => save(png, name), "image/png");
  };
  image.src = URL.createObjectURL(blob);
}
