// A class's QR code over the whole window, on demand: the button, or the key q. Escape or q ends it.

import { atPlace, drawnAt, element } from "../../../stage/browser/dom/elements.js";
import { SingleKeys } from "../../../stage/browser/present/curtain.js";

class JoinCode {
  constructor(parent) {
    this.button = element("button", "show-code");
    this.button.type = "button";
    this.dialog = element("dialog");
    this.button.onclick = () => this.turn();
    this.dialog.onclick = () => this.dialog.close();
    this.pressed = (event) => this.key(event);
    addEventListener("keydown", this.pressed);
    parent.append(this.button, this.dialog);
  }

  update({ label, how, address, code, picture, alt }) {
    this.button.textContent = label;
    this.dialog.setAttribute("aria-label", alt);
    const image = element("img"), said = element("div");
    image.src = picture;
    image.alt = alt;
    said.append(element("p", "", how), element("p", "address", address), element("p", "code", code));
    this.dialog.replaceChildren(image, said);
  }

  key({ key, target, ctrlKey, altKey, metaKey }) {
    if (key !== "q" || ctrlKey || altKey || metaKey || !SingleKeys.on) return;
    if (!target.closest?.("input, textarea, [contenteditable]")) this.turn();
  }

  turn() {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  close() {
    removeEventListener("keydown", this.pressed);
    this.button.remove();
    this.dialog.remove();
  }
}

export default function ({ data: [data], parentElement }) {
  const [code, leave] = atPlace(parentElement, () => new JoinCode(parentElement));
  code.update(data);
  drawnAt(parentElement);
  return leave;
}
