// Projecting: the stage alone fills the window and fits it, at every step. These are methods of the
// stage; stage.js takes them over.

const LARGEST_DIGITS = 44;
// How many times as long as it is wide a cell may be, either way.
const LONGEST = 3.2;
// The height of a matrix' caption and of its column labels, and the gap below, in label sizes.
const ABOVE = 3.1;
// Labels and the map's names in parts of the window's height, and the largest.
const READ_FROM_AFAR = 1 / 39, LARGEST_LABEL = 27;

const Presenting = {
  // The top layer is above whatever the host's page shows, and out of its scrolling boxes.
  present() {
    if (this.presenting) return;
    this.pause();
    this.presenting = true;
    this.body.style.minHeight = "";
    this.root.classList.add("present");
    this.root.popover = "manual";
    this.root.showPopover?.();
    this.tellShown(true);
    Curtain.the.projecting.add(this);
    this.toolbar.open = true;
    this.tools.lastChild.prepend(this.toolbar);
    if (this.run) this.draw();
  },

  // Something of the stage's came to stand beside it since.
  makeRoom() {
    if (!this.presenting) return;
    this.tellShown(true);
    this.openBehind();
    this.shutBehind();
    if (this.run) this.draw();
  },

  leave() {
    if (!this.presenting) return;
    this.unfill();
    if (document.fullscreenElement) document.exitFullscreen();
    this.draw();
    this.report();
    this.host.left?.();
  },

  // Something else is projected from now on: another stage of the page may fill the window already.
  makeWay() {
    if (!this.presenting) return;
    this.unfill();
    this.draw();
    document.dispatchEvent(new CustomEvent("stage-room"));
  },

  unfill() {
    this.pause();
    this.presenting = false;
    Curtain.the.leave(this);
    this.tellShown(false);
    this.openBehind();
    this.root.hidePopover?.();
    this.root.removeAttribute("popover");
    this.root.classList.remove("present");
    this.toolbar.open = !this.narrow;
    this.shows.append(this.workings, this.toolbar);
    this.shutTools();
    [this.formula.root, this.arithmetic.rows, this.arithmetic.verdict, this.workings].forEach((part) => { part.style.fontSize = ""; });
    [...this.arithmetic.rows.children].forEach((row) => { row.classList.remove("left-out"); });
  },

  // What belongs to the stage may stand beside it, in the part of the window that it takes.
  tellShown(on) {
    const detail = { stage: this.config?.stage, on, beside: [], taken: 0 };
    document.dispatchEvent(new CustomEvent("stage-shown", { detail }));
    this.beside = on ? detail.beside : [];
    this.root.classList.toggle("taken", on && detail.taken > 0);
    this.root.style.setProperty("--taken", `${100 * (on ? detail.taken : 0)}vw`);
  },

  // What stands behind the window is not reached by keys or screen readers; more may come there.
  shutBehind() {
    const covers = (part) => part.matches("[popover]"); // as a curtain does
    const open = around(this.root, ...this.beside).filter((part) => !part.inert && !covers(part));
    open.forEach((part) => { part.inert = true; });
    this.behind.push(...open);
  },

  openBehind() {
    this.behind.forEach((part) => { part.inert = false; });
    this.behind = [];
  },

  // A person asks for it: the window too takes the whole screen, where it may.
  fill() {
    document.documentElement.requestFullscreen?.().catch(() => {});
    this.present();
    this.report();
  },

  // Cells and digits as large as the window allows, once the lines above and below have their size.
  fitWindow() {
    this.root.classList.remove("narrow", "beside");
    this.formula.root.style.fontSize = `${Math.max(innerHeight / 30, 19)}px`;
    this.formula.fit();
    this.fitArithmetic();
    this.fitMap(this.root.clientWidth - 40, false, innerHeight * READ_FROM_AFAR);
    this.fitInside(this.arithmetic.verdict, Math.max(innerHeight / 40, 14), 12);
    const { large } = this;
    // A corner's empty quarter has room for the workings.
    const place = large.left ? this.focus.querySelector(".nothing") : this.shows;
    if (this.workings.parentNode !== place) place.append(this.workings);
    if (!large.left) this.fitInside(this.workings, innerHeight / 40, 7);
    const { clientWidth: width } = this.shows;
    const height = this.shows.clientHeight - (large.left ? 0 : this.workings.offsetHeight);
    const shown = [...large.row, ...large.above, ...large.results, large.left].filter(Boolean);
    const viewed = (matrices) => matrices.map(({ view }) => view);
    const corner = large.left ? [large.left, ...large.results] : [];
    const across = [corner, large.row].filter((line) => line.length).map(viewed);
    const down = [large.row, large.above, corner].filter((line) => line.length);
    const views = viewed(shown);
    const big = Math.max(...views.map((view) => Math.max(view.rows, view.cols)));
    const rows = down.reduce((sum, line) => sum + Math.max(...line.map(({ view }) => view.rows)), 0);
    // Labels are no higher than the cells that they stand beside.
    const size = Math.min(LARGEST_LABEL, innerHeight * READ_FROM_AFAR, height / (1.25 * rows + down.length * ABOVE));
    const label = big > MAX_LABELS ? 0 : this.widest(shown.flatMap(labelsBeside), size) + 14;
    const gap = big > MAX_NUMBERS ? 0 : 2;
    const cell = Math.min(...across.map((line) => {
      const cols = line.reduce((sum, view) => sum + view.cols, 0);
      const labels = (line === across[0] && corner.length ? 2 : ownLabels(large.row)) * label;
      return (width - labels - line.length * 30) / cols - gap;
    }));
    const upright = this.uprightOf(shown, cell, size);
    const heads = sum(down.map((line) => size * (ABOVE - LABEL_LINE) + this.labelsHigh(line, upright, size))) + (down.length - 1) * 8;
    const room = Math.floor((height - heads) / rows) - gap;
    const wide = Math.floor(Math.min(cell, LONGEST * room)), high = Math.min(room, LONGEST * wide);
    const texts = shown.filter(({ numbered }) => numbered).flatMap(({ view }) => view.text);
    const longest = Math.max(4.4, ...texts.map((text) => text.length));
    this.put({ abreast: large.row.length, terse: 0, upright, cell: wide, coloured: big > MAX_NUMBERS });
    const changed = shown.some(({ changes }) => changes);
    const digits = Math.min(wide / (DIGIT * (longest + 0.3)), high / (changed ? 1.75 : 1.12), LARGEST_DIGITS);
    const sizes = {
      "--cell": `${wide}px`, "--cell-height": `${big > MAX_NUMBERS ? Math.min(wide, high) : high}px`,
      "--digits": `${Math.floor(10 * digits) / 10}px`, "--label": `${label}px`, "--label-size": `${size}px`,
      "--gap": `${gap}px`,
    };
    this.putSizes(sizes);
    // A caption may be wider than its matrix, and does not get smaller with it.
    for (let part = 1; part > 0.6 && this.focus.scrollWidth > width;) {
      part *= 0.98 * (width / this.focus.scrollWidth);
      this.putSizes({ ...sizes, "--cell": `${Math.floor(part * wide)}px`, "--digits": `${Math.floor(10 * part * digits) / 10}px` });
    }
    if (large.left) this.fitInside(this.workings, innerHeight / 40, 7);
  },

  // The arithmetic on its line; where that is too long to be read from the last row, its end.
  fitArithmetic() {
    const { rows } = this.arithmetic, lines = [...rows.children];
    lines.forEach((line) => { line.classList.remove("left-out"); });
    this.fitInside(rows, innerHeight / 32, innerHeight / 45);
    if (this.root.classList.contains("taken") || rows.scrollWidth <= rows.clientWidth) return;
    const gap = parseFloat(getComputedStyle(rows).columnGap) || 0;
    let room = rows.clientWidth - 2 * gap;
    const widths = lines.map((line) => line.getBoundingClientRect().width + gap);
    lines.reverse().forEach((line, at) => {
      room -= widths.at(-1 - at);
      line.classList.toggle("left-out", at > 0 && room < 0);
    });
  },

  // Letters as large as their box allows; where lines wrap, smaller ones take fewer lines.
  fitInside(box, most, least) {
    const wraps = this.root.classList.contains("taken");
    let size = most;
    for (let tries = 0; tries < (wraps ? 12 : 1); tries += 1) {
      box.style.fontSize = `${size}px`;
      const part = Math.min(box.clientWidth / box.scrollWidth, box.clientHeight / box.scrollHeight);
      if (part >= 1 || size <= least) return;
      size = Math.max(least, Math.max(0.97 * part, wraps ? 0.92 : 0) * size);
    }
    box.style.fontSize = `${size}px`;
  },
};

// How many of the matrices side by side have row labels of their own.
const ownLabels = (row) => row.filter((matrix, number) => !number || !sameRows(matrix, row[number - 1])).length;

// Everything on the page but some nodes and what they stand in.
function around(...nodes) {
  const inside = new Set(nodes.flatMap(lineage));
  const beside = [...inside].flatMap((at) => [...(at.parentNode?.children || [])]);
  return beside.filter((other) => !inside.has(other) && other instanceof HTMLElement);
}

// A node and what it stands in, up to the page's body.
function lineage(node) {
  const found = [];
  for (let at = node; at && at !== document.body; at = at.parentNode || at.host) found.push(at);
  return found;
}
