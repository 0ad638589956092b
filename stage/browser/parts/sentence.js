// Another sentence, typed while the stage fills the window: a field at its foot, for the key t. These
// are methods of the stage; stage.js takes them over.

import { turnsPage } from "../act/gestures.js";
import { element } from "../dom/elements.js";

export const Sentences = {
  // Whether the host takes another sentence here.
  takesSentence() { return !!(this.presenting && this.answered.sentence && this.run); },

  openSentence() {
    if (this.asking || !this.takesSentence()) return;
    const { text, most } = this.answered.sentence;
    const form = element("form", "sentence-field"), label = element("label", "", TEXTS("sentence"));
    const input = element("input"), said = element("div", "refused");
    said.setAttribute("role", "alert");
    input.value = text;
    input.autocomplete = "off";
    label.append(input);
    form.append(label, said);
    form.onsubmit = (event) => {
      event.preventDefault();
      said.textContent = "";
      this.act("sentence", { text: [...input.value].slice(0, most).join("") });
      this.asking.sent = this.acts.at(-1).number;
    };
    input.onkeydown = (event) => {
      if (turnsPage(event)) return this.closeSentence(); // a remote goes on from here too
      event.stopPropagation();
      if (event.key === "Escape") this.closeSentence();
    };
    this.asking = { form, said, sent: 0 };
    this.root.append(form);
    input.focus();
    input.select();
  },

  // The host has answered: the sentence is shown, or the field says why it is not.
  hearSentence({ done, refused }) {
    if (!this.asking?.sent || done < this.asking.sent) return;
    this.asking.sent = 0;
    if (refused) this.asking.said.textContent = refused;
    else this.closeSentence();
  },

  closeSentence() {
    if (!this.asking) return;
    const had = this.asking.form.contains(this.active());
    this.asking.form.remove();
    this.asking = null;
    if (had && this.presenting) this.focusTitle();
  },
};
