// The events that a component tells its page, each with its visit and a number (see
// ui/components/component_events.py). What one visit has not answered the next one is told again.

import { Component } from "./component.js";

export class Events {
  constructor() {
    this.number = this.received = 0;
    this.open = new Map(); // the last event of each name that is not answered yet
  }

  // Whether the page knows of all that was told: else what it says may be what was so before.
  get answered() { return this.received >= this.number; }

  // What the page answers, whenever it draws the component.
  hear({ visit, received }, send) {
    this.send = send;
    this.received = received;
    this.open.forEach(({ number }, name) => number <= received && visit === this.visit && this.open.delete(name));
    if (visit === this.visit) return;
    this.visit = visit;
    this.number = received;
    [...this.open].forEach(([name, event]) => this.tell(name, event));
  }

  tell(name, event) {
    this.number += 1;
    const told = { ...event, visit: this.visit, number: this.number };
    this.open.set(name, told);
    this.send(name, told);
  }
}

// A component that tells what a person does. What the server says counts, except where it has not heard
// yet of what was done last; each takes that over and draws it.
export class Telling extends Component {
  constructor(...place) {
    super(...place);
    this.events = new Events();
  }

  update(data, send) {
    this.events.hear(data, send);
    this.data = data;
    this.root.classList.toggle("present", !!data.present);
    if (this.events.answered) this.take(data);
    this.draw();
  }

  take(_data) {}

  draw() {}
}
