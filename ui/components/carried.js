// A component whose data comes by a register of the page (data_channel.py), so that what is large does not
// travel with every change of it.

import { atPlace, drawnAt } from "../../stage/browser/dom/elements.js";
import { Telling } from "./events.js";

const register = (globalThis[Symbol.for("attention-told")] ||= new Map());

export class Carried extends Telling {
  constructor(parent, key, ...place) {
    super(parent, ...place);
    this.drawn = () => drawnAt(parent);
    this.told = register.get(key) || {};
    register.set(key, this.told);
    this.hear = () => this.refresh();
    this.told.hear = this.hear;
  }

  update(send) {
    this.send = send;
    this.refresh();
  }

  async refresh() {}

  close() {
    if (this.told.hear === this.hear) delete this.told.hear; // else another one stands there already
    super.close();
  }
}

// What the script of such a component exports.
export const carriedOf = (Kind) => ({ data: [data], parentElement, setStateValue }) => {
  const [made, leave] = atPlace(parentElement, () => new Kind(parentElement, data.key));
  made.update(setStateValue);
  return leave;
};
