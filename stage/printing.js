// The stage on paper: laid out for the width of a sheet, and for the screen again. These are methods
// of the stage; stage.js takes them over.

// A4 between margins of 10 mm, the narrower of the two common sheets. Chromium tells how wide its own
// is once it has laid out the page for it; other browsers print what they found before.
const SHEET = 718;
// The height of the lower of the two, Letter, less a page's title and reason; and what formula, strip and
// "this number" usually leave of that for the focus.
const TALL = 880, REST = 440;

const Printing = {
  printable() {
    const paper = matchMedia("print");
    const turned = () => (paper.matches ? this.toPaper(this.root.clientWidth) : this.toScreen());
    const before = () => this.toPaper(SHEET), after = () => this.toScreen();
    paper.addEventListener("change", turned);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    this.unprintable = () => {
      paper.removeEventListener("change", turned);
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  },

  toPaper(width) {
    if (!this.run || !width) return;
    const wide = [this.strip, this.focus, this.workings, this.arithmetic.maths];
    this.before ||= { open: this.toolbar.open, scrolled: wide.map((part) => [part, part.scrollLeft]) };
    this.sheet = width;
    this.rest = REST;
    this.fit();
    this.point(this.at.cell); // whose arithmetic is printed, wherever the mouse is
    if (matchMedia("print").matches) {
      this.rest = TALL - (this.root.offsetHeight - this.focus.offsetHeight);
      this.fit();
      this.shrink();
    }
  },

  // What is still wider than the sheet is printed smaller: nothing on paper can be scrolled to.
  shrink() {
    const { strip, focus, workings, arithmetic } = this;
    this.shrunk = [strip, ...focus.children, workings.firstChild, arithmetic.rows].filter(Boolean);
    this.shrunk.forEach((part) => { part.style.zoom = ""; });
    const rooms = this.shrunk.map((part) => (
      part.parentNode.clientWidth / Math.max(part.scrollWidth, part.offsetWidth)
    ));
    this.shrunk.forEach((part, number) => { if (rooms[number] < 1) part.style.zoom = rooms[number]; });
  },

  toScreen() {
    if (!this.sheet) return;
    this.sheet = this.width = 0; // the window may have another size by now
    this.shrunk?.forEach((part) => { part.style.zoom = ""; });
    this.fit();
    const { open, scrolled } = this.before;
    this.before = null;
    this.toolbar.open = open;
    scrolled.forEach(([part, left]) => { part.scrollLeft = left; });
    this.point(this.hovered && this.run.has(this.hovered) ? this.hovered : this.at.cell);
  },
};
