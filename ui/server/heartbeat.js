// The heartbeat of a page: while long work is watched and this tab is in front, a new number now and
// then. The next one waits until the last one is heard: a run of the server that a newer one
// overtakes draws nothing. It must stop by itself when the tab is hidden: browsers only slow the
// timers of such tabs. A tab that is closed, and a page that is left, say nothing either; the server
// then hears nothing.

import { atPlace } from "../../stage/browser/dom/elements.js";

const LATE = 3; // So many times the usual pause, and it is said again: the last one may be lost.

class Heartbeat {
  constructor() {
    this.number = Date.now();
    this.turn = () => this.go();
    document.addEventListener("visibilitychange", this.turn);
  }

  update({ running, every, received }, send) {
    this.running = running;
    this.every = every;
    this.send = send;
    if (this.said && received === this.said) {
      this.said = 0;
      this.rest();
    }
    this.go();
  }

  answered() {
    this.rest();
  }

  go() {
    const wanted = this.running && document.visibilityState === "visible";
    if (!wanted) {
      this.rest();
    } else if (!this.timer) {
      this.timer = setTimeout(() => this.say(), this.every);
    }
  }

  say() {
    this.said = this.number += 1;
    this.send("beat", this.said);
    this.timer = setTimeout(() => this.say(), LATE * this.every);
  }

  rest() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  close() {
    this.rest();
    document.removeEventListener("visibilitychange", this.turn);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const [heart, leave] = atPlace(parentElement, () => new Heartbeat());
  heart.update(data, setStateValue);
  return leave;
}
