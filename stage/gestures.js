// What hands do on the stage: keys, typing into cells, painting a mask, and letting it play.
// These are methods of the stage; stage.js takes them over.

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const SETTLE = 150, BEAT = 700;

// All stages of the page, so that one of them answers what is meant for one.
const together = (globalThis[Symbol.for("attention-stages")] ||= new Set());

// The stage that has the focus, or else one that fills much of the window: none that is out of sight.
function inView() {
  const seen = ({ root }) => {
    const { top, bottom } = root.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - Math.max(top, 0);
  };
  const stages = [...together];
  const filling = stages.find(({ presenting }) => presenting);
  if (filling) return filling;
  const focused = stages.find(({ root }) => root.contains(root.getRootNode().activeElement));
  return focused || stages.find((stage) => seen(stage) >= 0.4 * innerHeight);
}

// The last stage before a link that shows an array of that name, or else the first one.
function meantBy(link, name) {
  const stages = [...together].filter((stage) => stage.run?.shapes[name]);
  const before = stages.filter(({ root }) => (
    root.getRootNode().host.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING
  ));
  const later = (a, b) => a.root.getBoundingClientRect().top - b.root.getBoundingClientRect().top;
  return before.sort(later).pop() || stages.sort(later)[0];
}

const Gestures = {
  page(event) {
    if (!this.at || inView() !== this) return;
    if (this.presented(event)) return event.preventDefault();
    const free = this.presenting && !this.active().matches('[role="gridcell"], [role="radio"], textarea');
    const by = { PageDown: 1, PageUp: -1, ...(free && { ArrowRight: 1, ArrowLeft: -1 }) }[event.key];
    const typing = event.target.closest?.("input:not([type=range]):not([type=radio]), textarea");
    if (!by || typing || event.ctrlKey || event.altKey || event.metaKey) return;
    const stop = this.stops[this.stop + by];
    if (!stop) return; // past the last step the page scrolls on
    event.preventDefault();
    this.go(stop.first, stop.inside);
  },

  // Prose may point at the stage: [K](#stage-K) lights that matrix; a click goes to its step.
  prose(event) {
    const link = event.target.closest?.('a[href^="#stage-"]');
    const name = link ? link.hash.slice("#stage-".length) : "";
    const mine = link && meantBy(link, name) === this;
    this.light(mine ? name : "");
    if (event.type !== "click" || !mine) return;
    event.preventDefault();
    this.root.scrollIntoView({ block: "nearest" });
    if (!this.shown.some((m) => m.part === "focus" && m.view.name === name)) this.go(name, this.isInside(name));
  },

  light(name) {
    this.lit = name;
    this.shown.forEach((matrix) => matrix.root.classList.toggle("lit", matrix.view.name === name));
  },

  key(event) {
    const cell = event.target.closest?.('[role="gridcell"]');
    if (!cell || event.target.matches("input")) return;
    const grid = cell.closest('[role="grid"]');
    const row = Number(cell.dataset.row), col = Number(cell.dataset.col);
    const at = (r, c) => grid.querySelector(`[data-row="${r}"][data-col="${c}"]`);
    let next = null;
    if (ARROWS[event.key]) next = at(row + ARROWS[event.key][0], col + ARROWS[event.key][1]);
    else if (event.key === "Home") next = at(row, 0);
    else if (event.key === "End") next = [...grid.querySelectorAll(`[data-row="${row}"]`)].pop();
    else if (event.key === "Enter") this.choose(cell.dataset.cell);
    else if (event.key === " ") this.toggleMask(cell);
    else if (event.key === "F2" || /^[-0-9.]$/.test(event.key)) {
      this.edit(cell, event.key === "F2" ? null : event.key);
    } else return;
    event.preventDefault();
    if (!next) return;
    next.focus();
    this.choose(next.dataset.cell, SETTLE);
  },

  view(cell) {
    const name = cell.closest("[data-matrix]").dataset.matrix;
    return this.shown.find((m) => m.part === "focus" && m.view.name === name)?.view;
  },

  // Editing one number in place: double click, F2, or just type it.
  edit(cell, typed = null) {
    if (!cell?.matches('[role="gridcell"]') || !this.view(cell)?.editable) return;
    const input = element("input");
    const before = cell.querySelector(".number").textContent;
    input.value = typed ?? before.replaceAll(MINUS, "-");
    input.setAttribute("aria-label", `New value of ${cell.dataset.cell}`);
    let open = true; // removing the field blurs it, which must not commit again
    const close = (commit) => {
      if (!open) return;
      open = false;
      const text = input.value.trim();
      input.remove();
      cell.focus();
      if (commit && text !== before.replaceAll(MINUS, "-")) {
        this.act("edit", { cell: cell.dataset.cell, text });
      }
    };
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") close(true);
      if (event.key === "Escape") close(false);
    };
    // Where the stage itself takes the field away, nothing was meant by it.
    input.onblur = () => setTimeout(() => input.isConnected && close(true));
    cell.append(input);
    input.focus();
    if (typed === null) input.select();
  },

  // Painting a mask: press on a cell and drag; every cell on the way gets what the first one got.
  paintable() {
    const over = (event) => {
      const cell = event.target.closest?.('[role="gridcell"]');
      return cell && this.view(cell)?.paint ? cell : null;
    };
    const mark = (cell) => {
      this.stroke.cells.add(cell.dataset.cell);
      cell.classList.add("painted");
    };
    this.root.addEventListener("pointerdown", (event) => {
      const cell = over(event);
      if (!cell) return;
      event.target.releasePointerCapture?.(event.pointerId);
      this.stroke = { visible: cell.classList.contains("masked"), cells: new Set() };
      mark(cell);
    });
    this.root.addEventListener("pointerover", (event) => {
      if (this.stroke && over(event)) mark(over(event));
    });
    this.root.addEventListener("pointercancel", () => { this.stroke = null; });
  },

  lifted() {
    if (!this.stroke) return;
    this.act("paint", { cells: [...this.stroke.cells], visible: this.stroke.visible });
    this.stroke = null;
  },

  toggleMask(cell) {
    if (!this.view(cell)?.paint) return;
    const visible = cell.classList.contains("masked");
    this.act("paint", { cells: [cell.dataset.cell], visible });
  },

  // Play: walk the cells of the step's last matrix in order, row meeting column.
  play() {
    if (this.playing) return this.pause();
    const matrix = this.large.results.at(-1) || this.large.row.at(-1);
    const ids = matrix.cells.map((cell) => cell.dataset.cell);
    let number = Math.max(ids.indexOf(this.pointed), -1);
    const advance = () => {
      number += 1;
      if (number >= ids.length) return this.pause();
      this.hovered = ids[number]; // what is drawn anew in the meantime keeps it
      this.point(this.hovered);
    };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return advance();
    if (number === ids.length - 1) number = -1;
    this.playing = setInterval(advance, BEAT);
    advance();
    this.draw();
  },

  pause() {
    if (!this.playing) return;
    clearInterval(this.playing);
    this.playing = null;
    this.choose(this.pointed);
  },
};
