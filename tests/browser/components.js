// Components alone, in a page that holds nothing else: what each is given, then what is done in it (or how
// many milliseconds pass), what is asked, and the answer. test_components.py goes through them.

const all = (what) => [...place.querySelectorAll(what)];
const texts = (what) => all(what).map(({ textContent }) => textContent);
const attrs = (what, name) => all(what).map((one) => one.getAttribute(name));
const press = (what, at = 0) => all(what).at(at).click();
const here = () => place.getRootNode().activeElement.dataset;
const key = (name, on = place.getRootNode().activeElement, more = {}) => on.dispatchEvent(
  new KeyboardEvent("keydown", { ...more, key: name, bubbles: true, composed: true, cancelable: true }));
const tap = (what) => ["pointerdown", "pointerup"].forEach((kind) => all(what)[0].dispatchEvent(
  new PointerEvent(kind, { bubbles: true, composed: true })));
const numbers = (text) => text.match(/-?\d+(\.\d+)?/g).map(Number);
const ends = (path) => [0, path.getTotalLength()].map((length) => {
  const { x, y } = path.getPointAtLength(length);
  return [x, y].map(Math.round);
});
const COLOURS = {
  ink: "0, 0, 0", paper: "255, 255, 255", query: "28, 95, 174", key: "179, 38, 30", value: "29, 112, 64",
  weights: "107, 63, 181", from: "179, 95, 0", to: "0, 115, 107", other: "168, 70, 11",
};
/** What the first of each has for a property; a colour by its role in this app. */
const look = (property, ...whats) => whats.map((what) => {
  const value = getComputedStyle(all(what)[0])[property];
  return Object.keys(COLOURS).find((name) => value === `rgb(${COLOURS[name]})`) ?? value;
});

const TOKENS = ["a", "b", "c"];
const words = (...ids) => Object.fromEntries(ids.map((id) => [id, id]));

const COMPONENTS = {};
let place, show, data, heard;
const told = [];
const news = () => told.splice(0);
function send(name, { visit, number, ...event }) {
  heard = number;
  told.push([name, event]);
}
function draw(given, answered = heard) {
  data = given?.constructor === Object ? { visit: "now", ...data, ...given, received: answered } : given;
  show({ data: [data], parentElement: place, setStateValue: send });
}
const late = (given) => draw(given, heard - 1); // an answer to what was told before the last
/** A call of another place of the page, by the same script. */
function anew(given) {
  data = {};
  draw(given);
}

const parsed = (markup) => new DOMParser().parseFromString(markup, "text/html").body.childNodes;

async function load(source, name, sheet) {
  const { around = "", inside = "", given } = COMPONENTS[name];
  localStorage.clear();
  const style = new CSSStyleSheet();
  style.replaceSync(`${sheet} :root { --st-text-color: #000; --st-background-color: #fff; }`);
  ({ default: show } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))));
  document.body.replaceChildren(...parsed(around));
  [place, heard, data] = [document.createElement("div"), 0, {}];
  place.replaceChildren(...parsed(inside));
  document.adoptedStyleSheets = [style];
  (document.querySelector("[data-shadow]")?.attachShadow({ mode: "open" }) ?? document.body).append(place);
  if (place.getRootNode() !== document) place.getRootNode().adoptedStyleSheets = [style];
  news();
  if (show) draw(given);
}

function step(name, number) {
  const [does, asks, answer] = COMPONENTS[name].steps[number];
  if (does instanceof Function) does();
  return [asks(), answer];
}

/** What is gone of each component on paper: what is pressed there. */
const GONE = {
  cache_rows: ".way button", two_orders: ".bar", graph: ".bar, .help", trees: ".bar, .help, .apart, .grip",
  weight_maps: ".open", player: ".play", class_button: ".ask-class", panel: ".course",
};
const isSeen = (name) => all(GONE[name] ?? "none").map((one) => one.getClientRects().length > 0);
