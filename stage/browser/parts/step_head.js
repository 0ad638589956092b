// The head of a step: its title, the formula, the way on, what the step does and what is to be known of its
// numbers.

import { actionButton, focusIn } from "../dom/buttons.js";
import { element } from "../dom/elements.js";
import { isLarge } from "../draw/matrices.js";
import { prose } from "../draw/prose.js";

export class StepHead {
  // `acts` does what is pressed: `go(array, inside)`, `goTo(array)`, `play()`, `lift()`, `setOptions(toggles)`,
  // and `draw()` where more is to be told or less; `announce(text)` says a step that is another than before.
  constructor(formula, tools, acts) {
    this.tools = tools;
    this.acts = acts;
    this.root = element("div", "heading");
    this.title = element("h2");
    this.steps = element("span", "steps");
    this.steps.append(tools);
    this.root.append(this.title, formula, this.steps);
    this.words = element("div", "words");
    this.notes = element("div", "notes");
    this.telling = false; // more of what the step does than a sentence
    this.announced = ""; // the step that was said last
  }

  // From here keys go on: to the step's own controls, then into its numbers.
  focus() {
    this.title.tabIndex = -1;
    this.title.focus();
  }

  // `now` is the number of the stop; `covered` how many of its arrays are, `kept`: for good; `restores` the
  // toggles that are not as on an untouched page; `differs` and `apart` how the run does from another one.
  draw(told) {
    const { run, stops, now, restores } = told, stop = stops[now], had = focusIn(this.root)?.dataset.action;
    const count = element("span", "count", `${TEXTS("step_count", { number: now + 1, count: stops.length })} `);
    this.title.replaceChildren(count, stop.title);
    this.drawSteps(told);
    this.drawWords(stop, run, restores);
    this.drawNotes(told);
    if (had) (this.root.querySelector(`[data-action="${had}"]`) || this.steps.lastChild).focus();
    if (this.announced && this.announced !== stop.first) {
      this.acts.announce(`${this.title.textContent}. ${this.words.querySelector(".summary").textContent}`);
    }
    this.announced = stop.first;
  }

  // The way on, beside the title: where it is seen without scrolling.
  drawSteps({ stops, now, covered, kept, playing }) {
    const [back, { phases }, next] = [stops[now - 1], stops[now], stops[now + 1]];
    const withheld = covered > 0 && kept;
    const previous = back && actionButton("previous", "←", () => this.acts.go(back.first, back.inside));
    previous?.setAttribute("aria-label", TEXTS("back", { title: back.title }));
    previous?.setAttribute("aria-keyshortcuts", "PageUp");
    const made = [
      phases.length && actionButton("open", TEXTS("open"), () => this.acts.go(phases[0].first, true)),
      actionButton("play", TEXTS(playing ? "pause" : "play"), () => this.acts.play()),
      previous,
      covered ? !withheld && actionButton("next", TEXTS("reveal"), () => this.acts.lift())
        : next && actionButton("next", `${next.title} →`, () => this.acts.go(next.first, next.inside)),
    ].filter(Boolean);
    if ((next || covered) && !withheld) made.at(-1).setAttribute("aria-keyshortcuts", "PageDown");
    [...this.steps.children].forEach((part) => part === this.tools || part.remove());
    this.steps.append(...made); // after the tools, which stay open
  }

  // What the step does, in a sentence; more of it where somebody asks; and the way back to an untouched page.
  drawWords({ summary, words }, { roles, toggles }, restores) {
    const more = prose("span", "more", words, roles);
    more.hidden = !this.telling;
    const button = actionButton("tell", TEXTS(this.telling ? "less" : "more"), () => {
      this.telling = !this.telling;
      this.acts.draw();
    });
    button.setAttribute("aria-expanded", String(this.telling));
    this.words.replaceChildren(prose("span", "summary", summary, roles), ...(words ? [" ", more, " ", button] : []));
    const changes = Object.entries(restores).map(([key, value]) => {
      const { word, options } = toggles.find((toggle) => toggle.key === key);
      return `${word} ${(options.find(([option]) => option === value) || [value, value])[1]}`;
    });
    if (!changes.length) return;
    const reset = actionButton("reset", TEXTS("reset"), () => this.acts.setOptions(restores));
    reset.setAttribute("aria-label", TEXTS("reset_to", { changes: changes.join(", ") }));
    this.words.append(" ", reset);
  }

  // What is to be known of the numbers on show, and where else something is to be seen or done.
  drawNotes({ run, stops, now, step, places, differs, apart, refused }) {
    const { roles, arrays } = run, note = (className, text) => prose("span", className, text, roles);
    const painted = Object.keys(arrays).find((name) => arrays[name].paint);
    const paintsHere = painted && now === run.stopOf(painted, stops);
    const lead = (array, words) => {
      const { title } = stops[run.stopOf(array, stops)];
      return actionButton("lead", TEXTS("lead", { words, title }), () => this.acts.goTo(array));
    };
    const alert = element("div", "refused", refused);
    alert.setAttribute("role", "alert");
    this.notes.replaceChildren(...[
      run.badge && note("badge", run.badge),
      differs && note("badge", differs),
      apart?.first && !apart.changes[step] && lead(apart.first, TEXTS("first_difference")),
      paintsHere && element("span", "badge doing", TEXTS("draw_here", { array: painted })),
      painted && !paintsHere && lead(painted, TEXTS("draw", { array: painted })),
      this.hasPanes(run, stops[now].focus, places) && prose("div", "in-panes", TEXTS("in_panes"), roles),
      refused && alert,
    ].filter(Boolean));
  }

  // Whether only a part of some matrix' numbers is on show.
  hasPanes(run, { row, left, columns }, places) {
    const drawn = [...row, left, ...columns.flatMap(({ above, result }) => [above, result])].filter(Boolean);
    return drawn.some((name) => isLarge(run.view(name, places)));
  }
}
