// The stage: formula bar, strip and focus of one program's trace. It is told everything by data
// (stage/views.py) and knows no attention; a click, a key or an edit goes back as a trigger.

const stages = new WeakMap();

class Stage {
  constructor(parent) {
    this.root = element("div", "stage");
    this.root.dataset.testid = "stage";
    this.formula = element("div");
    this.strip = element("div", "strip");
    this.heading = element("div", "heading");
    this.focus = element("div", "focus");
    this.workings = element("div", "workings");
    this.footer = element("div", "footer");
    this.root.append(
      this.formula, this.strip, this.heading, this.focus, this.workings, this.footer,
    );
    parent.append(this.root);
    this.matrices = new Map();
    this.shown = [];
    this.drawn = {};
    together.add(this);
    this.listen();
  }

  listen() {
    const root = this.root;
    root.addEventListener("pointerover", (event) => {
      const cell = event.target.closest?.("[data-cell]");
      if (cell && !this.playing) this.point(cell.dataset.cell);
    });
    root.addEventListener("pointerleave", () => !this.playing && this.point(this.selected));
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
    together.delete(this);
    Object.entries(this.outside).forEach(([kind, act]) => document.removeEventListener(kind, act));
    this.sizes.disconnect();
    this.root.remove();
  }

  update(data, send) {
    const moved = this.data?.phase !== data.phase;
    if (moved) this.pause();
    this.data = data;
    this.send = send;
    this.program = null;
    this.root.dataset.step = data.step;
    this.root.classList.toggle("present", !!data.present);
    const { formula, phases, phase, badge, compared, refused, workings } = data;
    this.anew("formula", [formula, phases, phase], () => this.drawFormula());
    this.shown = [];
    this.drawStrip();
    this.anew("heading", [phases, phase, badge, compared, refused], () => this.drawHeading());
    this.drawFocus();
    this.anew("workings", workings, () => this.drawWorkings());
    this.anew("footer", [phases, phase], () => this.drawFooter());
    this.fit();
    this.select(data.selected);
    this.point(this.selected);
    this.light(this.lit);
    if (moved) requestAnimationFrame(() => this.reveal());
    const idle = window.requestIdleCallback || ((task) => setTimeout(task, 30));
    idle(() => this.compiled());
  }

  // Scrolls the strip, where it is wider than its room, to the step that is shown.
  reveal() {
    const middle = (part) => { const { left, width } = part.getBoundingClientRect(); return left + width / 2; };
    const now = this.strip.querySelector(".now");
    if (now) this.strip.scrollLeft += middle(now) - middle(this.strip);
  }

  // Draws a part where what it is drawn from has changed.
  anew(part, from, draw) {
    const signature = JSON.stringify(from);
    if (this.drawn[part] === signature) return;
    this.drawn[part] = signature;
    draw();
  }

  compiled() {
    if (!this.program) {
      const { shapes, steps, removed, overwritten, unguarded } = this.data.trace;
      const unpacked = (packed) => (
        Object.fromEntries(Object.entries(packed).map(([name, bits]) => [name, bytes(bits)]))
      );
      this.program = {
        shapes,
        steps: steps.map((step) => compileStep(step, shapes)),
        removed: unpacked(removed),
        overwritten: unpacked(overwritten),
        unguarded: unpacked(unguarded),
      };
    }
    return this.program;
  }

  // One drawn matrix for each place on the stage, kept between updates.
  matrix(place, part, view) {
    const key = `${place}.${view.name}.${view.transposed}`;
    if (!this.matrices.has(key)) this.matrices.set(key, new Matrix(part));
    const matrix = this.matrices.get(key);
    matrix.update(view, this.data.trace.shapes[view.name], this.data.roles);
    this.shown.push(matrix);
    return matrix.root;
  }

  drawFormula() {
    const { formula, phases, phase, roles } = this.data;
    const bar = formulaBar(formula, phases, phase, roles, (step) => this.go(step, this.isInside(step)));
    const had = this.formula.contains(this.active()) && this.active().dataset.step;
    this.formula.replaceWith(bar);
    this.formula = bar;
    if (had) bar.querySelector(`[data-step="${had}"]`)?.focus();
  }

