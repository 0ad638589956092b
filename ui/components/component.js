// What components have in common: each is a box at its place on a page, made once.

import { atPlace, drawnAt, element } from "../../stage/browser/dom/elements.js";

export class Component {
  constructor(parent, className, { id = className, tag = "div" } = {}) {
    this.root = element(tag, className);
    this.root.dataset.testid = id;
    parent.append(this.root);
  }

  close() {
    this.root.remove();
  }
}

// What the script of a component exports: it is told all data whenever some of it is new.
export const componentOf = (Kind) => ({ data: [data], parentElement, setStateValue }) => {
  const [made, leave] = atPlace(parentElement, () => new Kind(parentElement));
  made.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
};
