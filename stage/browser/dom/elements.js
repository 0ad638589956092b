// What every component builds its part of the page from. Text is always a text node.
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export const MINUS = "\u2212";

// A number's text with real minus signs.
export function minus(text) {
  return text.replace("inf", "∞").replaceAll("-", MINUS);
}

// On a page of Streamlit's: the box of a component, and that what is drawn in it has its size. What
// stands below it waits for that (ui/page/browser/arriving.js).
const boxOf = (parentElement) => parentElement.getRootNode().host?.closest("[data-testid=stElementContainer]");
export const drawnAt = (parentElement) => boxOf(parentElement)?.toggleAttribute("data-drawn", true);

// What stands at a component's place, made once, and how a call leaves it. Streamlit calls a module
// anew whenever something changed, also while it still loads; it then takes the earlier calls back,
// in any order. That ends nothing as long as the place itself is on the page.
const standing = new WeakMap();
export function atPlace(parentElement, make) {
  const made = standing.get(parentElement) || make();
  standing.set(parentElement, made);
  const box = boxOf(parentElement);
  const leave = () => {
    if (parentElement.isConnected || !standing.delete(parentElement)) return;
    box?.removeAttribute("data-drawn"); // Streamlit may put another component there
    made.close();
  };
  return [made, leave];
}