  drawStrip() {
    const { phases, phase, strip, roles } = this.data;
    this.anew("strip", phases, () => {
      this.strip.replaceChildren(...phases.map(({ title, caption, first }, number) => {
        const button = element("button", "phase");
        button.type = "button";
        button.dataset.step = first;
        button.setAttribute("aria-label", `Step ${number + 1}: ${title}`);
        button.append(element("span", "title"), element("span", "minis"));
        button.firstChild.append(...caption.map((tree) => mathOf(tree, roles)));
        return button;
      }));
    });
    [...this.strip.children].forEach((button, number) => {
      button.classList.toggle("now", number === phase);
      if (number === phase) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      const minis = strip[number].map((view) => this.matrix(`strip${number}`, "strip", view));
      sync(button.lastChild, minis);
    });
  }

  drawHeading() {
    const { phases, phase, badge, compared, refused } = this.data;
    this.heading.replaceChildren(
      element("span", "count", `Step ${phase + 1} of ${phases.length}`),
      element("strong", "", phases[phase].title),
      element("span", "summary", phases[phase].summary),
    );
    const { opens } = phases[phase];
    if (opens) this.heading.append(this.button("open", "Open", () => this.go(opens, true)));
    [badge, compared].filter(Boolean).forEach((text) => {
      this.heading.append(element("span", "badge", text));
    });
    if (!refused) return;
    const alert = element("div", "refused", refused);
    alert.setAttribute("role", "alert");
    this.heading.append(alert);
  }

