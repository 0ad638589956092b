// The button that asks a class. The room that a teacher opened, and its key, stay in this browser;
// where it refuses to keep anything, the session has them. A page without a button may ask for them.

import { atPlace, drawnAt, element } from "../../../stage/browser/dom/elements.js";
import { Events } from "../../components/events.js";

const KEPT = "attention-class";

function keptRoom() {
  try {
    const { code, key } = JSON.parse(localStorage.getItem(KEPT));
    return { code: String(code), key: String(key) };
  } catch {
    return null;
  }
}

function keepRoom(room) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(room));
  } catch {
    // the session has it
  }
}

class ClassButton {
  constructor(parent) {
    this.events = new Events();
    this.button = element("button", "ask-class");
    this.button.type = "button";
    this.button.dataset.testid = "ask-class";
    this.button.onclick = () => this.events.tell("press", { room: keptRoom() });
    parent.append(this.button);
  }

  update(data, send) {
    this.events.hear(data, send);
    this.button.textContent = data.label;
    this.button.classList.toggle("primary", Boolean(data.primary));
    if (data.room) keepRoom(data.room);
    this.button.hidden = !data.label || (data.teachers && !keptRoom());
    const kept = data.wants && !this.found ? keptRoom() : null;
    if (kept && kept.code === data.wants) {
      this.found = true;
      this.events.tell("press", { room: kept });
    }
  }

  close() {
    this.button.remove();
  }
}

export default function ({ data: [data], parentElement, setStateValue }) {
  const [button, leave] = atPlace(parentElement, () => new ClassButton(parentElement));
  button.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
}
