// The stage on paper: laid out for the width of a sheet, and for the screen again. These are methods
// of the stage; stage.js takes them over, and print.css has the looks of `paper`.
//
// All of it is done before the browser counts its sheets: what grew later would be cut.

// A4 between margins of 10 mm, the narrower of the two common sheets; a notebook, where the stage is in
// a frame, has margins of its own.
const SHEET = 718, SHEET_OF_NOTEBOOK = 610;
// The height of the lower of the two, Letter, less a page's title and reason; and what usually stands
// above the focus, and above and below it.
const TALL = 880, HEADS = 190, AROUND = 440;

export const Printing = {
  printable() {
    this.sheet = 0; // its width, on paper
    const paper = matchMedia("print");
    const acts = [
      [globalThis, "beforeprint", () => this.toPaper()],
      [paper, "change", () => { if (paper.matches) this.squeeze(); }],
      [globalThis, "afterprint", () => this.toScreen()],
    ];
    acts.forEach(([there, kind, act]) => there.addEventListener(kind, act));
    this.unprintable = () => acts.forEach(([there, kind, act]) => there.removeEventListener(kind, act));
  },

  toPaper() {
    if (!this.run || !this.at || this.presenting) return;
    this.before ||= {
      open: this.toolbar.root.open,
      scrolled: this.scrollers().map((part) => [part, part.scrollLeft, part.scrollTop]),
    };
    const framed = globalThis !== globalThis.top;
    this.sheet = framed ? SHEET_OF_NOTEBOOK : SHEET;
    this.root.classList.add("paper");
    this.root.style.width = `${this.sheet}px`;
    this.formula.drawWhole();
    this.sheets = [TALL - AROUND, TALL - HEADS];
    this.fit();
    this.point(this.at.cell); // whose arithmetic is printed, wherever the mouse is
    this.sheets[0] = TALL - (this.root.offsetHeight - this.focus.offsetHeight);
    this.fit();
    this.shrink();
    if (framed) this.fillFrame();
  },

  // What is still wider than the sheet is printed smaller: nothing on paper can be scrolled to.
  shrink() {
    const { map, focus, workings, arithmetic } = this;
    this.shrunk = [map.root, ...focus.children, workings.firstChild, arithmetic.rows].filter(Boolean);
    const rooms = this.shrunk.map((part) => (
      part.parentNode.clientWidth / Math.max(part.scrollWidth, part.offsetWidth)
    ));
    this.shrunk.forEach((part, number) => { part.style.zoom = rooms[number] < 1 ? rooms[number] : ""; });
  },

  // A frame is on paper as high as on the screen.
  fillFrame() {
    const beyond = document.documentElement.scrollHeight - innerHeight, { offsetHeight } = this.root;
    if (beyond > 0) this.root.style.zoom = 1 - beyond / offsetHeight;
  },

  // Chromium tells how wide its sheet is once it has laid out the page for it: a narrow one takes all
  // of the stage smaller.
  squeeze() {
    const { parentElement } = this.root;
    const room = (parentElement || this.root.getRootNode().host).clientWidth;
    const size = Number(this.root.style.zoom) || 1;
    if (this.sheet && room < size * this.sheet) this.root.style.zoom = room / this.sheet;
  },

  toScreen() {
    if (!this.sheet) return;
    this.sheet = this.width = 0; // the window may have another size by now
    this.root.classList.remove("paper");
    this.root.style.width = this.root.style.zoom = "";
    this.shrunk.forEach((part) => { part.style.zoom = ""; });
    this.formula.toggle(this.formula.isOpen);
    this.fit();
    const { open, scrolled } = this.before;
    this.before = null;
    this.toolbar.root.open = open;
    scrolled.forEach(([part, left, top]) => part.scrollTo({ left, top, behavior: "instant" }));
    this.point(this.hovered && this.run.has(this.hovered) ? this.hovered : this.at.cell);
  },

  // Parts of the stage that scroll, and what scrolls around it.
  scrollers() {
    const found = [this.map.root, this.formula.whole, this.focus, this.workings, this.arithmetic.maths];
    for (let node = this.root; node; node = node.parentNode || node.host) {
      if (node.scrollTop) found.push(node);
    }
    return found;
  },
};
