// What can be chosen of a program: groups of choices, of each of which one holds. On a phone what is chosen
// stands on one line, and the choices are behind it; on a quiet page each group is behind its value.

import { focusIn, pressable } from "../dom/buttons.js";
import { element } from "../dom/elements.js";
import { prose, write } from "../draw/prose.js";

const ALL = "stage-controls";

export const capital = (word) => `${word[0].toUpperCase()}${word.slice(1)}`;

// What is chosen of a row, as it is said.
const picked = ({ options, chosen }) => (options.find(([value]) => value === chosen) || [])[1] || "";

// Groups at one place, which stand as long as their words are the same. A row is { key, word, options, chosen,
// choose }; one with `fold` stands behind a button that says what holds, and is `open` or not.
export class Choices {
  constructor(root) {
    this.root = root;
    this.rows = []; // what is drawn
    this.words = ""; // and what is said in it
  }

  draw(rows, roles) {
    const had = focusIn(this.root)?.closest("[data-control]")?.dataset.control;
    const words = JSON.stringify(rows.map(({ key, word, options, fold }) => [key, word, options.map(([, text]) => text), !!fold]));
    this.rows = rows;
    if (this.words !== words) this.root.replaceChildren(...rows.map((row, number) => this.made(row, number)));
    this.words = words;
    const groups = this.root.querySelectorAll(".choices");
    rows.forEach((row, number) => {
      this.hold(groups[number], row);
      if (row.fold) this.holdFold(this.root.children[number], row, roles);
    });
    if (had) this.root.querySelector(`[data-control="${had}"] [aria-checked="true"]`)?.focus();
  }

  made({ key, word, options, fold }, number) {
    const group = element("div", "choices"), label = prose("span", "word", word);
    group.dataset.control = key;
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", word);
    label.setAttribute("aria-hidden", "true");
    const choose = (button) => this.rows[number].choose(button.dataset.value);
    const buttons = options.map(([, text]) => pressable("choice", text, ({ currentTarget }) => choose(currentTarget)));
    buttons.forEach((button) => button.setAttribute("role", "radio"));
    group.append(label, ...buttons);
    group.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      choose(buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length]);
    });
    if (!fold) return group;
    const whole = element("div", "folded");
    whole.append(pressable("fold", undefined, () => {
      this.rows[number].fold(!this.rows[number].open);
      whole.querySelector('.choices:not([hidden]) [aria-checked="true"]')?.focus();
    }), group);
    return whole;
  }

  // What a group's options stand for now, and the one that holds, which is reached by Tab; the first is
  // where none holds.
  hold(group, { options, chosen }) {
    const now = options.findIndex(([value]) => value === chosen);
    group.querySelectorAll(".choice").forEach((button, number) => {
      button.dataset.value = options[number][0];
      button.setAttribute("aria-checked", String(number === now));
      button.tabIndex = number === Math.max(now, 0) ? 0 : -1;
    });
  }

  holdFold({ children: [button, group] }, row, roles) {
    const { word, short = word, open } = row;
    const said = prose("span", "word", open ? word : short, roles).childNodes;
    button.replaceChildren(...said, " ", element("span", "picked", picked(row)));
    button.setAttribute("aria-expanded", String(open));
    group.hidden = !open;
  }
}

export class Toolbar {
  // `acts` does what is chosen: `toggle(key, value)`, `slice(letter, place)`, and `draw()` where a person
  // opened or folded a choice.
  constructor(acts) {
    this.acts = acts;
    this.root = element("details", "toolbar");
    this.root.open = true;
    this.line = element("summary"); // what is chosen
    const groups = element("div", "groups");
    this.root.append(this.line, groups);
    this.choices = new Choices(groups);
    this.opened = new Map([...new URLSearchParams(location.search).keys()].map((key) => [key, true])); // whose choices are in sight
  }

  // `options` are what is chosen of the run's toggles, `places` what is on show of its axes. With `folds` a
  // group is open where the step, of these arrays, is about it, where a link sets it, or where somebody
  // opened it.
  draw({ run, options, places, folds, names }) {
    const rows = [...this.togglesOf(run, options), ...this.slicesOf(run, places)];
    const folded = folds && !this.allOpen ? rows.map((row) => this.folded(row, names)) : rows;
    this.choices.draw(folded, run.roles);
    this.root.hidden = !rows.length;
    write(this.line, rows.map((row) => `${row.word} ${picked(row)}`).join(" · "), run.roles);
  }

  togglesOf(run, chosenOf) {
    const open = run.toggles.filter(({ options }) => options.length > 1); // one option is no choice
    return open.map(({ key, word, options, about }) => {
      const chosen = chosenOf[key], typed = options.some(([value]) => value === chosen) ? [] : [[chosen, chosen]];
      return { key, word, chosen, about, options: [...options, ...typed], choose: (value) => this.acts.toggle(key, value) };
    });
  }

  slicesOf(run, places) {
    return run.sliced.filter((letter) => run.axes[letter].size > 1).map((letter) => {
      const { word, size } = run.axes[letter];
      const said = (n) => [n + 1, run.called(letter, n)].filter(Boolean).join(": ");
      return {
        key: word, word: TEXTS("show", { word }), short: capital(word), chosen: String(places[letter] + 1),
        options: Array.from({ length: size }, (_, n) => [String(n + 1), said(n)]),
        choose: (value) => this.acts.slice(letter, value - 1),
      };
    });
  }

  folded(row, names) {
    const fold = (opens) => {
      this.opened.set(row.key, opens);
      this.acts.draw();
    };
    return Object.assign(row, { fold, open: this.opened.get(row.key) ?? names.includes(row.about) });
  }

  get allOpen() {
    try {
      return localStorage.getItem(ALL) === "open";
    } catch { // where storage is refused
      return !!this.opened.get(ALL);
    }
  }

  openAll(open) {
    this.opened = new Map([[ALL, open]]);
    try {
      localStorage.setItem(ALL, open ? "open" : "");
    } catch { /* then for this page alone */ }
    this.acts.draw();
  }
}
