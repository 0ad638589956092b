// The stage: toolbar, formula bar, strip and focus of one run. It is told everything by data
// (stage/document.py) and knows no attention. Where one looks it keeps by itself: a step, a head or
// a cell waits for nobody. Its host is told of it afterwards, and answers what it has to add.

const PATIENCE = 700, IDLE = 250, MOST_RUNS = 40;

class Stage {
  // `host.report(state)` is called after every change; `config` says how its link writes them.
  constructor(parent, config, host) {
    Object.assign(this, { config, host });
    this.root = element("div", "stage");
    this.root.dataset.testid = "stage";
    this.toolbar = element("details", "toolbar");
    this.toolbar.open = true;
    this.formula = element("div");
    this.strip = element("div", "strip");
    this.heading = element("div", "heading");
    this.waiting = element("div", "waiting");
    this.waiting.setAttribute("role", "status");
    this.body = element("div", "body");
    this.shows = element("div", "shows");
    this.focus = element("div", "focus");
    this.workings = element("div", "workings");
    this.arithmetic = new ThisNumber();
    this.footer = element("div", "footer");
    this.root.append(
      this.toolbar, this.formula, this.strip, this.heading, this.waiting, this.body, this.footer,
    );
    this.shows.append(this.focus, this.workings);
    this.body.append(this.shows, this.arithmetic.root);
    this.root.classList.toggle("present", !!config.present);
    parent.append(this.root);
    this.matrices = new Map();
    this.shown = [];
    this.drawn = {};
    this.runs = new Map(); // by the id of their document
    this.tables = new Map(); // workings by document and cell
    this.explained = new Map(); // explanations, likewise
    this.at = null; // where one looks: step, cell, open, slices
    this.number = 0; // of the last thing a person did here
    this.seat = 0; // of the last move that the host made
    this.chose = 0; // the number of the last toggle
    this.options = {}; // what is chosen of the toggles
    this.compare = "";
    this.wants = ""; // the document whose alternatives are asked for
    this.acts = []; // edits and strokes that the host has not taken yet
    this.answer = { number: 0, done: 0 };
    together.add(this);
    this.listen();
  }

