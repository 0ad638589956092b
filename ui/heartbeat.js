// The heartbeat of a page: while a measurement runs and this tab is in front, a new number now and
// then. It must stop by itself when the tab is hidden: browsers only slow the timers of such tabs.
// A tab that is closed, and a page that is left, say nothing either; the server then hears nothing.

class Heartbeat {
  constructor() {
    this.number = Date.now();
    this.turn = () => this.go();
    document.addEventListener("visibilitychange", this.turn);
  }

  update({ running, every }, send) {
    Object.assign(this, { running, every, send });
    this.go();
  }

  go() {
    const wanted = this.running && document.visibilityState === "visible";
    if (!wanted) {
      clearInterval(this.timer);
      this.timer = 0;
    } else if (!this.timer) {
      this.timer = setInterval(() => this.send("beat", (this.number += 1)), this.every);
    }
  }

  close() {
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.turn);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const [heart, leave] = atPlace(parentElement, () => new Heartbeat());
  heart.update(data, setStateValue);
  return leave;
}