  // The containers stay while the same matrices are shown, so that focus and scroll survive.
  drawFocus() {
    const { row, left, columns } = this.data.focus;
    const roots = (views) => views.map((view) => this.matrix("focus", "focus", view));
    const line = roots(row);
    const corner = left
      ? [roots(columns.map((column) => column.above)), roots([left]),
        roots(columns.map((column) => column.result))].flat() : [];
    const signature = [line.length, ...this.shown.map((matrix) => matrix.view.name)].join();
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
        side.append(...(number ? [element("span", "arrow", "→"), matrix] : [matrix]));
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

  drawWorkings() {
    const { workings } = this.data;
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

  drawFooter() {
    const { phases, phase } = this.data;
    const back = phases[phase - 1], next = phases[phase + 1];
    const made = [
      back && this.button("previous", `← ${back.title}`, () => this.go(back.first, back.inside)),
      this.button("play", this.playing ? "❚❚ Pause" : "▶ Play", () => this.toggle()),
      next && this.button("next", `${next.title} →`, () => this.go(next.first, next.inside)),
    ].filter(Boolean);
    const had = this.footer.contains(this.active()) && this.active().dataset.action;
    const pictures = ["svg", "png"].map((kind) => (
      this.button(kind, kind.toUpperCase(), () => savePicture(this, kind))
    ));
    pictures.forEach((button) => { button.setAttribute("aria-label", `Save a picture as ${button.textContent}`); });
    this.footer.replaceChildren(
      ...made, element("span", "hint", "Page Up · Page Down"),
      element("span", "hint pictures", "Picture:"), ...pictures,
    );
    if (had) this.footer.querySelector(`[data-action="${had}"]`)?.focus();
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
    if (!this.data) return;
    // The width is kept: to ask for it here would lay out the page once more at every update.
    this.width ||= this.root.clientWidth;
    const { width } = this, narrow = width < 560;
    this.root.classList.toggle("narrow", narrow);
    const { focus } = this.data;
    const lines = focus.left
      ? [[focus.left, ...focus.columns.map((column) => column.result)], focus.row] : [focus.row];
    const across = narrow ? lines.flat().map((view) => [view]) : lines;
    const views = lines.flat();
    const longest = Math.max(...views.flatMap((v) => v.rowLabels.map((label) => label.length)));
    const letter = this.data.present ? 11 : 8;
    const label = Math.min(Math.max(longest * letter + 10, 26), narrow ? 70 : 14 * letter);
    const big = Math.max(...views.map((view) => Math.max(view.rows, view.cols)));
    const room = Math.min(...across.filter((line) => line.length).map((line) => {
      const cols = line.reduce((sum, view) => sum + view.cols, 0);
      const labels = big > MAX_LABELS ? 0 : Math.min(line.length, focus.left ? 2 : 1) * label;
      return (width - 8 - labels - line.length * (focus.left ? 16 : 40)) / cols - (big > MAX_NUMBERS ? 0 : 2);
    }));
    const changed = views.some((view) => view.changes);
    const [least, most] = big > MAX_NUMBERS ? [3, 18] : [changed ? 40 : 31, this.data.present ? 74 : 54];
    const cell = Math.max(least, Math.min(most, Math.floor(room)));
    const style = this.root.style;
    style.setProperty("--cell", `${cell}px`);
    style.setProperty("--cell-height", `${big > MAX_NUMBERS ? cell : Math.max(changed ? 38 : 28, cell * 0.62)}px`);
    style.setProperty("--label", `${label}px`);
    const strip = this.data.strip.flat().reduce((sum, view) => sum + Math.min(view.cols, MAX_MINI), 0);
    const gaps = this.data.strip.length * 26 + this.data.strip.flat().length * 6 + 24;
    const share = (width - gaps) / strip, gap = share >= 5 ? 1 : 0, smallest = narrow ? 3 : 1.5;
    style.setProperty("--mini-least", `${smallest}px`);
    style.setProperty("--mini", `${Math.max(smallest, Math.min(11, share - gap))}px`);
    style.setProperty("--mini-gap", `${gap}px`);
    style.setProperty("--gap", big > MAX_NUMBERS ? "0px" : "2px");
  }

  // Pointing: sources, uses and everything beyond them, in every matrix shown.
  point(id) {
    if (this.pointed === id && this.pointedData === this.data) return;
    this.pointed = id;
    this.pointedData = this.data;
    const [name, ...index] = (id || "").split(".");
    const shape = this.data.trace.shapes[name];
    if (!shape) return this.shown.forEach((matrix) => matrix.highlight(null));
    const steps = strides(shape);
    const flat = index.reduce((sum, at, axis) => sum + Number(at) * steps[axis], 0);
    const levels = reach(this.compiled(), name, flat);
    this.shown.forEach((matrix) => matrix.highlight(levels[matrix.view.name]));
  }

  select(id) {
    this.selected = id;
    this.root.querySelectorAll('[role="gridcell"]').forEach((cell) => {
      const mine = cell.dataset.cell === id;
      if (mine !== (cell.getAttribute("aria-selected") === "true")) {
        cell.setAttribute("aria-selected", String(mine));
      }
    });
    this.rove();
  }

  // One cell of each grid can be reached by Tab: the selected one, or the first.
  rove() {
    this.shown.filter((matrix) => matrix.part === "focus").forEach((matrix) => {
      const mine = matrix.cells.find((cell) => cell.dataset.cell === this.selected);
      matrix.cells.forEach((cell) => {
        const stop = cell === (mine || matrix.cells[0]) ? 0 : -1;
        if (cell.tabIndex !== stop) cell.tabIndex = stop;
      });
    });
  }

  clicked(event) {
    const cell = event.target.closest?.("[data-cell]");
    const phase = event.target.closest?.(".phase");
    if (phase) this.go(phase.dataset.step, this.data.phases[[...this.strip.children].indexOf(phase)].inside);
    else if (cell && !event.target.closest("input")) this.choose(cell.dataset.cell);
  }

  choose(id, wait = 0) {
    this.pause();
    this.select(id);
    this.point(id);
    clearTimeout(this.pending);
    const { step, phases, phase } = this.data;
    const send = () => this.send("go", { step, cell: id, open: phases[phase].inside });
    if (!wait) send();
    else this.pending = setTimeout(send, wait);
  }

  // To the stop of an array; `open`: inside the phase whose own array it is.
  go(step, open = false) {
    clearTimeout(this.pending);
    this.send("go", { step, cell: "", open });
  }

  isInside(step) {
    return !!this.data.phases.find(({ names }) => names.includes(step))?.inside;
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

export default function ({ data, parentElement, setTriggerValue }) {
  let stage = stages.get(parentElement);
  if (!stage) {
    stage = new Stage(parentElement);
    stages.set(parentElement, stage);
  }
  stage.update(data, setTriggerValue);
  return () => {
    stage.close();
    stages.delete(parentElement);
  };
}
