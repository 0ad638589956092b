// The stage: map, step head, focus and toggles of one run. It is told everything by data
// (stage/document.py) and knows no attention. Where one looks it keeps by itself: a step, a head or
// a cell waits for nobody. Its host is told of it afterwards, and answers what it has to add.

const PATIENCE = 700, AGAIN = 1500, IDLE = 250, MOST_RUNS = 40, MOST_LEADS = 40;

class Stage {
  // `host.report(state)` is called after every change; `config` says how its link writes them.
  constructor(parent, config, host) {
    Object.assign(this, { config, host });
    this.root = element("div", "stage");
    this.root.dataset.testid = "stage";
    this.ribbon = new Ribbon(this);
    this.toolbar = element("details", "toolbar");
    this.toolbar.open = true;
    this.toolbar.append(element("summary"), element("div", "groups"));
    this.formula = new FormulaBar();
    this.strip = element("div", "strip");
    this.heading = element("div", "heading");
    this.title = element("h2");
    this.steps = element("span", "steps");
    this.heading.append(this.title, this.formula.root, this.steps);
    this.notes = element("div", "notes");
    this.code = element("div", "lines-of-code");
    this.coding = false; // whether the code of a step is shown
    this.telling = false; // and more of what it does than a sentence
    this.story = element("div", "story");
    this.words = element("div", "words");
    this.waiting = element("div", "waiting");
    this.waiting.setAttribute("role", "status");
    this.body = element("div", "body");
    this.shows = element("div", "shows");
    this.workings = element("div", "workings");
    this.workingsWide = new ResizeObserver(() => { // what scrolls is reached by keys
      if (this.workings.scrollWidth > this.workings.clientWidth) this.workings.tabIndex = 0;
      else this.workings.removeAttribute("tabindex");
    });
    this.arithmetic = new ThisNumber();
    this.copier = new Copier(TEXTS("the_matrix"));
    this.makeTools();
    this.root.append(
      this.ribbon.root, this.strip, this.heading, this.words, this.story, this.notes, this.waiting, this.code,
      this.body,
    );
    this.announcer = new Announcer(this.root);
    this.shows.append(this.workings, this.toolbar);
    this.body.append(this.shows, this.arithmetic.root);
    parent.append(this.root);
    this.minis = new Map(); // the strip's matrices
    this.faces = new Map(); // the steps drawn large, by what they show
    this.behind = []; // what the full window has shut off
    this.shown = [];
    this.drawn = {};
    this.maps = []; // of the panes on show
    this.seen = {}; // where panes begin, by the letter of an axis
    this.lacking = []; // tiles of numbers that have not come yet
    this.runs = new Map(); // by the id of their document
    this.tables = new Map(); // workings by document and cell
    this.explained = new Map(); // explanations, likewise
    this.at = null; // where one looks: step, cell, open, slices
    this.number = 0; // of the last thing a person did here
    this.seat = 0; // of the last move that the host made
    this.touched = false; // whether anything was reported since the connection came back
    this.chose = 0; // the number of the last toggle
    this.untouched = {}; // what a link leaves out, by toggle
    this.home = {}; // and of where one looks
    this.options = {}; // what is chosen of the toggles
    this.aim = ""; // the array that the last toggle is about
    this.compare = "";
    this.wants = ""; // the document whose alternatives are asked for
    this.acts = []; // edits and strokes that the host has not taken yet
    this.answered = { number: 0, done: 0 };
    this.mistaken = new Map(); // what mistakes would make of a run, by document
    this.coverWith("");
    together.add(this);
    this.listen();
    if (config.present) this.present();
  }

