// The stage: map, step head, focus and toggles of one run. It is told everything by data
// (stage/document/document.py) and knows no attention. Where one looks it keeps by itself: a step, a head or
// a cell waits for nobody. Its host is told of it afterwards, and answers what it has to add.

import { Answers } from "./act/answers.js";
import { Covers, markCovering, tellProse } from "./act/covers.js";
import { Gestures, together } from "./act/gestures.js";
import { Painting } from "./act/painting.js";
import { Play } from "./act/play.js";
import { Reporting } from "./act/reporting.js";
import { Addressed } from "./act/url_state.js";
import { Announcer } from "./dom/announcer.js";
import { element } from "./dom/elements.js";
import { Arranging } from "./draw/arranging.js";
import { Drawing } from "./draw/drawing.js";
import { Faces } from "./draw/focus.js";
import { Letters } from "./draw/letters.js";
import { Panes } from "./draw/panes.js";
import { Sizes } from "./draw/sizes.js";
import { leadWindow, moveTogether } from "./draw/windows.js";
import { FormulaBar } from "./formula/formula_bar.js";
import { CodePanel } from "./parts/code_panel.js";
import { StepMap } from "./parts/map.js";
import { ThisNumber } from "./parts/number.js";
import { Ribbon } from "./parts/ribbon.js";
import { SentenceField } from "./parts/sentence.js";
import { StepHead } from "./parts/step_head.js";
import { Story } from "./parts/story.js";
import { Toolbar } from "./parts/toolbar.js";
import { Tools } from "./parts/tools.js";
import { Workings } from "./parts/workings.js";
import { lineage, Projection } from "./present/present.js";
import { Paper } from "./present/printing.js";
import { Projected } from "./present/projected.js";
import { parts } from "./run/run.js";

export class Stage {
  // `host.report(state)` is called after every change; `config` says how its link writes them.
  constructor(parent, config, host) {
    this.config = config;
    this.host = host;
    // What the host has told, and what was told it.
    this.runs = new Map(); // by the id of their document
    this.tables = new Map(); // workings by document and cell
    this.explained = new Map(); // explanations, likewise
    this.alternatives = null; // documents that say only what of another one differs, as heard last
    this.leads = []; // the documents that toggles lead to
    this.ledFrom = new Set(); // the ids of those whose toggles have all that the host would tell
    this.differences = null; // of a run from the one that it is compared with
    this.answered = { number: 0, done: 0 };
    this.visit = undefined; // which visit of the host's answered
    this.come = undefined; // what its answers say of a cover that comes again
    this.untouched = {}; // what a link leaves out, by toggle
    this.home = {}; // and of where one looks
    this.number = 0; // of the last thing a person did here
    this.lastMove = 0; // of the last move that the host made
    this.lastToggle = 0; // the number of the last toggle
    this.touched = false; // whether anything was reported since the connection came back
    this.edits = []; // edits and strokes that the host has not taken yet
    this.lacking = []; // tiles of numbers that have not come yet
    this.alternativesWanted = ""; // the document whose alternatives are asked for
    this.unsent = this.late = false; // whether something is to be told, and was not answered for long
    this.pending = this.patience = this.idle = 0; // timers: until that is told, told again, and more is asked
    // Where one looks.
    /** @type {import("./run/run.js").Run} */
    this.run = null;
    this.options = {}; // what is chosen of the toggles
    this.compare = "";
    this.aim = ""; // the array that the last toggle is about
    this.at = null; // step, cell, open, slices
    this.tokens = {}; // those of the last cell that was of any
    this.stop = -1; // the number of the step's stop
    this.places = {}; // what is on show of each axis
    this.hovered = this.pointed = ""; // the cell under the mouse, and the one whose sources are lit
    this.reached = null; // how cells stand to that one
    this.lit = ""; // the array that prose points at
    this.lead = false; // whether prose points at a cell
    // What is drawn.
    this.shown = []; // matrices and maps
    this.drawn = {}; // from what each part is drawn
    this.faces = new Map(); // the steps drawn large, by what they show
    this.face = this.focus = this.large = null; // the one on show, its element, and its matrices by their places
    this.moved = this.stood = this.waits = false; // whether it shows another stop, any yet, and has more to do
    this.goesOn = false; // whether the focus goes on in the next step
    this.narrow = this.way = null; // whether it is a phone's width; how its matrices stand
    this.width = this.room = 0; // its own, and the window's height
    this.sizes = this.around = null; // what watches its own size, and that of the boxes around it
    this.top = this.below = this.worked = 0; // where the focus begins; how high what is below it is, and the workings
    // Its parts.
    this.root = element("div", "stage");
    this.root.dataset.testid = "stage";
    this.letters = new Letters(this.root);
    this.covers = new Covers(config.kept_covered);
    this.answers = new Answers();
    this.panes = new Panes(this);
    this.painting = new Painting(this);
    this.playing = new Play(this);
    this.projection = new Projection(this);
    this.paper = new Paper(this);
    this.ribbon = new Ribbon(this);
    this.toolbar = new Toolbar(this);
    this.formula = new FormulaBar();
    this.map = new StepMap(this.letters, (kept, key, name) => this.matrix(kept, key, "strip", name), () => {
      this.point(this.pointed);
      this.light(this.lit);
    });
    this.tools = new Tools(this);
    this.head = new StepHead(this.formula.root, this.tools.root, this);
    this.code = new CodePanel();
    this.waiting = element("div", "waiting");
    this.waiting.setAttribute("role", "status");
    this.body = element("div", "body");
    this.story = new Story(this.ribbon.told, this.head.words, this.body);
    this.shows = element("div", "shows");
    this.workings = new Workings();
    this.arithmetic = new ThisNumber();
    this.sentence = new SentenceField(
      this.root, (text) => this.act("sentence", { text }), () => this.presenting && this.head.focus(),
    );
    this.root.append(
      this.ribbon.root, this.map.root, this.head.root, this.head.words, this.story.root, this.head.notes, this.waiting,
      this.code.root, this.body, this.story.remark,
    );
    this.announcer = new Announcer(this.root);
    this.shows.append(this.workings.root, this.toolbar.root);
    this.body.append(this.shows, this.arithmetic.root);
    parent.append(this.root);
    together.add(this);
    this.listen();
    if (config.present) this.projection.begin();
  }

