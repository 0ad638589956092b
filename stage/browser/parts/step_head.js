// The head of a step: its title, the way on, what the step does and what is to be known of its numbers.
// These are methods of the stage; stage.js takes them over.

import { element } from "../dom/elements.js";
import { isLarge } from "../draw/matrices.js";
import { partNodes, prose } from "../draw/prose.js";

export const Heading = {
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
    if (!this.sentence.isOpen) this.drawRefusal(this.answered.refused);
  },

  // What to notice in this run; its numbers would give away what is covered.
  drawStory(covered) {
    this.tells = !covered;
    this.tellStory();
    this.placeStory();
  },

  // Where something is said of each row of the weights, that of the row which the ribbon shows: in
  // words of the steps so far. It stands beside what is read; on a phone the rest comes below the numbers.
  tellStory() {
    const { run, ribbon } = this, [title, said, meanings, taught] = run.story;
    const known = Object.keys(taught).filter((array) => run.stopOf(array, this.stops) <= this.stop).map((array) => taught[array]);
    const row = ribbon.shown ? [meanings, known.at(-1) || []].map((sentences) => sentences[ribbon.number]).filter((told) => told?.some(Boolean)) : [];
    const first = [...(title ? [element("strong", "", title), " "] : []), ...row.flatMap((told) => [...partNodes(told, run.roles), " "])];
    this.isApart = !!this.narrow && row.length > 0;
    const rest = this.tells ? partNodes(said, run.roles) : [];
    this.story.replaceChildren(...(this.tells ? first : []), ...(this.isApart ? [] : rest));
    this.remark.replaceChildren(...(this.isApart ? rest : []));
  },

  placeStory() {
    const { ribbon, story, narrow } = this, after = narrow ? this.body : this.words;
    if (ribbon.shown && (!narrow || this.isApart)) {
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

  // The way on, beside the title: where it is seen without scrolling.
  drawSteps(stops) {
    const back = stops[this.stop - 1], next = stops[this.stop + 1], { phases } = stops[this.stop];
    const covered = this.coveredHere().length, kept = covered && this.config.kept_covered;
    const previous = back && this.button("previous", "←", () => this.go(back.first, back.inside));
    previous?.setAttribute("aria-label", TEXTS("back", { title: back.title }));
    previous?.setAttribute("aria-keyshortcuts", "PageUp");
    const made = [
      phases.length && this.button("open", TEXTS("open"), () => this.go(phases[0].first, true)),
      this.button("play", TEXTS(this.playing ? "pause" : "play"), () => this.play()),
      previous,
      covered ? !kept && this.button("next", TEXTS("reveal"), () => this.lift())
        : next && this.button("next", `${next.title} →`, () => this.go(next.first, next.inside)),
    ].filter(Boolean);
    if ((next || covered) && !kept) made.at(-1).setAttribute("aria-keyshortcuts", "PageDown");
    [...this.steps.children].forEach((part) => part === this.tools || part.remove());
    this.steps.append(...made); // after the tools, which stay open
  },
};
