// How the stage draws its parts, each only where what it is drawn from has changed. These are
// methods of the stage; stage.js takes them over.

import { whenIdle } from "../dom/waiting.js";
import { innermost, parts } from "../run/run.js";
import { ColourMap } from "./colour_map.js";
import { isLarge, Matrix } from "./matrices.js";
import { seekInWindows } from "./windows.js";

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Drawing = {
  draw() {
    const { run, at } = this;
    const stops = this.stops, stop = run.stopOf(at.step, stops);
    if (this.stop !== stop) this.moved = true;
    this.stop = stop;
    this.places = { ...at.slices, ...run.places(at.step, this.row) };
    this.root.dataset.step = at.step;
    if (this.covers.find(run, stops, stop)) this.answers.last = null;
    const signs = [run.id, stops.length, stop, this.presenting];
    this.ribbon.draw();
    this.toolbar.draw({ run, options: this.options, places: this.places, folds: this.folds, names: stops[stop].names });
    const named = stops.map((stop) => [run.arrays[stop.first].caption[1], ...[stop, ...innermost(stop)].map(({ title, names }) => [title, names])]);
    this.anew("formula", [run.formula, run.roles, named], () => {
      this.formula.build(run, stops, (step) => this.goTo(step));
    });
    this.formula.light(stop);
    this.shown = [];
    this.panes.measure();
    this.anew("followed", [run.id, at.cell, at.step, this.panes.size], () => this.panes.follow());
    this.map.draw(run, this.places, stops, stop);
    this.drawFocus(stops[stop].focus);
    const covered = this.coveredHere().length;
    const differs = this.differs(), restores = this.changed(), playing = this.playing.isOn, { refused } = this.answered;
    this.anew("heading", [...signs, this.places, refused, differs, playing, covered, this.head.telling, restores], () => {
      this.head.draw({
        run, stops, now: stop, step: at.step, places: this.places, differs, apart: this.apart, covered, playing, restores,
        kept: this.config.kept_covered, refused: this.sentence.isOpen ? "" : refused,
      });
      this.tellStory(!covered);
    });
    this.code.draw(run, stops[stop]);
    const withheld = this.isRowWithheld();
    this.anew("workings", [run.id, at.step, this.row, this.table(), withheld, this.presenting], () => {
      this.workings.draw(run, this.table(), withheld, this.presenting);
    });
    this.drawNumber();
    this.tools.draw(stops[stop]);
    this.drawWaiting();
    this.fit();
    this.select();
    this.anew("sought", [at.cell, at.step, this.width, run.id], () => this.seek());
    // An answer that comes while somebody points at a cell does not take the highlight away.
    if (!this.ribbon.relight()) this.point(this.hovered && run.has(this.hovered) ? this.hovered : at.cell);
    this.light(this.lit);
    this.tellProse();
    this.projection.shutBehind();
    const seen = () => {
      this.map.reveal();
      this.measure();
    };
    if (this.moved && !this.presenting) {
      if (this.stood) requestAnimationFrame(seen);
      else seen(); // at first it is not painted in a size that it will not have
    }
    this.moved = false;
    if (!this.stood) this.host.drawn?.();
    this.stood = true;
    this.askNumbers();
    this.later();
  },

  // What can wait until the numbers stand there: what is said of them, and runs that may be next.
  later() {
    if (this.waits) return;
    this.waits = true;
    whenIdle(() => {
      this.waits = false;
      this.say();
      const ids = [this.run, ...this.leads].map(({ id }) => id);
      const unknown = this.leads.find(({ id }) => !this.runs.has(id));
      const unread = ids.map((id) => this.runs.get(id)).find((run) => run && !Object.hasOwn(run, "compiled"));
      if (unknown) this.keep(unknown);
      else if (unread) void unread.compiled;
      if (unknown || unread) this.later();
    });
  },

  seek() {
    seekInWindows(this.matrices, this.reachOf(this.at.cell));
  },

  say() {
    this.matrices.forEach((matrix) => matrix.say());
  },

  anew(part, from, draw) {
    const signature = JSON.stringify(from);
    if (this.drawn[part] === signature) return;
    this.drawn[part] = signature;
    draw();
  },

  // One drawn matrix for each place on the stage, kept between updates.
  matrix(kept, key, part, name, transposed = false) {
    const view = this.run.view(name, this.places, transposed), small = part === "strip" && isLarge(view);
    const place = small ? `${key} as colours` : key;
    if (!kept.has(place)) kept.set(place, new (small ? ColourMap : Matrix)(part));
    const matrix = kept.get(place);
    const changes = part === "focus" ? this.apart?.changes[name] : undefined;
    matrix.rough = !!this.config.rough;
    matrix.update(part === "focus" ? this.panes.of(view) : view, this.run.roles, changes, this.covers.cells[name]);
    this.shown.push(matrix);
    return matrix.root;
  },

  // What is asked of the host and has not come yet: said after a while.
  drawWaiting() {
    const { options, run, edits, answered, number, apart, compare, untouched, config } = this;
    const toggled = Object.entries(options).some(([key, value]) => run.options[key] !== value);
    const compared = config.comparisons.length && compare !== untouched.compare && !apart;
    const changes = edits.length || toggled || compared, lacks = this.lacksNumber();
    const waits = answered.number < number && (changes || lacks);
    this.root.toggleAttribute("aria-busy", !!waits);
    const said = waits && this.late ? TEXTS("waiting") : "";
    if (this.waiting.textContent && !waits) this.announce(TEXTS("answered"));
    this.waiting.textContent = said;
    // Where only the arithmetic is missing it is read there, and no line moves the cells.
    this.waiting.classList.toggle("heard", !changes);
    this.arithmetic.root.dataset.waits = said;
  },

  // How the step's matrix differs from the other run, where there is one.
  differs() {
    if (!this.apart || this.covers.cells[this.at.step]) return "";
    const view = this.run.view(this.at.step, this.places);
    return this.apart.said[this.at.step]?.[Math.floor(view.flat[0] / (view.rows * view.cols))] || "";
  },

  table() {
    return this.tables.get(`${this.run.id} ${[this.at.step, ...this.row].join(".")}`) || null;
  },

  // Whether the workings of the row where one looks would show a covered number.
  isRowWithheld() {
    const told = (this.table()?.rows || []).map(({ of }) => parts(of)).filter(([name]) => name);
    return this.covers.areWithheld([[this.at.step, this.row], ...told]);
  },

  foundNumber() {
    return this.explained.get(`${this.run.id} ${this.at.cell}`);
  },

  // Whether the selected cell's arithmetic is not known here yet.
  lacksNumber() {
    return !this.foundNumber() && !this.covers.isWithheld(this.at.cell);
  },

  // The selected cell's arithmetic, where it is known; else its place is kept until it comes.
  drawNumber() {
    const found = this.foundNumber(), withheld = this.covers.isWithheld(this.at.cell);
    if (withheld) this.drawCovered();
    else if (found) this.arithmetic.show(Object.assign({}, found, { heading: this.run.cellTitle(this.at.cell), roles: this.run.roles, verdict: this.answers.saidOf(this.at.cell) }));
    this.arithmetic.root.classList.toggle("unknown", this.lacksNumber());
    const [name] = parts(this.at.cell);
    const tapped = this.narrow && !this.presenting && this.matrices.find(({ view }) => view.name === name);
    const place = tapped ? tapped.root : this.shows;
    if (place.nextSibling !== this.arithmetic.root) place.after(this.arithmetic.root);
  },

  // In place of the arithmetic: a field for what one has worked out.
  drawCovered() {
    const { cell } = this.at;
    this.arithmetic.cover({
      title: this.run.cellName(cell),
      heading: this.run.cellTitle(cell),
      roles: this.run.roles,
      asks: this.covers.isCovered(cell),
      said: this.answers.saidOf(cell),
      answer: (typed) => this.answer(cell, typed),
      reveal: this.config.kept_covered ? null : () => this.recover(() => this.covers.liftCell(cell)),
    });
  },
};