  listen() {
    const root = this.root;
    root.addEventListener("pointerover", (event) => {
      const cell = event.target.closest?.("[data-cell]");
      if (this.playing.isOn) return;
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
      if (!cell) return;
      this.point(cell.dataset.cell);
      if (cell.matches(":focus-visible")) leadWindow(this.large, cell);
    });
    root.addEventListener("wheel", (event) => this.panes.roll(event), { passive: false });
    root.addEventListener("scroll", ({ target }) => this.large && moveTogether(this.large, target), true); // it does not bubble
    this.outside = {
      keydown: (event) => this.page(event),
      pointerup: () => this.painting.lift(),
      pointerdown: (event) => event.composedPath().includes(this.tools.root) || this.tools.shut(),
      visibilitychange: () => document.hidden && this.send(),
      pointerover: (event) => this.prose(event),
      focusin: (event) => {
        this.projection.shutBehind(); // what came there since
        this.prose(event);
      },
      click: (event) => this.prose(event),
      "stage-room": () => this.projection.makeRoom(),
      "page-reconnected": () => { this.touched = false; },
      "prose-asks": () => this.run && this.tellProse(),
    };
    Object.entries(this.outside).forEach(([kind, act]) => document.addEventListener(kind, act));
    // Before a click leads to another page.
    this.first = () => this.send();
    document.addEventListener("click", this.first, true);
    this.watchSizes(lineage(root.parentNode).filter((node) => node instanceof Element));
  }

  close() {
    this.playing.stop();
    this.unsent = false;
    [this.pending, this.patience, this.idle].forEach((timer) => clearTimeout(timer));
    together.delete(this);
    markCovering();
    Object.entries(this.outside).forEach(([kind, act]) => document.removeEventListener(kind, act));
    document.removeEventListener("click", this.first, true);
    [this.sizes, this.around].forEach((watch) => watch.disconnect());
    [this.projection, this.paper, this.arithmetic, this.workings, this.formula].forEach((part) => part.close());
    this.root.remove();
  }

  // A place on this run, as near to the one that is wanted as there is.
  settled({ step, cell, open, slices }) {
    const { run } = this, [name] = run.opening;
    const inside = Object.fromEntries(run.sliced.map((letter) => (
      [letter, Math.min(slices[letter] || 0, run.axes[letter].size - 1)]
    )));
    const shown = run.shapes[step] ? step : name;
    if (run.has(cell)) return { step: shown, cell, open, slices: inside };
    const [source, at] = parts(cell);
    const known = run.shapes[source]?.length === at.length;
    const near = known ? [shown, ...run.carried(shown, source, at, inside)].join(".") : run.openedAt(shown, inside);
    return { step: shown, cell: near, open, slices: inside };
  }

  // Where one looks

  get presenting() { return this.projection.isOn; }
  get sheet() { return this.paper.width; }

  get stops() { return this.run.stops(this.at.step, this.at.open, this.presenting); }

  // The step's own cell at the place of the selected one.
  get row() {
    const [name, index] = parts(this.at.cell);
    return name === this.at.step ? index : this.carried(this.at.step);
  }

  // The place of the selected cell in an array. Where that cell is of no token, the one before it says which.
  carried(array) {
    const { run, at } = this;
    return run.carried(array, ...parts(at.cell), at.slices, run.tokensOf(at.cell) ? {} : this.tokens);
  }

  // The differences of the run on show from the one that it is compared with.
  get apart() {
    const { differences, run, compare } = this;
    return differences?.id === run.id && differences.compare === compare ? differences : null;
  }

