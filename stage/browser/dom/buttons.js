// Buttons, and what of a part has the focus, so that one that is drawn anew is given it back.

import { element } from "./elements.js";

export function pressable(className, text, act) {
  const made = element("button", className, text);
  made.type = "button";
  made.onclick = act;
  return made;
}

// One that is found by what it does.
export function actionButton(action, text, act) {
  const made = pressable(action, text, act);
  made.dataset.action = action;
  return made;
}

export function focusIn(part) {
  const { activeElement } = part.getRootNode();
  return part.contains(activeElement) ? activeElement : null;
}
