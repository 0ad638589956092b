// How a page looks: asked in it by tests/browser/test_look.py. A colour is [red, green, blue, alpha].

const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

function rgba(colour) {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data];
}

function inside(root) {
  return [...root.querySelectorAll("*")]
    .flatMap((one) => [one, ...(one.shadowRoot ? inside(one.shadowRoot) : [])]);
}

// Every element that is seen, also inside of components.
function seen(family = "*") {
  return inside(document.body).filter((one) => (
    one.matches(family) && one.checkVisibility({ visibilityProperty: true })
  ));
}

function named(one) {
  return `${one.tagName}.${one.getAttribute("class") || ""} ${one.textContent.slice(0, 30)}`;
}

function hasText(one) {
  return [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
}

function light(colour) {
  const [red, green, blue] = colour.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

const CODE = ["pre", "pre *", "code", "code *", ".by-hand"];
const FORMULAS = ["math", "math *", ".symbol", ".symbol *", ".number i", ".katex *"];
const ICONS = ["[data-testid=stIconMaterial]", "[translate=no]"];

// The texts that are in another typeface than the product's, or whose digits are.
function inOtherFaces() {
  const other = [...CODE, ...FORMULAS, ...ICONS, ".js-plotly-plot *"].join();
  return seen().filter((one) => hasText(one) && !one.matches(other)).filter((one) => {
    const { fontFamily, fontVariantNumeric } = getComputedStyle(one);
    return !/^"?Source Sans"?,/.test(fontFamily) || !fontVariantNumeric.includes("tabular-nums");
  }).map(named);
}

function isViolet(colour) {
  const [red, green, blue, alpha] = rgba(colour), most = Math.max(red, green, blue);
  const span = most - Math.min(red, green, blue);
  const strong = alpha * span > 0.25 * 255 * 255;
  return strong && most === blue && red > green && (red - green) / span > 0.1;
}

function colours(one) {
  const style = getComputedStyle(one);
  return [
    style.backgroundColor,
    ...(hasText(one) ? [style.color] : []),
    ...(parseFloat(style.borderTopWidth) ? [style.borderTopColor] : []),
    ...(style.outlineStyle === "none" ? [] : [style.outlineColor]),
    ...(one.closest("svg") ? [style.fill, style.stroke] : []),
  ].filter((colour) => colour !== "none");
}

// What is violet without being about weights, which two pictures are. Charts have a test of their own.
function wronglyViolet() {
  const weights = (one) => (
    one.closest(".weights, .edge, .reading, .js-plotly-plot, .readings, .library") || /(^| )w\d+( |$)/.test(one.getAttribute("class"))
  );
  return seen().filter((one) => !weights(one) && colours(one).some(isViolet)).map(named);
}

// Of all that is chosen or is to be pressed first: the contrast with the page and with its text, and how
// far its colour is from grey.
function chosen() {
  const paper = rgba(getComputedStyle(document.querySelector(".stApp")).backgroundColor);
  const family = [
    ":is([role=radio], button):is([aria-checked=true], [aria-pressed=true])",
    "[data-testid^=stBaseButton-primary]:not(:disabled)", ".steps .next",
  ].join();
  return seen(family).map((one) => {
    const { backgroundColor, color } = getComputedStyle(one), ground = rgba(backgroundColor);
    const [red, green, blue] = ground, hue = Math.max(red, green, blue) - Math.min(red, green, blue);
    return [named(one), contrast(ground, paper), contrast(ground, rgba(color)), hue];
  });
}

// The numbers of the stages that are smaller than 12 pixels or wider than their cell.
function unfittingNumbers() {
  return seen(".face .cell :is(.number, .change)").filter((number) => {
    const range = document.createRange();
    range.selectNodeContents(number);
    const wide = range.getBoundingClientRect().width > number.closest(".cell").clientWidth;
    return wide || parseFloat(getComputedStyle(number).fontSize) < 12;
  }).map(named);
}

function heights(family) {
  return seen(family).map((one) => [named(one), Math.round(one.getBoundingClientRect().height)]);
}
