// What every component builds its part of the page from. Text is always a text node.
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// A label, and the number at its end where its token occurs more than once: what is cut keeps it, ag…₁.
export function wordAndNumber(label) {
  const at = label.search(/[₀-₉]+$/);
  return at < 0 ? [label, ""] : [label.slice(0, at), label.slice(at)];
}

// A label cut after so many letters.
export function cutAfter(label, letters) {
  const [word, number] = wordAndNumber(label);
  return `${[...word].slice(0, letters).join("")}…${number}`;
}

// Says to those who hear a page what happened where they are not. The same twice is said twice.
export class Announcer {
  constructor(parent) {
    this.root = element("div", "aloud");
    this.root.setAttribute("role", "status");
    parent.append(this.root);
  }

  say(text) {
    this.root.textContent = this.root.textContent === text ? `${text}\u00a0` : text;
  }
}

// Puts buttons in the place of others. The one that was pressed keeps the focus, or, where there is
// nothing more to do with it, the first has it. Says whether one of them had it.
export function replaceButtons(bar, ...buttons) {
  const { activeElement } = bar.getRootNode(), had = bar.contains(activeElement) && activeElement.textContent;
  bar.replaceChildren(...buttons);
  if (!had) return false;
  const enabled = [...bar.querySelectorAll("button:enabled")];
  (enabled.find(({ textContent }) => textContent === had) || enabled[0])?.focus({ preventScroll: true });
  return true;
}

export const MINUS = "\u2212";

// A number's text with real minus signs.
export function minus(text) {
  return text.replace("inf", "∞").replaceAll("-", MINUS);
}

// Runs a task once nothing more urgent is to be done, and soon in any case.
export const whenIdle = (task) => (
  globalThis.requestIdleCallback ? requestIdleCallback(task, { timeout: 250 }) : setTimeout(task, 30)
);

// Runs a task once what has been drawn is painted; soon in any case, as nothing is while hidden.
export function afterFrame(task) {
  const once = () => {
    clearTimeout(late);
    task();
  };
  const late = setTimeout(once, 100);
  requestAnimationFrame(() => setTimeout(once, 20));
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