  listen() {
    const root = this.root;
    root.addEventListener("pointerover", (event) => {
      const cell = event.target.closest?.("[data-cell]");
      if (this.playing) return;
      if (!cell) return event.target.closest?.(".matrix, .ribbon") || this.pointAway();
      this.hovered = cell.dataset.cell;
      this.point(this.hovered);
    });
    root.addEventListener("pointerleave", () => this.pointAway());
    root.addEventListener("click", (event) => this.clicked(event));
    root.addEventListener("dblclick", (event) => this.edit(event.target.closest?.("[data-cell]")));
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", (event) => {
      const cell = event.target.closest?.('[role="gridcell"]');
      if (cell) this.point(cell.dataset.cell);
    });
    root.addEventListener("wheel", (event) => this.roll(event), { passive: false });
    root.addEventListener("scroll", (event) => this.moveTogether(event), true); // it does not bubble
    this.paintable();
    this.printable();
    this.outside = {
      keydown: (event) => this.page(event),
      pointerup: () => this.lifted(),
      pointerdown: (event) => event.composedPath().includes(this.tools) || this.shutTools(),
      visibilitychange: () => document.hidden && this.send(),
      pointerover: (event) => this.prose(event),
      focusin: (event) => {
        if (this.presenting) this.shutBehind(); // what came there since
        this.prose(event);
      },
      click: (event) => this.prose(event),
      "stage-room": () => this.makeRoom(),
      "page-reconnected": () => { this.touched = false; },
      "prose-asks": () => this.run && this.tellProse(),
    };
    Object.entries(this.outside).forEach(([kind, act]) => document.addEventListener(kind, act));
    // Before a click leads to another page.
    this.first = () => this.send();
    document.addEventListener("click", this.first, true);
    this.sizes = new ResizeObserver((changed) => {
      if (this.presenting) return this.fit();
      const { width } = (changed.find(({ target }) => target === root) || {}).contentRect || this;
      if (this.sheet || width === this.width) return;
      this.width = width;
      this.fit();
    });
    [root, this.shows].forEach((box) => this.sizes.observe(box));
    // What comes above the stage later moves it down.
    this.around = new ResizeObserver(() => afterFrame(() => this.measure()));
    const boxes = lineage(root.parentNode).filter((node) => node instanceof Element);
    boxes.forEach((box) => this.around.observe(box));
  }

  close() {
    this.pause();
    this.unsent = false;
    clearTimeout(this.pending);
    clearTimeout(this.patience);
    clearTimeout(this.idle);
    together.delete(this);
    markCovering();
    Object.entries(this.outside).forEach(([kind, act]) => document.removeEventListener(kind, act));
    document.removeEventListener("click", this.first, true);
    [this.sizes, this.around, this.workingsWide].forEach((watch) => watch.disconnect());
    this.openBehind();
    Curtain.the.leave(this);
    this.unprintable();
    this.arithmetic.close();
    this.formula.close();
    this.root.remove();
  }

  // What the host tells. Its messages come in any order, and an older answer moves nothing back.

  hear({ document, ahead, differences, answer, mistaken }) {
    if (!document) return;
    this.keep(document);
    if (ahead && ahead !== this.ahead && this.runs.has(ahead.of)) this.keepAhead(ahead);
    this.differences = differences;
    if (mistaken && !this.mistaken.has(mistaken.of)) {
      this.mistaken.set(mistaken.of, mistaken.all);
      if (this.tried) this.tried = this.judge(this.tried.id, this.tried.typed);
    }
    const news = answer && answer !== this.answered && answer.id === document.id;
    const anew = news && this.meets(answer);
    if (news && answer.number >= this.answered.number) this.take(answer, document);
    if (anew) this.report();
    if (this.run && this.at) this.draw();
  }

  // Whether the host has forgotten the visit before: what was reported in it, and what was to be
  // done. Its view is the address', which counts unless a person has done something since.
  meets({ visit, seat }) {
    const before = this.visit;
    this.visit = visit;
    if (before === undefined || before === visit) return false;
    this.answered = { number: 0, done: 0 };
    if (this.touched) this.seat = seat;
    else [this.seat, this.chose] = [-1, 0];
    return true;
  }

  keep(document) {
    if (!this.runs.has(document.id)) this.runs.set(document.id, new Run(document));
    for (const id of this.runs.keys()) {
      if (this.runs.size <= MOST_RUNS) break;
      if (this.runs.get(id) !== this.run && id !== document.id) this.runs.delete(id);
    }
  }

  // Documents that say only what of another one differs. They lead on from those that led there.
  keepAhead(ahead) {
    this.ahead = ahead;
    const { document: whole } = this.runs.get(ahead.of);
    const told = ahead.documents.map(({ names, arrays, rest }) => {
      const all = Object.fromEntries(names.map((name) => [name, arrays[name] || whole.arrays[name]]));
      return { ...whole, ...rest, arrays: all };
    });
    told.splice(MOST_LEADS - 1); // those that change the fewest toggles come first
    told.push(whole);
    const known = this.leads?.some(({ id }) => id === whole.id) ? this.leads : [];
    const others = known.filter(({ id }) => told.every((lead) => lead.id !== id));
    this.leads = [...others, ...told].slice(-MOST_LEADS);
    this.ledFrom = new Set([...(known.length ? this.ledFrom : []), whole.id]);
  }

  // Whether each option of this run's toggles leads somewhere that has been told, or the host has
  // told all that it would.
  get isLed() {
    const { id, toggles, options } = this.run;
    if (!this.leads?.some((lead) => lead.id === id)) return false;
    return this.ledFrom.has(id) || toggles.every(({ key, options: values }) => values.every(([value]) => (
      this.leads.some((lead) => Object.entries({ ...options, [key]: value }).every(([k, v]) => lead.options[k] === v))
    )));
  }

  take(answer, document) {
    this.answered = answer;
    this.untouched = answer.untouched;
    this.home = answer.home;
    this.number = Math.max(this.number, answer.number);
    this.acts = this.acts.filter(({ number }) => number > answer.done);
    if (!this.acts.length) this.root.querySelectorAll(".painted").forEach((cell) => cell.classList.remove("painted"));
    if (answer.table) this.tables.set(`${answer.id} ${answer.table.row}`, answer.table.table);
    if (answer.numbers) this.runs.get(answer.id)?.hearTiles(answer.numbers);
    if (answer.explained) this.explained.set(`${answer.id} ${answer.explained.cell}`, answer.explained);
    if (answer.number >= this.chose) { // nothing was chosen here that it does not know of
      this.options = { ...document.options };
      this.compare = answer.compare;
      // Numbers that come of something else than the toggles have not been seen yet.
      const toggled = JSON.stringify(this.run?.options) !== JSON.stringify(document.options);
      if (this.run && this.run.id !== document.id && !toggled) this.coverWith(this.cover);
      if (this.show(this.runs.get(document.id))) this.report();
    }
    if (answer.seat > this.seat) {
      this.seat = answer.seat;
      this.at = this.settled(answer.view);
      if (this.cover !== answer.view.cover || this.come !== answer.come) this.coverWith(answer.view.cover);
      this.come = answer.come;
    }
    this.host.link?.(this.address());
  }

  // Says whether it went where its toggle leads.
  show(run) {
    const aim = this.run !== run && run.shapes[this.aim] ? this.aim : "";
    this.aim = "";
    if (this.run === run) return false;
    this.run = run;
    if (this.at) this.at = this.settled(this.at);
    if (aim) this.at = { ...this.at, step: aim, cell: this.placed(aim), open: false };
    this.askAhead();
    return !!aim;
  }

  // When nothing else is to be done: the runs that the toggles of this one lead to.
  askAhead() {
    const { id, toggles } = this.run;
    if (!toggles.length || this.isLed) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      // Where two stages report at one time, the whole page runs: they ask one after another.
      // One that nobody answers, as where its page has gone on, holds up no other.
      if ([...together].some(({ answered, number, late }) => answered.number < number && !late)) return this.askAhead();
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

  get stops() { return this.run.stops(this.at.step, this.at.open, this.presenting); }

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
    this.hovered = this.aim = "";
    this.at = { ...this.at, ...changed };
    this.draw();
    this.report(wait);
  }

  // To the stop of an array; `open`: inside the phase whose own array it is.
  go(step, open = false) {
    this.move({ step, open, cell: this.placed(step) });
  }

  // The cell of an array at the place of the selected one; on an untouched stage its own opening.
  placed(array) {
    const [name, index] = this.at.cell === this.untouchedCell() ? this.run.opening : parts(this.at.cell);
    return [array, ...this.run.carried(array, name, index, this.at.slices)].join(".");
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

  act(kind, value) {
    this.number += 1;
    this.acts.push({ number: this.number, kind, ...value });
    this.report();
  }

  // Tells the host where one looks, with a number; what waits to be done goes along. The link says it
  // at once, the host hears of it when the numbers are painted, or after `wait` ms.
  report(wait = 0) {
    this.number += 1;
    this.touched = true;
    this.host.link?.(this.address());
    clearTimeout(this.pending);
    if (wait) this.pending = setTimeout(() => this.send(), wait);
    else afterFrame(() => this.send());
    this.unsent = true;
  }

  // What is to be told, at once.
  send() {
    if (!this.unsent) return;
    this.unsent = false;
    clearTimeout(this.pending);
    clearTimeout(this.patience);
    this.late = false;
    this.tell();
    this.patience = setTimeout(() => {
      this.late = true;
      this.drawWaiting();
      this.tellAgain(AGAIN);
    }, PATIENCE);
  }

  tell() {
    const { number, chose, visit, seat, acts, at, run, cover, wants, lacking } = this;
    const options = { ...this.options, ...(this.compare && { compare: this.compare }) };
    this.host.report({ number, chose, visit, seat, acts, id: run.id, ...at, options, cover, ahead: wants, numbers: lacking, link: this.link() });
  }

  // What is not answered is told again.
  tellAgain(wait) {
    this.patience = setTimeout(() => {
      if (this.answered.number >= this.number) return;
      this.number += 1;
      this.tell();
      this.tellAgain(2 * wait);
    }, wait);
  }

  select() {
    const [name, index] = parts(this.at.cell), flat = this.run.flat(name, index);
    this.shown.filter(({ part }) => part === "focus").forEach((matrix) => {
      matrix.select(matrix.view.name === name ? flat : -1, this.arithmetic.describes);
    });
    this.goOn();
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

Object.assign(Stage.prototype, Addressed, Drawing, Toggling, Tooling, Coding, Faces, Arranging, Windows, Panes, Mapping, Sizes, Presenting, Projected, Printing, Covering, Gestures);
