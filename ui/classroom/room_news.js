// A student's page asks its server whether the room is as it shows it, and hears when it is not. Then the
// page looks at the room, and else now and then, to say that it is there. One that the server does not
// answer looks as often as any other page. It is silent while its tab is hidden.

import { atPlace } from "../../stage/browser/dom/elements.js";

const KNOWN = ["new", "same"], AFTER = 500, LATE = 6_000; // milliseconds: after a look, and until it is said again

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

class News {
  constructor() {
    this.turn = () => this.begin();
    document.addEventListener("visibilitychange", this.turn);
  }

  update({ address, every, seldom, received }, send) {
    this.every = every;
    this.seldom = seldom;
    this.send = send;
    if (address === this.address && received !== this.said) return;
    this.address = address;
    this.said = 0;
    this.begin();
  }

  begin() {
    this.stopped?.abort();
    this.stopped = new AbortController();
    if (document.visibilityState === "visible") this.follow(this.stopped.signal);
  }

  async follow(signal) {
    const begun = Date.now();
    await pause(AFTER);
    let said = "same";
    while (said === "same" && Date.now() - begun < this.seldom && !signal.aborted) said = await this.ask(signal);
    if (!KNOWN.includes(said)) await pause(this.every);
    while (!signal.aborted) {
      this.said = Date.now();
      this.send("look", this.said);
      await pause(LATE); // the last one may be lost
    }
  }

  ask(signal) {
    return fetch(this.address, { signal, cache: "no-store" }).then((answer) => (answer.ok ? answer.text() : ""), () => "");
  }

  close() {
    this.stopped.abort();
    document.removeEventListener("visibilitychange", this.turn);
  }
}

export default function ({ data: [data], parentElement, setStateValue }) {
  const [news, leave] = atPlace(parentElement, () => new News());
  news.update(data, setStateValue);
  return leave;
}
