// How the stage draws its parts, each only where what it is drawn from has changed. These are
// methods of the stage; stage.js takes them over.

const AT_ONCE = 1500; // cells of the strip that are painted with the numbers

const Drawing = {
  draw() {
    const { run, at } = this;
    const stops = this.stops, stop = run.stopOf(at.step, stops);
    if (this.stop !== stop) this.moved = true;
    this.stop = stop;
    this.places = { ...at.slices, ...run.places(at.step, this.row) };
    this.root.dataset.step = at.step;
    this.findCovered();
    const signs = [run.id, stops.length, stop, !!this.presenting];
    this.ribbon.draw();
    this.drawToolbar();
    const named = stops.map((stop) => [run.arrays[stop.first].caption[1], ...[stop, ...innermost(stop)].map(({ title, names }) => [title, names])]);
    this.anew("formula", [run.formula, run.roles, named], () => {
      this.formula.build(run, stops, (step) => this.go(step, this.isInside(step)));
    });
    this.formula.light(stop, stops);
    this.shown = [];
    this.paneSize = this.sizePanes();
    this.anew("followed", [run.id, at.cell, at.step, this.paneSize], () => this.followCell());
    this.drawStrip(stops);
    this.drawFocus(stops[stop].focus);
    this.drawTools(stops[stop]);
    const covered = this.coveredHere().length;
    this.anew("heading", [...signs, this.places, this.answered.refused, this.said(), !!this.playing, covered, this.telling, this.changed()], () => this.drawHeading(stops, covered));
    this.drawCode(stops[stop]);
    const withheld = this.isRowWithheld();
    this.anew("workings", [run.id, at.step, this.row, this.table(), withheld, !!this.presenting], () => this.drawWorkings(withheld));
    this.drawNumber();
    this.drawWaiting();
    this.fit();
    this.select();
    this.anew("sought", [at.cell, at.step, this.width, run.id], () => this.seek());
    // An answer that comes while somebody points at a cell does not take the highlight away.
    if (!this.ribbon.relight()) this.point(this.hovered && run.has(this.hovered) ? this.hovered : at.cell);
    this.light(this.lit);
    this.tellProse();
    if (this.presenting) this.shutBehind();
    const seen = () => {
      this.reveal();
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
      const ids = [this.run, ...(this.leads || [])].map(({ id }) => id);
      const unknown = (this.leads || []).find(({ id }) => !this.runs.has(id));
      const unread = ids.map((id) => this.runs.get(id)).find((run) => run && !Object.hasOwn(run, "compiled"));
      if (unknown) this.keep(unknown);
      else if (unread) void unread.compiled;
      if (unknown || unread) this.later();
    });
  },

  say() {
    this.shown.filter(({ part }) => part === "focus").forEach((matrix) => matrix.say());
  },

  // Scrolls the strip, where it is larger than its room, to the step that is shown.
  reveal() {
    const { strip } = this, now = strip.querySelector(".now");
    if (!now) return;
    const [one, all] = [now, strip].map((of) => of.getBoundingClientRect());
    strip.scrollLeft += one.left + one.width / 2 - all.left - all.width / 2;
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
    matrix.update(part === "focus" ? this.paneOf(view) : view, this.run.roles, changes, this.covered?.[name]);
    this.shown.push(matrix);
    return matrix.root;
  },

  // The map: a miniature of each step with its number and name; names alone of a few steps.
  drawStrip(stops) {
    const { run } = this;
    this.anew("strip", stops.map(({ first, title }) => [first, title]), () => {
      this.strip.replaceChildren(...stops.map(({ first, title }, number) => {
        const button = element("button", "phase");
        button.type = "button";
        button.dataset.step = first;
        button.setAttribute("aria-label", TEXTS("step", { number: number + 1, title }));
        button.append(element("span", "title"), element("span", "minis"));
        button.firstChild.append(element("span", "number", number + 1), element("span", "name", title));
        return button;
      }));
    });
    [...this.strip.children].forEach((button, number) => {
      button.classList.toggle("now", number === this.stop);
      if (number === this.stop) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const empty = [...this.strip.children].some(({ lastChild }) => !lastChild.hasChildNodes());
    const cells = this.miniViews().reduce((total, view) => total + (isLarge(view) ? 0 : view.flat.length), 0);
    if (empty || cells <= AT_ONCE) return this.drawMinis();
    if (!this.owesMinis) afterFrame(() => {
      this.owesMinis = false;
      this.drawMinis();
      this.point(this.pointed);
      this.light(this.lit);
    });
    this.owesMinis = true;
  },

  // The strip's matrices. Where they have very many cells, the large numbers are painted first.
  drawMinis() {
    [...this.strip.children].forEach(({ lastChild }, number) => {
      sync(lastChild, this.stops[number].minis.map((name) => this.matrix(this.minis, `${number} ${name}`, "strip", name)));
    });
  },

  miniViews() {
    return this.stops.flatMap(({ minis }) => minis.map((name) => this.run.view(name, this.places)));
  },

  // How the step's matrix differs from the other run, where there is one.
  said() {
    if (!this.apart || this.covered[this.at.step]) return "";
    const view = this.run.view(this.at.step, this.places);
    return this.apart.said[this.at.step]?.[Math.floor(view.flat[0] / (view.rows * view.cols))] || "";
  },

  drawHeading(stops, covered) {
    const stop = stops[this.stop];
    const had = this.heading.contains(this.active()) && this.active().dataset.action;
    this.title.replaceChildren(element("span", "count", `${TEXTS("step_count", { number: this.stop + 1, count: stops.length })} `), stop.title);
    this.drawSteps(stops);
    this.drawWords(stop);
    this.drawStory(covered > 0);
    this.drawNotes(stops);
    if (had) (this.heading.querySelector(`[data-action="${had}"]`) || this.steps.lastChild).focus();
    this.announceStep(stop);
  },

  // Another step than before is said, with what it does.
  announceStep({ first }) {
    if (this.announced && this.announced !== first) {
      this.announcer.say(`${this.title.textContent}. ${this.words.querySelector(".summary").textContent}`);
    }
    this.announced = first;
  },

  // What the step does, in a sentence; more of it where somebody asks.
  drawWords({ summary, words }) {
    const { roles } = this.run, more = prose("span", "more", words, roles);
    more.hidden = !this.telling;
    const button = this.button("tell", TEXTS(this.telling ? "less" : "more"), () => {
      this.telling = !this.telling;
      this.draw();
    });
    button.setAttribute("aria-expanded", String(this.telling));
    this.words.replaceChildren(prose("span", "summary", summary, roles), ...(words ? [" ", more, " ", button] : []), ...this.reset());
  },

  // What is to be known of the numbers on show, and where else something is to be seen or done.
  drawNotes(stops) {
    const { roles } = this.run, stop = stops[this.stop];
    this.notes.replaceChildren();
    [this.run.badge, this.said()].filter(Boolean).forEach((text) => {
      this.notes.append(prose("span", "badge", text, roles));
    });
    this.leadTo(stops, this.apart?.first, !this.apart?.changes[this.at.step], TEXTS("first_difference"));
    const painted = Object.keys(this.run.arrays).find((name) => this.run.arrays[name].paint);
    if (painted && this.stop === this.run.stopOf(painted, stops)) {
      this.notes.append(element("span", "badge doing", TEXTS("draw_here", { array: painted })));
    } else if (painted) this.leadTo(stops, painted, true, TEXTS("draw", { array: painted }));
    if (this.hasPanes(stop.focus)) this.notes.append(prose("div", "in-panes", TEXTS("in_panes"), roles));
    this.drawRefusal(this.answered.refused);
  },

  // What to notice in this run; its numbers would give away what is covered.
  drawStory(covered) {
    this.tells = !covered;
    this.tellStory();
    this.placeStory();
  },

  // Where something is said of each row of the weights, that of the row which the ribbon shows.
  tellStory() {
    const { run, ribbon } = this, [title, said, meanings] = run.story;
    const meaning = ribbon.shown && meanings[ribbon.number];
    const first = [...(title ? [element("strong", "", title), " "] : []), ...(meaning ? [...partNodes(meaning, run.roles), " "] : [])];
    this.story.replaceChildren(...(this.tells ? [...first, ...partNodes(said, run.roles)] : []));
  },

  // Beside what is read in the run, where that is drawn; on a phone below the numbers.
  placeStory() {
    const { ribbon, story, narrow } = this, after = narrow ? this.body : this.words;
    if (ribbon.shown && !narrow) {
      if (story.parentNode !== ribbon.told) ribbon.told.append(story);
    } else if (after.nextSibling !== story) after.after(story);
  },

  // Whether only a part of some matrix' numbers is on show.
  hasPanes({ row, left, columns }) {
    const drawn = [...row, left, ...columns.flatMap(({ above, result }) => [above, result])].filter(Boolean);
    return drawn.some((name) => isLarge(this.run.view(name, this.places)));
  },

  // Where something is to be seen or done at another step: a button that goes there.
  leadTo(stops, array, wanted, words) {
    if (!array || !wanted) return;
    const { title } = stops[this.run.stopOf(array, stops)];
    this.notes.append(this.button("lead", TEXTS("lead", { words, title }), () => this.go(array, this.isInside(array))));
  },

  drawRefusal(refused) {
    if (!refused) return;
    const alert = element("div", "refused", refused);
    alert.setAttribute("role", "alert");
    this.notes.append(alert);
  },

  // What is asked of the host and has not come yet: said after a while.
  drawWaiting() {
    const { options, run, acts, answered, number, apart, compare, untouched, config } = this;
    const toggled = Object.entries(options).some(([key, value]) => run.options[key] !== value);
    const compared = config.comparisons.length && compare !== untouched.compare && !apart;
    const changes = acts.length || toggled || compared, lacks = this.lacksNumber();
    const waits = answered.number < number && (changes || lacks);
    this.root.toggleAttribute("aria-busy", !!waits);
    const said = waits && this.late ? TEXTS("waiting") : "";
    if (this.waiting.textContent && !waits) this.announcer.say(TEXTS("answered"));
    this.waiting.textContent = said;
    // Where only the arithmetic is missing it is read there, and no line moves the cells.
    this.waiting.classList.toggle("heard", !changes);
    this.arithmetic.root.dataset.waits = said;
  },

  table() {
    return this.tables.get(`${this.run.id} ${[this.at.step, ...this.row].join(".")}`) || null;
  },

  // The row at work. Where a cover keeps it back, its room is kept in the full window alone: what
  // is lifted there moves no cell.
  drawWorkings(withheld) {
    const workings = this.table();
    this.workings.replaceChildren();
    this.workings.classList.toggle("withheld", withheld);
    if (!workings || (withheld && !this.presenting)) return;
    const told = (text) => (withheld ? text.replace(/\S/g, "0") : text);
    const table = element("table");
    table.append(element("caption"));
    writeParts(table.firstChild, workings.title.map(told), this.run.roles);
    const head = element("tr");
    head.append(element("td"), ...workings.columns.map((label) => heading(label, "col")));
    table.append(head);
    workings.rows.forEach(({ label, cells, total }) => {
      const line = element("tr", total ? "total" : "");
      line.append(heading(told(label), "row"));
      cells.forEach((text) => {
        line.append(element("td", LOOKS[text] || "", told(minus(text))));
      });
      table.append(line);
    });
    this.workings.append(table);
    this.workingsWide.disconnect();
    this.workingsWide.observe(table);
  },

  foundNumber() {
    return this.explained.get(`${this.run.id} ${this.at.cell}`);
  },

  // Whether the selected cell's arithmetic is not known here yet.
  lacksNumber() {
    return !this.foundNumber() && !this.isWithheld(this.at.cell);
  },

  // The selected cell's arithmetic, where it is known; else its place is kept until it comes.
  drawNumber() {
    const found = this.foundNumber(), withheld = this.isWithheld(this.at.cell);
    if (withheld) this.drawCovered();
    else if (found) this.arithmetic.show({ ...found, roles: this.run.roles, verdict: this.tried?.id === this.at.cell ? this.tried.said : "" });
    this.arithmetic.root.classList.toggle("unknown", this.lacksNumber());
    const [name] = parts(this.at.cell);
    const tapped = this.narrow && !this.presenting && this.shown.find(({ part, view }) => part === "focus" && view.name === name);
    const place = tapped ? tapped.root : this.shows;
    if (place.nextSibling !== this.arithmetic.root) place.after(this.arithmetic.root);
  },

  // In place of the arithmetic: a field for what one has worked out.
  drawCovered() {
    const { cell } = this.at, mine = this.tried?.id === cell ? this.tried : null;
    this.arithmetic.cover({
      title: this.run.cellName(cell),
      asks: this.isCovered(cell),
      said: mine ? mine.said : "",
      answer: (typed) => this.answer(cell, typed),
      reveal: () => this.revealCell(cell),
    });
  },

  // The way on, beside the title: where it is seen without scrolling.
  drawSteps(stops) {
    const back = stops[this.stop - 1], next = stops[this.stop + 1], { phases } = stops[this.stop];
    const covered = this.coveredHere().length;
    const previous = back && this.button("previous", "←", () => this.go(back.first, back.inside));
    previous?.setAttribute("aria-label", TEXTS("back", { title: back.title }));
    previous?.setAttribute("aria-keyshortcuts", "PageUp");
    const made = [
      phases.length && this.button("open", TEXTS("open"), () => this.go(phases[0].first, true)),
      this.button("play", TEXTS(this.playing ? "pause" : "play"), () => this.play()),
      previous,
      covered ? this.button("next", TEXTS("reveal"), () => this.lift())
        : next && this.button("next", `${next.title} →`, () => this.go(next.first, next.inside)),
    ].filter(Boolean);
    if (next || covered) made.at(-1).setAttribute("aria-keyshortcuts", "PageDown");
    [...this.steps.children].forEach((part) => part === this.tools || part.remove());
    this.steps.append(...made); // after the tools, which stay open
  },

  button(action, text, act) {
    const made = element("button", action, text);
    made.type = "button";
    made.dataset.action = action;
    made.onclick = act;
    return made;
  },
};

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
