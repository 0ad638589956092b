// Plays the values of a control: tells one, waits until the page has shown it, tells the next.

import { atPlace, drawnAt, element } from "../../../stage/browser/dom/elements.js";
import { Events } from "../events.js";

const PAUSE = 350; // milliseconds at least between two values

class Player {
  constructor(parent) {
    this.button = element("button", "play");
    this.button.type = "button";
    this.button.dataset.testid = "player";
    this.button.onclick = () => this.press();
    parent.append(this.button);
    this.events = new Events();
    this.left = []; // the values that are still to be shown
  }

  update(data, send) {
    this.events.hear(data, send);
    this.data = data;
    this.button.classList.toggle("present", !!data.present);
    this.next();
    this.draw();
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
    const { title, words } = this.data;
    this.button.textContent = this.plays ? `◼ ${words.stop}` : `▶ ${title}`;
  }

  close() {
    clearTimeout(this.waits);
    this.button.remove();
  }
}

export default function ({ data: [data], parentElement, setStateValue }) {
  const [player, leave] = atPlace(parentElement, () => new Player(parentElement));
  player.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
}
