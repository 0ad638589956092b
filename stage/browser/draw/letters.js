// How wide texts and formulas will be, without drawing them.

// What signs of a formula take beside its letters.
const SIGNS = 20;
// A label's size in that of the stage.
const LABEL_SIZE = 0.84;
const PEN = document.createElement("canvas").getContext("2d");

export class Letters {
  constructor(root) {
    this.root = root; // whose letters they are
    this.type = null; // the style of these
    this.family = ""; // the font of formulas
  }

  get style() { return (this.type ||= getComputedStyle(this.root)); }

  // How wide the widest of some labels is, at their own size or at another.
  widest(labels, size) {
    const { fontFamily, fontSize } = this.style;
    PEN.font = `${size || LABEL_SIZE * parseFloat(fontSize)}px ${fontFamily}`;
    return Math.max(0, ...labels.map((label) => PEN.measureText(label).width));
  }

  // How wide a formula is, about.
  formula(plain) {
    const drawn = !this.family && this.root.querySelector("math");
    if (drawn) this.family = getComputedStyle(drawn).fontFamily;
    PEN.font = `${this.style.fontSize} ${this.family || "math"}`;
    return PEN.measureText(plain).width + SIGNS;
  }
}
