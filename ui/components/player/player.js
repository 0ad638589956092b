// Plays the values of a control: tells one, waits until the page has shown it, tells the next.

import { componentOf } from "../component.js";
import { Telling } from "../events.js";

const PAUSE = 350; // milliseconds at least between two values

class Player extends Telling {
  constructor(parent) {
    super(parent, "play", { id: "player", tag: "button" });
    this.root.type = "button";
    this.root.onclick = () => this.press();
    this.left = []; // the values that are still to be shown
  }

  update(data, send) {
    super.update(data, send);
    this.next();
  }

  get plays() { return this.left.length > 0; }

  press() {
    const { values, now } = this.data, after = values.filter((value) => value > now);
    this.left = this.plays ? [] : after.length ? after : [...values];
    this.due = 0;
    this.next();
    this.draw();
  }

  next() {
    if (!this.plays || !this.events.answered || this.waits) return;
    const wait = this.due - performance.now();
    if (wait > 0) {
      this.waits = setTimeout(() => {
        this.waits = null;
        this.next();
      }, wait);
      return;
    }
    this.due = performance.now() + PAUSE;
    this.events.tell("value", { value: this.left.shift() });
    this.draw();
  }

  draw() {
    const { title, stop } = this.data;
    this.root.textContent = this.plays ? `◼ ${stop}` : `▶ ${title}`;
  }

  close() {
    clearTimeout(this.waits);
    super.close();
  }
}

export default componentOf(Player);
