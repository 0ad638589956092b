// The loss of a training as a curve that is a slider, and next to it the maps of all heads at the step that
// is chosen. All kept steps are here, so that nothing waits for the server, which is told where it stops.

import { element } from "../../../stage/browser/dom/elements.js";
import { drawing, stretched } from "../../../stage/browser/dom/svg.js";
import { barButton } from "../buttons.js";
import { Carried, carriedOf } from "../carried.js";
import { ThemeWatch, unpack } from "../head_maps/weight_canvas.js";
import { TrainedMaps } from "./trained_maps.js";

const PAUSE = 600; // milliseconds that a step is looked at when it plays
const REST = 150; // and after which a move counts as the last one
const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity };

class TrainingCurve extends Carried {
  constructor(parent, key) {
    super(parent, key, "training in-colours", { id: "training-curve" });
    this.slider = element("div", "slider");
    this.slider.tabIndex = 0;
    this.slider.setAttribute("role", "slider");
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.plot = element("div", "plot");
    this.area = element("div", "area");
    this.line = element("i", "now");
    this.plot.append(this.area);
    this.plot.addEventListener("pointerdown", (event) => this.grasp(event));
    this.plot.addEventListener("pointermove", (event) => this.held && this.drag(event));
    this.plot.addEventListener("lostpointercapture", () => { this.held = false; });
    this.plot.addEventListener("pointercancel", () => this.held && this.move(this.from));
    this.before = this.button("‹", "curve_before", -1);
    this.after = this.button("›", "curve_after", 1);
    this.player = barButton("", () => this.play());
    this.player.className = "play";
    const bar = element("div", "bar"), curve = element("div", "curve");
    bar.append(this.before, this.after, this.player);
    this.said = element("div", "said");
    curve.append(this.plot, bar, this.said);
    this.grids = element("div", "grids");
    const parts = element("div", "parts");
    parts.append(curve, this.grids);
    this.root.append(parts);
    this.trainings = [];
    this.theme = new ThemeWatch(this.root, (colours) => { this.colours = colours; this.paint(); });
  }

  button(text, id, by) {
    const made = barButton(text, () => this.move(this.at + by));
    made.setAttribute("aria-label", TEXTS(id));
    return made;
  }

  // Draws what there is, once it is unpacked and the step is one of these trainings.
  async refresh() {
    const { state, drawn } = this.told, now = (this.refreshed = {});
    if (!this.send || !drawn || drawn.about !== state?.about) return;
    this.events.hear(state, this.send);
    await Promise.all(drawn.trainings.map(({ maps }) => unpack(maps)));
    if (now !== this.refreshed) return; // something newer is on its way
    this.root.classList.toggle("present", state.present);
    if (drawn !== this.data) this.build(drawn);
    if (this.at === undefined || (this.events.answered && !this.waits)) this.at = state.chosen;
    this.off = new Set(state.off.map(([layer, head]) => `${layer} ${head}`));
    this.theme.look();
    this.show();
    this.drawn();
  }

  get last() { return this.data.steps.length - 1; }

  build(data) {
    const { slider } = this, { steps, ticks, title, tokens, trainings } = data;
    this.data = data;
    this.at &&= Math.min(this.at, this.last);
    this.root.classList.toggle("two", trainings.length > 1);
    this.root.classList.toggle("crowded", trainings[0].heads[0][0].length > 2);
    slider.setAttribute("aria-label", title);
    slider.setAttribute("aria-valuemin", steps[0]);
    slider.setAttribute("aria-valuemax", steps[this.last]);
    const numbers = Object.entries(ticks).flatMap(([axis, all]) => (
      all.map(([at, text]) => placed(element("span", `tick ${axis}`, text), { at }))));
    const lines = trainings.flatMap((training, n) => this.curve(training, KINDS[n]));
    const focused = slider.matches(":focus");
    const seen = [element("span", "axis", TEXTS("curve_loss")), ...numbers, this.line, ...lines];
    seen.forEach((part) => part.setAttribute("aria-hidden", "true"));
    this.area.replaceChildren(...seen, slider);
    if (focused) slider.focus({ preventScroll: true });
    this.trainings = trainings.map((training, n) => new TrainedMaps(training, tokens, KINDS[n]));
    this.grids.replaceChildren(...this.trainings.map(({ root }) => root));
    this.said.replaceChildren(...trainings.map((_, n) => element("p", KINDS[n])));
  }

