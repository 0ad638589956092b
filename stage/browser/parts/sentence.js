// Another sentence, typed while the stage fills the window: a field at its foot, for the key t.

import { turnsPage } from "../act/gestures.js";
import { focusIn } from "../dom/buttons.js";
import { element } from "../dom/elements.js";

export class SentenceField {
  // `send(text)` returns the number by which the host will say that it is done; `closed()` is called where
  // the focus was in the field.
  constructor(parent, send, closed) {
    this.parent = parent;
    this.send = send;
    this.closed = closed;
    this.form = null; // while it is open
    this.sent = 0; // what waits for an answer
  }

  get isOpen() { return !!this.form; }

  open({ text, most }) {
    if (this.isOpen) return;
    const label = element("label", "", TEXTS("sentence")), input = element("input");
    this.form = element("form", "sentence-field");
    this.said = element("div", "refused");
    this.said.setAttribute("role", "alert");
    input.value = text;
    input.autocomplete = "off";
    label.append(input);
    this.form.append(label, this.said);
    this.form.onsubmit = (event) => {
      event.preventDefault();
      this.said.textContent = "";
      this.sent = this.send([...input.value].slice(0, most).join(""));
    };
    input.onkeydown = (event) => {
      if (turnsPage(event)) return this.close(); // a remote goes on from here too
      event.stopPropagation();
      if (event.key === "Escape") this.close();
    };
    this.parent.append(this.form);
    input.focus();
    input.select();
  }

  // The host has answered: the sentence is shown, or the field says why it is not.
  hear({ done, refused }) {
    if (!this.isOpen || !this.sent || done < this.sent) return;
    this.sent = 0;
    if (refused) this.said.textContent = refused;
    else this.close();
  }

  close() {
    if (!this.isOpen) return;
    const had = focusIn(this.form);
    this.form.remove();
    this.form = null;
    this.sent = 0;
    if (had) this.closed();
  }
}
