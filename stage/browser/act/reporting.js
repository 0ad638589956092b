// What the stage and its host tell each other: documents and answers in, where one looks and what is to
// be done out. These are methods of the stage; stage.js takes them over.

import { afterFrame } from "../dom/waiting.js";
import { SETTLE } from "../draw/measures.js";
import { parts, Run } from "../run/run.js";
import { together } from "./gestures.js";

const PATIENCE = 700, AGAIN = 1500, IDLE = 250, MOST_RUNS = 40, MOST_LEADS = 40;

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Reporting = {
  // What the host tells. Its messages come in any order, and an older answer moves nothing back.
  /** @param {Record<string, any>} told */
  hear({ document, alternatives, differences, answer, mistaken }) {
    if (!document) return;
    this.keep(document);
    if (alternatives && alternatives !== this.alternatives && this.runs.has(alternatives.of)) this.keepAlternatives(alternatives);
    this.differences = differences;
    if (mistaken) this.answers.hear(mistaken, this.run);
    const news = answer && answer !== this.answered && answer.id === document.id;
    const anew = news && this.meets(answer);
    if (news && answer.number >= this.answered.number) this.take(answer, document);
    if (anew) this.report();
    if (this.run && this.at) this.draw();
  },

  // Whether the host has forgotten the visit before: what was reported in it, and what was to be
  // done. Its view is the address', which counts unless a person has done something since.
  meets({ visit, lastMove }) {
    const before = this.visit;
    this.visit = visit;
    if (before === undefined || before === visit) return false;
    this.answered = { number: 0, done: 0 };
    if (this.touched) this.lastMove = lastMove;
    else [this.lastMove, this.lastToggle] = [-1, 0];
    return true;
  },

  keep(document) {
    if (!this.runs.has(document.id)) this.runs.set(document.id, new Run(document));
    for (const id of this.runs.keys()) {
      if (this.runs.size <= MOST_RUNS) break;
      if (this.runs.get(id) !== this.run && id !== document.id) this.runs.delete(id);
    }
  },

  // Documents that say only what of another one differs. They lead on from those that led there.
  keepAlternatives(alternatives) {
    this.alternatives = alternatives;
    const { document: whole } = this.runs.get(alternatives.of);
    const told = alternatives.documents.map(({ names, arrays, rest }) => {
      const all = Object.fromEntries(names.map((name) => [name, arrays[name] || whole.arrays[name]]));
      return { ...whole, ...rest, arrays: all };
    });
    told.splice(MOST_LEADS - 1); // those that change the fewest toggles come first
    told.push(whole);
    const known = this.leads.some(({ id }) => id === whole.id) ? this.leads : [];
    const others = known.filter(({ id }) => told.every((lead) => lead.id !== id));
    this.leads = [...others, ...told].slice(-MOST_LEADS);
    this.ledFrom = new Set([...(known.length ? this.ledFrom : []), whole.id]);
  },

  // Whether each option of this run's toggles leads somewhere that has been told, or the host has
  // told all that it would.
  get isLed() {
    const { id, toggles, options } = this.run;
    if (!this.leads.some((lead) => lead.id === id)) return false;
    return this.ledFrom.has(id) || toggles.every(({ key, options: values }) => values.every(([value]) => (
      this.leads.some((lead) => Object.entries({ ...options, [key]: value }).every(([k, v]) => lead.options[k] === v))
    )));
  },

  take(answer, document) {
    this.answered = answer;
    this.untouched = answer.untouched;
    this.home = answer.home;
    this.number = Math.max(this.number, answer.number);
    this.edits = this.edits.filter(({ number }) => number > answer.done);
    if (!this.edits.length) this.root.querySelectorAll(".painted").forEach((cell) => cell.classList.remove("painted"));
    if (answer.table) this.tables.set(`${answer.id} ${answer.table.row}`, answer.table.table);
    if (answer.numbers) this.runs.get(answer.id)?.hearTiles(answer.numbers);
    if (answer.explained) this.explained.set(`${answer.id} ${answer.explained.cell}`, answer.explained);
    if (answer.number >= this.lastToggle) { // nothing was chosen here that it does not know of
      this.options = { ...document.options };
      this.compare = answer.compare;
      // Numbers that come of something else than the toggles have not been seen yet.
      const toggled = JSON.stringify(this.run?.options) !== JSON.stringify(document.options);
      if (this.run && this.run.id !== document.id && !toggled) this.covers.turnTo(this.covers.cover);
      if (this.show(this.runs.get(document.id))) this.report();
    }
    if (answer.lastMove > this.lastMove) {
      this.lastMove = answer.lastMove;
      this.at = this.settled(answer.view);
      if (this.covers.cover !== answer.view.cover || this.come !== answer.come) this.covers.turnTo(answer.view.cover);
      this.come = answer.come;
    }
    this.sentence.hear(answer);
    this.host.link?.(this.address());
  },

  // Says whether it went where its toggle leads.
  show(run) {
    const aim = this.run !== run && run.shapes[this.aim] ? this.aim : "";
    this.aim = "";
    if (this.run === run) return false;
    this.run = run;
    if (this.at) this.at = this.settled(this.at);
    if (aim) this.at = { ...this.at, step: aim, cell: this.placed(aim), open: false };
    this.askAlternatives();
    return !!aim;
  },

  // When nothing else is to be done: the runs that the toggles of this one lead to.
  askAlternatives() {
    const { id, toggles } = this.run;
    if (!toggles.length || this.isLed) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      // Where two stages report at one time, the whole page runs: they ask one after another.
      // One that nobody answers, as where its page has gone on, holds up no other.
      if ([...together].some(({ answered, number, late }) => answered.number < number && !late)) return this.askAlternatives();
      this.alternativesWanted = id;
      this.report();
    }, IDLE);
  },

  // Something to be done; returns its number.
  act(kind, value) {
    this.number += 1;
    this.edits.push({ number: this.number, kind, ...value });
    const { number } = this;
    this.report();
    return number;
  },

  // Asks the host for numbers of panes, and of the selected cell, that have not come yet.
  askNumbers() {
    const { run } = this, lacks = new Set(), [name, index] = parts(this.at.cell);
    const lack = (array, at) => { if (!run.textAt(array, at)) lacks.add(run.tileOf(array, at).id); };
    this.matrices.filter(({ view }) => view.whole).forEach(({ view }) => view.flat.forEach((at) => lack(view.name, at)));
    lack(name, run.flat(name, index));
    this.lacking = [...lacks];
    const unasked = this.lacking.filter((tile) => !run.asked.has(tile));
    unasked.forEach((tile) => run.asked.add(tile));
    if (unasked.length) this.report(SETTLE);
  },

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
  },

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
  },

  tell() {
    const { number, lastToggle, visit, lastMove, edits, at, run, covers: { cover }, alternativesWanted, lacking } = this;
    const options = { ...this.options, ...(this.compare && { compare: this.compare }) };
    this.host.report({ number, lastToggle, visit, lastMove, edits, id: run.id, ...at, options, cover, alternativesOf: alternativesWanted, numbers: lacking, link: this.link() });
  },

  // What is not answered is told again.
  tellAgain(wait) {
    this.patience = setTimeout(() => {
      if (this.answered.number >= this.number) return;
      this.number += 1;
      this.tell();
      this.tellAgain(2 * wait);
    }, wait);
  },
};