  // A line, its dots, its name and where the chosen step is on it.
  curve({ name, line: [x, y], dots, at }, kind) {
    const points = x.map((place, n) => `${100 * place},${100 - 100 * y[n]}`).join(" ");
    const line = stretched(100, 100, drawing("polyline", { points }));
    line.setAttribute("class", kind);
    const marks = dots.map((dot, n) => placed(element("i", `${kind} dot`), { at: this.data.places[n], up: dot }));
    return [line, ...marks, placed(element("span", `${kind} name`, name), { up: at })];
  }

  show() {
    const { at, data, slider } = this, { places, steps, trainings } = data, step = steps[at];
    const { activeElement } = this.root.getRootNode();
    [this.line, slider].forEach((part) => placed(part, { at: places[at] }));
    slider.textContent = TEXTS("curve_step", { step });
    slider.setAttribute("aria-valuenow", step);
    const said = trainings.map(({ name, said: all }) => (name ? TEXTS("curve_said", { training: name, said: all[at] }) : all[at]));
    slider.setAttribute("aria-valuetext", TEXTS("curve_value", { step, said: said.join("; ") }));
    [...this.said.children].forEach((line, n) => { line.textContent = said[n]; });
    this.area.querySelectorAll(".dot").forEach((dot, n) => dot.classList.toggle("here", n % steps.length === at));
    this.before.disabled = at === 0;
    this.after.disabled = at === this.last;
    if (activeElement?.disabled) slider.focus({ preventScroll: true }); // a button that was pressed, at an end
    this.said.setAttribute("aria-live", this.plays || activeElement === slider ? "off" : "polite");
    this.player.textContent = this.plays ? `◼ ${TEXTS("curve_stop")}` : `▶ ${TEXTS("curve_play")}`;
    this.root.classList.toggle("plays", !!this.plays);
    this.paint();
  }

  paint() {
    if (this.colours) this.trainings.forEach((training) => training.draw(this.at, this.off, this.colours));
  }

  grasp(event) {
    if (event.button) return;
    event.preventDefault();
    this.slider.focus({ preventScroll: true });
    this.plot.setPointerCapture(event.pointerId);
    this.held = true;
    this.from = this.at;
    const onHandle = event.target === this.slider;
    this.beside = onHandle ? this.place(event) - this.data.places[this.at] : 0; // the handle is wider than its line
    this.drag(event);
  }

  // Where the pointer is, in parts of the plot's width.
  place({ clientX }) {
    const { left, width } = this.area.getBoundingClientRect();
    return (clientX - left) / width;
  }

  // To the nearest kept step.
  drag(event) {
    const place = this.place(event) - this.beside, far = this.data.places.map((at) => Math.abs(at - place));
    this.move(far.indexOf(Math.min(...far)));
  }

  key(event) {
    const by = KEYS[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.move(this.at + by);
  }

  play() {
    if (this.plays) return this.stop();
    this.plays = setInterval(() => this.to(this.at + 1), PAUSE);
    this.to(this.at === this.last ? 0 : this.at + 1);
  }

  stop() {
    clearInterval(this.plays);
    this.plays = null;
    this.show();
  }

  // By hand: what plays stops.
  move(at) {
    if (this.plays) this.stop();
    this.to(at);
  }

  // Shows a step, and tells the page of it once it is the last.
  to(at) {
    const step = Math.max(0, Math.min(this.last, at));
    if (step === this.last && this.plays) this.stop();
    if (step === this.at) return;
    this.at = step;
    this.show();
    clearTimeout(this.waits);
    this.waits = setTimeout(() => {
      this.waits = null;
      this.events.tell("step", { step: this.at });
    }, REST);
  }

  close() {
    clearInterval(this.plays);
    clearTimeout(this.waits);
    this.theme.close();
    super.close();
  }
}

const KINDS = ["first", "second"];

function placed(part, places) {
  Object.entries(places).forEach(([name, place]) => part.style.setProperty(`--${name}`, place));
  return part;
}

export default carriedOf(TrainingCurve);