  listen() {
    const root = this.root;
    root.addEventListener("pointerover", (event) => {
      const cell = event.target.closest?.("[data-cell]");
      if (!cell || this.playing) return;
      this.hovered = cell.dataset.cell;
      this.point(this.hovered);
    });
    root.addEventListener("pointerleave", () => {
      this.hovered = "";
      if (!this.playing) this.point(this.at?.cell);
    });
    root.addEventListener("click", (event) => this.clicked(event));
    root.addEventListener("dblclick", (event) => this.edit(event.target.closest?.("[data-cell]")));
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", (event) => {
      const cell = event.target.closest?.('[role="gridcell"]');
      if (cell) this.point(cell.dataset.cell);
    });
    this.paintable();
    this.printable();
    this.outside = {
      keydown: (event) => this.page(event),
      pointerup: () => this.lifted(),
      pointerover: (event) => this.prose(event),
      focusin: (event) => this.prose(event),
      click: (event) => this.prose(event),
    };
    Object.entries(this.outside).forEach(([kind, act]) => document.addEventListener(kind, act));
    this.sizes = new ResizeObserver(([{ contentRect }]) => {
      if (this.sheet || contentRect.width === this.width) return;
      this.width = contentRect.width;
      this.fit();
    });
    this.sizes.observe(root);
  }

  close() {
    this.pause();
    clearTimeout(this.pending);
    clearTimeout(this.patience);
    clearTimeout(this.idle);
    together.delete(this);
    Object.entries(this.outside).forEach(([kind, act]) => document.removeEventListener(kind, act));
    this.sizes.disconnect();
    this.unprintable();
    this.arithmetic.close();
    this.root.remove();
  }

  // What the host tells. Its messages come in any order, and an older answer moves nothing back.

  hear({ document, ahead, differences, answer }) {
    if (!document) return;
    this.keep(document);
    if (ahead && ahead !== this.ahead && this.runs.has(ahead.of)) this.keepAhead(ahead);
    this.differences = differences;
    const news = answer && answer !== this.answer && answer.id === document.id;
    if (news && answer.number >= this.answer.number) this.take(answer, document);
    if (this.run && this.at) this.draw();
  }

  keep(document) {
    if (!this.runs.has(document.id)) this.runs.set(document.id, new Run(document));
    for (const id of this.runs.keys()) {
      if (this.runs.size <= MOST_RUNS) break;
      if (this.runs.get(id) !== this.run && id !== document.id) this.runs.delete(id);
    }
  }

  // Documents that say only what of another one differs.
  keepAhead(ahead) {
    this.ahead = ahead;
    const { document: whole } = this.runs.get(ahead.of);
    this.leads = ahead.documents.map(({ names, arrays, rest }) => {
      const all = Object.fromEntries(names.map((name) => [name, arrays[name] || whole.arrays[name]]));
      return { ...whole, ...rest, arrays: all };
    });
    this.leads.push(whole);
  }

  take(answer, document) {
    this.answer = answer;
    this.number = Math.max(this.number, answer.number);
    this.acts = this.acts.filter(({ number }) => number > answer.done);
    if (answer.table) this.tables.set(`${answer.id} ${answer.table.row}`, answer.table.table);
    if (answer.explained) this.explained.set(`${answer.id} ${answer.explained.cell}`, answer.explained);
    if (answer.number >= this.chose) { // nothing was chosen here that it does not know of
      this.options = { ...document.options };
      this.compare = answer.compare;
      this.show(this.runs.get(document.id));
    }
    if (answer.seat > this.seat) {
      this.seat = answer.seat;
      this.at = this.settled(answer.view);
    }
    this.host.link?.(this.link());
  }

  show(run) {
    if (this.run === run) return;
    this.run = run;
    if (this.at) this.at = this.settled(this.at);
    this.askAhead();
  }

  // When nothing else is to be done: the runs that the toggles of this one lead to.
  askAhead() {
    const { id, toggles } = this.run;
    if (!toggles.length || this.leads?.some((lead) => lead.id === id)) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.wants = id;
      this.report();
    }, IDLE);
  }

  // A place on this run, as near to the one that is wanted as there is.
  settled({ step, cell, open, slices }) {
    const { run } = this, [name, index] = run.opening;
    const inside = Object.fromEntries(run.sliced.map((letter) => (
      [letter, Math.min(slices[letter] || 0, run.axes[letter].size - 1)]
    )));
    const shown = run.shapes[step] ? step : name;
    if (run.has(cell)) return { step: shown, cell, open, slices: inside };
    const [source, at] = parts(cell);
    const known = run.shapes[source]?.length === at.length;
    const near = run.carried(shown, known ? source : name, known ? at : index, inside);
    return { step: shown, cell: [shown, ...near].join("."), open, slices: inside };
  }

  // Where one looks

  get stops() { return this.run.stops(this.at.step, this.at.open); }

  // The step's own cell at the place of the selected one.
  get row() {
    const [name, index] = parts(this.at.cell);
    if (name === this.at.step) return index;
    return this.run.carried(this.at.step, name, index, this.at.slices);
  }

  // The differences of the run on show from the one that it is compared with.
  get apart() {
    const { differences, run, compare } = this;
    return differences?.id === run.id && differences.compare === compare ? differences : null;
  }

  move(changed, wait = 0) {
    this.pause();
    this.hovered = "";
    this.at = { ...this.at, ...changed };
    this.draw();
    this.report(wait);
  }

  // To the stop of an array; `open`: inside the phase whose own array it is.
  go(step, open = false) {
    const [name, index] = parts(this.at.cell);
    const cell = [step, ...this.run.carried(step, name, index, this.at.slices)].join(".");
    this.move({ step, open, cell });
  }

  choose(cell, wait = 0) {
    this.move({ cell, open: this.stops[this.stop].inside }, wait);
  }

  // Another head is shown: the cell at the same place there is the selected one.
  slice(letter, place) {
    const slices = { ...this.at.slices, [letter]: place };
    const cell = [this.at.step, ...this.run.carried(this.at.step, this.at.step, this.row, slices)];
    this.move({ slices, cell: cell.join(".") });
  }

  // A toggle: its run is shown at once where it was told ahead, else when it comes.
  toggle(key, value) {
    if (key === "compare") this.compare = value;
    else this.options = { ...this.options, [key]: value };
    this.pause();
    this.chose = this.number + 1;
    const same = (run) => Object.entries(this.options).every(([k, v]) => run.options[k] === v);
    // Those of another sentence, say, lead nowhere from here.
    const mine = (this.leads || []).some(({ id }) => id === this.run.id);
    const lead = mine && this.leads.find(same);
    if (lead) {
      this.keep(lead);
      this.show(this.runs.get(lead.id));
    }
    this.draw();
    this.report();
  }

  act(kind, value) {
    this.number += 1;
    this.acts.push({ number: this.number, kind, ...value });
    this.report();
  }

  // Tells the host where one looks, with a number; what waits to be done goes along.
  report(wait = 0) {
    this.number += 1;
    this.host.link?.(this.link());
    clearTimeout(this.pending);
    const { number, acts, at } = this; // as they are now: nothing of it changes in place
    const send = () => {
      const options = { ...this.options, ...(this.compare && { compare: this.compare }) };
      this.host.report({ number, acts, id: this.run.id, ...at, options, ahead: this.wants, link: this.link() });
      clearTimeout(this.patience);
      this.late = false;
      this.patience = setTimeout(() => {
        this.late = true;
        this.drawWaiting();
      }, PATIENCE);
    };
    if (wait) this.pending = setTimeout(send, wait);
    else send();
  }

  // What a link says of where one looks: only what an untouched page does not show.
  link() {
    const { config, run, at } = this;
    const [name, index] = run.opening;
    const said = {};
    said.step = at.step === (config.step || name) ? "" : at.step;
    const untouched = [at.step, ...run.carried(at.step, name, index, at.slices)].join(".");
    said.cell = at.cell === untouched ? "" : at.cell;
    const [letter] = run.sliced;
    said.head = letter && at.slices[letter] ? String(at.slices[letter] + 1) : "";
    Object.entries(config.chosen).forEach(([key, untouched]) => {
      const value = key === "compare" ? this.compare : this.options[key];
      said[key] = value === untouched ? "" : value;
    });
    return said;
  }

  // Pointing: sources, uses and everything beyond them, in every matrix shown.
  point(id) {
    this.pointed = id; // by the mouse, the keys, or as Play goes on
    if (!this.run?.has(id)) return this.shown.forEach((matrix) => matrix.highlight(null));
    const [name, index] = parts(id);
    const steps = this.run.arrays[name].strides;
    const flat = index.reduce((sum, at, axis) => sum + at * steps[axis], 0);
    if (this.reached?.run !== this.run || this.reached.id !== id) {
      this.reached = { run: this.run, id, levels: reach(this.run.compiled, name, flat) };
    }
    this.shown.forEach((matrix) => matrix.highlight(this.reached.levels[matrix.view.name]));
  }

  select() {
    this.root.querySelectorAll('[role="gridcell"]').forEach((cell) => {
      const mine = cell.dataset.cell === this.at.cell;
      if (mine !== (cell.getAttribute("aria-selected") === "true")) {
        cell.setAttribute("aria-selected", String(mine));
      }
    });
    this.rove();
  }

  // One cell of each grid can be reached by Tab: the selected one, or the first.
  rove() {
    this.shown.filter((matrix) => matrix.part === "focus").forEach((matrix) => {
      const mine = matrix.cells.find((cell) => cell.dataset.cell === this.at.cell);
      matrix.cells.forEach((cell) => {
        const stop = cell === (mine || matrix.cells[0]) ? 0 : -1;
        if (cell.tabIndex !== stop) cell.tabIndex = stop;
      });
    });
  }

  clicked(event) {
    const cell = event.target.closest?.("[data-cell]");
    const phase = event.target.closest?.(".phase");
    if (phase) this.go(phase.dataset.step, this.stops[[...this.strip.children].indexOf(phase)].inside);
    else if (cell && !event.target.closest("input")) this.choose(cell.dataset.cell);
  }

  isInside(step) {
    return !!this.stops.find(({ names }) => names.includes(step))?.inside;
  }

  active() {
    return this.root.getRootNode().activeElement || document.body;
  }
}

Object.assign(Stage.prototype, Drawing, Sizes, Printing, Gestures);
