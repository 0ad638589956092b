// The stage: toolbar, formula bar, strip and focus of one run. It is told everything by data
// (stage/document.py) and knows no attention. Where one looks it keeps by itself: a step, a head or
// a cell waits for nobody. Its host is told of it afterwards, and answers what it has to add.

const PATIENCE = 700, IDLE = 250, MOST_RUNS = 40;
// From this width on "this number" stands beside the focus, and is as wide as that.
const BESIDE = 860, ASIDE = 360;
// The height of a matrix' caption and column labels, and of the gap to the next.
const CAPTIONS = 62;

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
    this.outside = {
      keydown: (event) => this.page(event),
      pointerup: () => this.lifted(),
      pointerover: (event) => this.prose(event),
      focusin: (event) => this.prose(event),
      click: (event) => this.prose(event),
    };
    Object.entries(this.outside).forEach(([kind, act]) => document.addEventListener(kind, act));
    this.sizes = new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === this.width) return;
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

  // Drawing: each part only where what it is drawn from has changed.

  draw() {
    const { run, at } = this;
    const stops = this.stops, stop = run.stopOf(at.step, stops);
    if (this.stop !== stop) this.moved = true;
    this.stop = stop;
    this.places = { ...at.slices, ...run.places(at.step, this.row) };
    this.root.dataset.step = at.step;
    const signs = [run.id, stops.length, stop];
    this.anew("toolbar", [run.toggles, run.axes, at.slices, this.options, this.compare], () => this.drawToolbar());
    this.anew("formula", signs, () => this.drawFormula(stops));
    this.shown = [];
    this.drawStrip(stops);
    this.anew("heading", [...signs, this.places, this.answer.refused, this.said(), !!this.playing], () => this.drawHeading(stops));
    this.drawFocus(stops[stop].focus);
    this.anew("workings", [run.id, at.step, this.row, this.table()], () => this.drawWorkings());
    this.drawNumber();
    this.anew("footer", signs, () => this.drawFooter());
    this.drawWaiting();
    this.fit();
    this.select();
    // An answer that comes while somebody points at a cell does not take the highlight away.
    this.point(this.hovered && run.has(this.hovered) ? this.hovered : at.cell);
    this.light(this.lit);
    if (this.moved) requestAnimationFrame(() => {
      this.reveal();
      this.measure();
    });
    this.moved = false;
    const idle = window.requestIdleCallback || ((task) => setTimeout(task, 30));
    idle(() => this.run.compiled);
  }

  // Scrolls the strip, where it is wider than its room, to the step that is shown.
  reveal() {
    const middle = (part) => { const { left, width } = part.getBoundingClientRect(); return left + width / 2; };
    const now = this.strip.querySelector(".now");
    if (now) this.strip.scrollLeft += middle(now) - middle(this.strip);
  }

  anew(part, from, draw) {
    const signature = JSON.stringify(from);
    if (this.drawn[part] === signature) return;
    this.drawn[part] = signature;
    draw();
  }

  // One drawn matrix for each place on the stage, kept between updates.
  matrix(place, part, name, transposed = false) {
    const key = `${place}.${name}.${transposed}`;
    if (!this.matrices.has(key)) this.matrices.set(key, new Matrix(part));
    const matrix = this.matrices.get(key);
    const changes = part === "focus" ? this.apart?.changes[name] : undefined;
    matrix.update(this.run.view(name, this.places, transposed), this.run.roles, changes);
    this.shown.push(matrix);
    return matrix.root;
  }

  drawToolbar() {
    const { run, at, config } = this;
    const had = this.toolbar.contains(this.active()) && this.active().closest("[data-control]").dataset.control;
    const groups = run.toggles.map(({ key, word, options }) => {
      const chosen = this.options[key];
      const typed = options.some(([value]) => value === chosen) ? [] : [[chosen, chosen]];
      return choices(key, word, [...options, ...typed], chosen, (value) => this.toggle(key, value));
    });
    run.sliced.filter((letter) => run.axes[letter].size > 1).forEach((letter) => {
      const { word, size } = run.axes[letter];
      const options = Array.from({ length: size }, (_, n) => [String(n + 1), String(n + 1)]);
      groups.push(choices(word, `Show ${word}`, options, String(at.slices[letter] + 1), (value) => this.slice(letter, value - 1)));
    });
    if (config.comparisons.length) {
      groups.push(choices("compare", "Compare with", config.comparisons, this.compare, (value) => this.toggle("compare", value)));
    }
    // On a phone what is chosen stands on one line, and the choices are behind it.
    const chosen = groups.map((group) => [group.querySelector(".word"), group.querySelector('[aria-checked="true"]')]);
    const said = chosen.map((pair) => pair.map((part) => part?.textContent).join(" ")).join(" · ");
    const inner = element("div", "groups");
    inner.append(...groups);
    this.toolbar.replaceChildren(element("summary", "", said), inner);
    this.toolbar.hidden = !groups.length;
    if (had) this.toolbar.querySelector(`[data-control="${had}"] [aria-checked="true"]`)?.focus();
  }

  drawFormula(stops) {
    const bar = formulaBar(this.run.formula, stops, this.stop, this.run.roles, (step) => this.go(step, this.isInside(step)));
    const had = this.formula.contains(this.active()) && this.active().dataset.step;
    this.formula.replaceWith(bar);
    this.formula = bar;
    if (had) bar.querySelector(`[data-step="${had}"]`)?.focus();
  }

  drawStrip(stops) {
    const { run } = this;
    this.anew("strip", [run.id, stops.length, stops[0].title], () => {
      this.strip.replaceChildren(...stops.map(({ title, minis, first }, number) => {
        const button = element("button", "phase");
        button.type = "button";
        button.dataset.step = first;
        button.setAttribute("aria-label", `Step ${number + 1}: ${title}`);
        button.append(element("span", "title"), element("span", "minis"));
        button.firstChild.append(...minis.map((name) => mathOf(run.arrays[name].symbol, run.roles)));
        return button;
      }));
    });
    [...this.strip.children].forEach((button, number) => {
      button.classList.toggle("now", number === this.stop);
      if (number === this.stop) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      sync(button.lastChild, stops[number].minis.map((name) => this.matrix(`strip${number}`, "strip", name)));
    });
  }

  // How the step's matrix differs from the other run, where there is one.
  said() {
    if (!this.apart) return "";
    const view = this.run.view(this.at.step, this.places);
    return this.apart.said[this.at.step]?.[Math.floor(view.flat[0] / (view.rows * view.cols))] || "";
  }

  // The differences of the run on show from the one that it is compared with.
  get apart() {
    const { differences, run, compare } = this;
    return differences?.id === run.id && differences.compare === compare ? differences : null;
  }

  drawHeading(stops) {
    const { title, summary, phases } = stops[this.stop];
    const { refused } = this.answer;
    const had = this.heading.contains(this.active()) && this.active().dataset.action;
    this.heading.replaceChildren(
      element("span", "count", `Step ${this.stop + 1} of ${stops.length}`),
      element("strong", "", title),
      element("span", "summary", summary),
    );
    if (phases.length) this.heading.append(this.button("open", "Open", () => this.go(phases[0].first, true)));
    [this.run.badge, this.said()].filter(Boolean).forEach((text) => {
      this.heading.append(element("span", "badge", text));
    });
    this.leadTo(stops, this.apart?.first, !this.apart?.changes[this.at.step], "First difference");
    const painted = Object.keys(this.run.arrays).find((name) => this.run.arrays[name].paint);
    if (painted && this.stop === this.run.stopOf(painted, stops)) {
      this.heading.append(element("span", "badge", `Draw on ${painted}: press a cell and drag.`));
    } else this.leadTo(stops, painted, !!painted, `Draw on ${painted}`);
    this.heading.append(this.drawSteps(stops));
    if (had) (this.heading.querySelector(`[data-action="${had}"]`) || this.heading.querySelector("button")).focus();
    this.drawRefusal(refused);
  }

  // Where something is to be seen or done at another step: a button that goes there.
  leadTo(stops, array, wanted, words) {
    if (!array || !wanted) return;
    const { title } = stops[this.run.stopOf(array, stops)];
    this.heading.append(this.button("lead", `${words}: ${title} →`, () => this.go(array, this.isInside(array))));
  }

  drawRefusal(refused) {
    if (!refused) return;
    const alert = element("div", "refused", refused);
    alert.setAttribute("role", "alert");
    this.heading.append(alert);
  }

  // What is asked of the host and has not come yet: said after a while.
  drawWaiting() {
    const { options, run, acts, answer, number, apart, compare, config } = this;
    const toggled = Object.entries(options).some(([key, value]) => run.options[key] !== value);
    const compared = config.comparisons.length && compare !== config.chosen.compare && !apart;
    const waits = answer.number < number && (acts.length || toggled || compared);
    this.root.toggleAttribute("aria-busy", !!waits);
    this.waiting.textContent = waits && this.late ? "Waiting for the server: what you chose comes when it answers." : "";
  }

  // The containers stay while the same matrices are shown, so that focus and scroll survive.
  drawFocus({ row, left, columns }) {
    const drawn = (name, turned) => this.matrix("focus", "focus", name, turned);
    const line = row.map((name) => drawn(name));
    const corner = left
      ? [...columns.map(({ above, turned }) => drawn(above, turned)), drawn(left),
        ...columns.map(({ result }) => drawn(result))] : [];
    this.large = {
      row: line.map((root) => this.of(root)),
      left: left ? this.of(corner[columns.length]) : null,
      results: left ? corner.slice(columns.length + 1).map((root) => this.of(root)) : [],
    };
    const signature = [line.length, ...[...line, ...corner].map((root) => root.dataset.matrix)].join();
    if (this.focusSignature === signature) return;
    this.focusSignature = signature;
    this.focus.replaceChildren();
    line.forEach((matrix, number) => matrix.classList.toggle("shared", number > 0));
    corner.forEach((matrix, number) => {
      const column = number < columns.length ? number : number - columns.length - 1;
      matrix.classList.toggle("shared", column > 0 && number !== columns.length);
    });
    if (line.length) {
      const side = element("div", "side-by-side");
      line.forEach((matrix, number) => {
        side.append(...(number ? [element("span", "arrow", left ? "" : "→"), matrix] : [matrix]));
      });
      this.focus.append(side);
    }
    if (left) {
      const made = element("div", "corner-layout");
      made.style.setProperty("--results", columns.length);
      made.append(element("div", "nothing"), ...corner);
      this.focus.append(made);
    }
  }

  of(root) { return this.shown.findLast((matrix) => matrix.root === root); }

  table() {
    return this.tables.get(`${this.run.id} ${[this.at.step, ...this.row].join(".")}`) || null;
  }

  drawWorkings() {
    const workings = this.table();
    this.workings.replaceChildren();
    if (!workings) return;
    const table = element("table");
    table.append(element("caption", "", workings.title));
    const head = element("tr");
    head.append(element("td"), ...workings.columns.map((label) => heading(label, "col")));
    table.append(head);
    workings.rows.forEach(({ label, cells, total }) => {
      const line = element("tr", total ? "total" : "");
      line.append(heading(label, "row"));
      cells.forEach((text) => {
        line.append(element("td", LOOKS[text] || "", minus(text)));
      });
      table.append(line);
    });
    this.workings.append(table);
  }

  // The selected cell's arithmetic, where it is known; else its place is kept until it comes.
  drawNumber() {
    const found = this.explained.get(`${this.run.id} ${this.at.cell}`);
    if (found) this.arithmetic.show({ ...found, roles: this.run.roles });
    this.arithmetic.root.classList.toggle("unknown", !found);
    const [name] = parts(this.at.cell);
    const tapped = this.narrow && this.shown.find(({ part, view }) => part === "focus" && view.name === name);
    const place = tapped ? tapped.root : this.shows;
    if (place.nextSibling !== this.arithmetic.root) place.after(this.arithmetic.root);
  }

  // The way on, beside the title: where it is seen without scrolling.
  drawSteps(stops) {
    const back = stops[this.stop - 1], next = stops[this.stop + 1];
    const steps = element("span", "steps");
    steps.append(...[
      back && this.button("previous", `← ${back.title}`, () => this.go(back.first, back.inside)),
      this.button("play", this.playing ? "❚❚ Pause" : "▶ Play", () => this.play()),
      next && this.button("next", `${next.title} →`, () => this.go(next.first, next.inside)),
    ].filter(Boolean));
    return steps;
  }

  drawFooter() {
    const pictures = ["svg", "png"].map((kind) => (
      this.button(kind, kind.toUpperCase(), () => savePicture(this, kind))
    ));
    pictures.forEach((button) => { button.setAttribute("aria-label", `Save a picture as ${button.textContent}`); });
    this.footer.replaceChildren(
      element("span", "hint", "Page Up · Page Down: the steps"),
      element("span", "hint pictures", "Picture:"), ...pictures,
    );
  }

  button(action, text, act) {
    const made = element("button", action, text);
    made.type = "button";
    made.dataset.action = action;
    made.onclick = act;
    return made;
  }

  // Cells as wide as the focus allows, numbers first.
  fit() {
    if (!this.large) return;
    // The width is kept: to ask for it here would lay out the page once more at every update.
    this.width ||= this.root.clientWidth;
    const { large } = this, narrow = this.width < 560, beside = this.width >= BESIDE;
    const { present } = this.config;
    // The room of the focus: what "this number" leaves.
    const width = beside ? this.width - ASIDE : this.width;
    this.root.classList.toggle("narrow", narrow);
    this.root.classList.toggle("beside", beside);
    if (this.narrow !== narrow) {
      this.narrow = narrow;
      this.toolbar.open = !narrow;
      this.drawNumber();
    }
    const viewed = (matrices) => matrices.map((matrix) => matrix.view);
    const lines = large.left
      ? [viewed([large.left, ...large.results]), viewed(large.row)] : [viewed(large.row)];
    const across = narrow ? lines.flat().map((view) => [view]) : lines;
    const views = lines.flat();
    const longest = Math.max(...views.flatMap((v) => v.rowLabels.map((label) => label.length)));
    const letter = present ? 11 : 8;
    const label = Math.min(Math.max(longest * letter + 10, 26), narrow ? 70 : 14 * letter);
    const big = Math.max(...views.map((view) => Math.max(view.rows, view.cols)));
    const room = Math.min(...across.filter((line) => line.length).map((line) => {
      const cols = line.reduce((sum, view) => sum + view.cols, 0);
      const labels = big > MAX_LABELS ? 0 : Math.min(line.length, large.left ? 2 : 1) * label;
      return (width - 8 - labels - line.length * (large.left ? 16 : 40)) / cols - (big > MAX_NUMBERS ? 0 : 2);
    }));
    const changed = [...large.row, ...large.results, large.left].some((matrix) => matrix?.changes);
    const [least, most] = big > MAX_NUMBERS ? [3, 18] : [changed ? 40 : 31, present ? 74 : 54];
    const cell = Math.max(least, Math.min(most, Math.floor(room)));
    const roomy = Math.max(changed ? 38 : 28, cell * 0.62);
    const high = Math.max(changed ? 38 : 23, Math.min(roomy, this.share(narrow)));
    const strip = this.shown.filter((matrix) => matrix.part === "strip").map((matrix) => matrix.view);
    const minis = strip.reduce((sum, view) => sum + Math.min(view.cols, MAX_MINI), 0);
    const gaps = this.strip.children.length * 26 + strip.length * 6 + 24;
    const share = (this.width - gaps) / minis, gap = share >= 5 ? 1 : 0, smallest = narrow ? 3 : 1.5;
    const sizes = {
      "--cell": `${cell}px`,
      "--cell-height": `${big > MAX_NUMBERS ? cell : high}px`,
      "--label": `${label}px`,
      "--mini-least": `${smallest}px`,
      "--mini": `${Math.max(smallest, Math.min(9.5, share - gap))}px`,
      "--mini-gap": `${gap}px`,
      "--gap": big > MAX_NUMBERS ? "0px" : "2px",
    };
    this.anew("sizes", sizes, () => {
      Object.entries(sizes).forEach(([name, size]) => this.root.style.setProperty(name, size));
    });
  }

  // How high a cell may be so that the whole focus is on the screen with what stands above it.
  share(narrow) {
    if (narrow || !this.top) return Infinity;
    const { row, left, results } = this.large;
    const tallest = (matrices) => Math.max(0, ...matrices.map(({ view }) => view.rows));
    const above = this.shown.filter(({ part, view }) => part === "focus" && left
      && !results.some((made) => made.view === view) && view !== left.view && !row.some((given) => given.view === view));
    const lines = [tallest(row), tallest(above), left ? tallest([left, ...results]) : 0].filter(Boolean);
    const cells = lines.reduce((sum, count) => sum + count, 0);
    return Math.floor((innerHeight - this.top - 14 - lines.length * CAPTIONS) / cells) - 2;
  }

  // Where the focus begins, measured once the page has been laid out.
  measure() {
    let top = this.focus.getBoundingClientRect().top;
    for (let node = this.focus; node; node = node.parentNode || node.host) top += node.scrollTop || 0;
    // One that begins further down is read after scrolling: then it has the window but for its head.
    const found = Math.round(top < 0.6 * innerHeight ? top : 0.25 * innerHeight);
    if (Math.abs(found - (this.top || 0)) < 5) return;
    this.top = found;
    this.fit();
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

Object.assign(Stage.prototype, Gestures);

function heading(label, scope) {
  const made = element("th");
  made.scope = scope;
  made.append(element("bdi", "", label));
  return made;
}

// Make `nodes` the children of `parent`, leaving those in place that are there already.
function sync(parent, nodes) {
  const same = parent.childNodes.length === nodes.length
    && nodes.every((node, number) => parent.childNodes[number] === node);
  if (!same) parent.replaceChildren(...nodes);
}