  move(changed, wait = 0) {
    this.playing.stop();
    this.hovered = this.aim = "";
    this.tokens = this.run.tokensOf(this.at.cell) || this.tokens;
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
    const { run, at } = this;
    return at.cell === this.untouchedCell() ? run.openedAt(array, at.slices) : [array, ...this.carried(array)].join(".");
  }

  goTo(array) {
    this.go(array, this.isInside(array));
  }

  choose(cell, wait = 0) {
    const slices = this.run.around(cell, this.at.slices);
    this.move({ cell, slices, open: this.stops[this.stop].inside }, wait);
  }

  // Another head is shown: the cell at the same place there is the selected one.
  slice(letter, place) {
    const slices = { ...this.at.slices, [letter]: place };
    const cell = [this.at.step, ...this.run.carried(this.at.step, this.at.step, this.row, slices)];
    this.move({ slices, cell: cell.join(".") });
  }

  select() {
    const [name, index] = parts(this.at.cell), flat = this.run.flat(name, index);
    this.matrices.forEach((matrix) => {
      matrix.select(matrix.view.name === name ? flat : -1, this.arithmetic.describes);
    });
    this.goOn();
  }

  clicked(event) {
    const cell = event.target.closest?.("[data-cell]");
    const phase = event.target.closest?.(".phase");
    if (phase) this.go(phase.dataset.step, this.map.stopOf(phase).inside);
    else if (cell && !event.target.closest("input")) this.choose(cell.dataset.cell);
  }

  isInside(step) {
    return !!this.stops.find(({ names }) => names.includes(step))?.inside;
  }

  // What is chosen

  // A toggle: its run is shown at once where it was told ahead, else when it comes.
  toggle(key, value) {
    if (key === "compare") this.compare = value;
    this.setOptions(key === "compare" ? {} : { [key]: value });
  }

  setOptions(chosen) {
    this.options = { ...this.options, ...chosen };
    const [[key, value]] = [...Object.entries(chosen), []];
    this.aim = this.run.toggles.find((toggle) => toggle.key === key)?.shows[value] || "";
    this.playing.stop();
    this.lastToggle = this.number + 1;
    const same = (run) => Object.entries(this.options).every(([k, v]) => run.options[k] === v);
    // Those of another sentence, say, lead nowhere from here.
    const mine = this.leads.some(({ id }) => id === this.run.id);
    const lead = mine && this.leads.find(same);
    if (lead) {
      this.keep(lead);
      this.show(this.runs.get(lead.id));
    }
    this.draw();
    this.report();
  }

  // The toggles that are not as on an untouched page, and what they are there.
  changed() {
    const open = this.run.toggles.filter(({ options }) => options.length > 1);
    return Object.fromEntries(open.flatMap(({ key }) => {
      const untouched = this.untouched[key];
      return untouched === undefined || this.options[key] === untouched ? [] : [[key, untouched]];
    }));
  }

  // Whether what is chosen stands on a line, each choice behind a press.
  get folds() { return !!this.config.quiet && !this.narrow && !this.presenting && !this.sheet; }

  // Whether the host takes another sentence here.
  takesSentence() {
    return !!(this.presenting && this.answered.sentence && this.run);
  }

  // What is said of it

  // `tells`: whether it may tell its numbers from now on; nothing covered is given away.
  tellStory(tells = this.story.tells) {
    const { run, ribbon, stops, stop, narrow } = this;
    const isReached = (array) => run.stopOf(array, stops) <= stop;
    this.story.draw(run, { tells, row: ribbon.shown ? ribbon.number : null, narrow: !!narrow, isReached });
  }

  tellProse() {
    tellProse(this);
  }

  announce(text) {
    this.announcer.say(text);
  }

  // What is covered

  // The matrices that are drawn large.
  get matrices() { return this.shown.filter(({ part }) => part === "focus"); }

  // The covered arrays among them.
  coveredHere() {
    return this.covers.among(this.matrices);
  }

  // Another cover, or something of it lifted.
  recover(change) {
    change();
    this.draw();
    this.report();
  }

  // Lift what is covered at this step; says whether there was anything. A host may keep it covered.
  lift() {
    const names = this.coveredHere();
    if (!names.length || this.config.kept_covered) return names.length > 0;
    this.playing.stop();
    this.recover(() => this.covers.liftWhole(names));
    return true;
  }

  // A number that a person worked out for a covered cell.
  answer(id, typed) {
    const [name, index] = parts(id), tried = this.answers.judge(this.run, id, typed);
    if (tried.right) this.covers.lift(name, [this.run.flat(name, index)]);
    this.covers.find(this.run, this.stops, this.stop);
    this.answers.last = tried;
    this.lookAt(id);
  }

  lookAt(cell) {
    this.at = { ...this.at, cell };
    this.draw();
    this.report();
  }

  play() {
    this.playing.toggle();
  }
}

// The methods of the stage itself that stand in other files; some of the first are asked as properties.
Object.defineProperties(Stage.prototype, Object.getOwnPropertyDescriptors(Reporting));
Object.assign(Stage.prototype, Addressed, Drawing, Faces, Arranging, Sizes, Projected, Gestures);
