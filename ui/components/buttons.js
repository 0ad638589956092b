// Buttons in bars. What one says is text, and what is pressed of several stays so.

import { element } from "../../stage/browser/dom/elements.js";

export function barButton(label, act, pressed) {
  const made = element("button", "", label);
  made.type = "button";
  if (pressed !== undefined) made.setAttribute("aria-pressed", String(pressed));
  made.onclick = act;
  return made;
}

// Buttons after the word that says what they are for.
export function barGroup(word, ...buttons) {
  const group = element("span", "group");
  group.append(element("span", "word", word), ...buttons);
  return group;
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
