import { element } from "./elements.js";

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
