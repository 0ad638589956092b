// The stage on paper: laid out for the width of a sheet, and for the screen again. print.css has the looks
// of `paper`.
//
// All of it is done before the browser counts its sheets: what grew later would be cut.

// A4 between margins of 10 mm, the narrower of the two common sheets; a notebook, where the stage is in
// a frame, has margins of its own.
const SHEET = 718, SHEET_OF_NOTEBOOK = 610;
// The height of the lower of the two, Letter, less a page's title and reason; and what usually stands
// above the focus, and above and below it.
const TALL = 880, HEADS = 190, AROUND = 440;

export class Paper {
  constructor(stage) {
    this.stage = stage;
    this.width = 0; // of the sheet, while on paper
    this.heights = []; // that the focus may have there
    this.shrunk = []; // what is printed smaller
    this.before = null; // what was open and scrolled to on the screen
    const screen = matchMedia("print");
    /** @type {[EventTarget, string, () => void][]} */
    this.acts = [
      [globalThis, "beforeprint", () => this.enter()],
      [screen, "change", () => { if (screen.matches) this.squeeze(); }],
      [globalThis, "afterprint", () => this.leave()],
    ];
    this.acts.forEach(([there, kind, act]) => there.addEventListener(kind, act));
  }

  close() {
    this.acts.forEach(([there, kind, act]) => there.removeEventListener(kind, act));
  }

  enter() {
    const { stage } = this, { root } = stage;
    if (!stage.run || !stage.at || stage.presenting) return;
    this.before ||= {
      open: stage.toolbar.root.open,
      scrolled: this.scrollers().map((part) => [part, part.scrollLeft, part.scrollTop]),
    };
    const framed = window !== window.top;
    this.width = framed ? SHEET_OF_NOTEBOOK : SHEET;
    root.classList.add("paper");
    root.style.width = `${this.width}px`;
    stage.formula.drawWhole();
    this.heights = [TALL - AROUND, TALL - HEADS];
    stage.fit();
    stage.point(stage.at.cell); // whose arithmetic is printed, wherever the mouse is
    this.heights[0] = TALL - (root.offsetHeight - stage.focus.offsetHeight);
    stage.fit();
    this.shrink();
    if (framed) this.fillFrame();
  }

  // What is still wider than the sheet is printed smaller: nothing on paper can be scrolled to.
  shrink() {
    const { map, focus, workings, arithmetic } = this.stage;
    this.shrunk = [map.root, ...focus.children, workings.root.firstChild, arithmetic.rows].filter(Boolean);
    const rooms = this.shrunk.map((part) => (
      part.parentNode.clientWidth / Math.max(part.scrollWidth, part.offsetWidth)
    ));
    this.shrunk.forEach((part, number) => { part.style.zoom = rooms[number] < 1 ? rooms[number] : ""; });
  }

  // A frame is on paper as high as on the screen.
  fillFrame() {
    const { root } = this.stage, beyond = document.documentElement.scrollHeight - innerHeight, { offsetHeight } = root;
    if (beyond > 0) root.style.zoom = 1 - beyond / offsetHeight;
  }

  // Chromium tells how wide its sheet is once it has laid out the page for it: a narrow one takes all
  // of the stage smaller.
  squeeze() {
    const { root } = this.stage, { clientWidth: room } = root.parentElement || root.getRootNode().host;
    const size = Number(root.style.zoom) || 1;
    if (this.width && room < size * this.width) root.style.zoom = room / this.width;
  }

  leave() {
    if (!this.width) return;
    const { stage } = this, { root, formula, hovered } = stage;
    this.width = stage.width = 0; // the window may have another size by now
    root.classList.remove("paper");
    root.style.width = root.style.zoom = "";
    this.shrunk.forEach((part) => { part.style.zoom = ""; });
    formula.toggle(formula.isOpen);
    stage.fit();
    const { open, scrolled } = this.before;
    this.before = null;
    stage.toolbar.root.open = open;
    scrolled.forEach(([part, left, top]) => part.scrollTo({ left, top, behavior: "instant" }));
    stage.point(hovered && stage.run.has(hovered) ? hovered : stage.at.cell);
  }

  // Parts of the stage that scroll, and what scrolls around it.
  scrollers() {
    const { root, map, formula, focus, workings, arithmetic } = this.stage;
    const found = [map.root, formula.whole, focus, workings.root, arithmetic.maths];
    for (let node = root; node; node = node.parentNode || node.host) if (node.scrollTop) found.push(node);
    return found;
  }
}
