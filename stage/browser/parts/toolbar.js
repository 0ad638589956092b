// A group of choices on the toolbar, one of which holds: arrow keys move among them. With `fold` a button
// before it says what holds, and opens it.

import { element } from "../dom/elements.js";
import { prose, write } from "../draw/prose.js";

const ALL = "stage-controls";

export const capital = (word) => `${word[0].toUpperCase()}${word.slice(1)}`;

function choices({ key, word, options, choose, fold }) {
  const group = element("div", "choices");
  group.dataset.control = key;
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", word);
  const label = prose("span", "word", word);
  label.setAttribute("aria-hidden", "true");
  group.append(label);
  const buttons = options.map(([, text]) => {
    const button = element("button", "choice", text);
    button.type = "button";
    button.setAttribute("role", "radio");
    button.onclick = () => choose(button.dataset.value);
    return button;
  });
  group.append(...buttons);
  group.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const next = buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length];
    choose(next.dataset.value);
  });
  if (!fold) return group;
  const whole = element("div", "folded"), button = element("button", "fold");
  button.type = "button";
  button.onclick = () => {
    fold(button.getAttribute("aria-expanded") !== "true");
    whole.querySelector('.choices:not([hidden]) [aria-checked="true"]')?.focus();
  };
  whole.append(button, group);
  return whole;
}

// What a folded group says of itself, and whether it is open.
function holdFold(whole, { word, short = word, options, chosen, open }, roles) {
  const [button, group] = whole.children, value = (options.find(([option]) => option === chosen) || [])[1] || "";
  button.replaceChildren(...prose("span", "word", open ? word : short, roles).childNodes, " ", element("span", "picked", value));
  button.setAttribute("aria-expanded", String(open));
  group.hidden = !open;
}

// What a group's options stand for now, and the one that holds, which is reached by Tab; the first is
// where none holds.
function hold(group, { options, chosen }) {
  const buttons = [...group.querySelectorAll(".choice")];
  const now = options.findIndex(([value]) => value === chosen);
  buttons.forEach((button, number) => {
    button.dataset.value = options[number][0];
    button.setAttribute("aria-checked", String(number === now));
    button.tabIndex = number === Math.max(now, 0) ? 0 : -1;
  });
}

// What can be chosen of a program, and the way back. These are methods of the stage; stage.js takes
// them over.
export const Toggling = {
  // Groups of choices at their place, which stand as long as their words are the same.
  drawChoices(place, part, rows) {
    const had = place.contains(this.active()) && this.active().closest("[data-control]")?.dataset.control;
    const words = rows.map(({ key, word, options }) => [key, word, options.map(([, text]) => text)]);
    this.anew(part, [words, this.run.sliced, rows.some(({ fold }) => fold)], () => place.replaceChildren(...rows.map(choices)));
    const groups = place.querySelectorAll(".choices");
    rows.forEach((row, number) => {
      hold(groups[number], row);
      if (row.fold) holdFold(place.children[number], row, this.run.roles);
    });
    if (had) place.querySelector(`[data-control="${had}"] [aria-checked="true"]`)?.focus();
  },

  // What this program is about. On a phone what is chosen stands on one line, and the choices are
  // behind it.
  drawToolbar() {
    const [summary, inner] = this.toolbar.children, rows = this.folded(this.toggles());
    this.drawChoices(inner, "toolbar", rows);
    this.toolbar.hidden = !rows.length;
    const text = ({ options, chosen }) => (options.find(([value]) => value === chosen) || [])[1] || "";
    write(summary, rows.map((row) => `${row.word} ${text(row)}`).join(" · "), this.run.roles);
  },

  // Whether what is chosen stands on a line, each choice behind a press.
  folds() { return !!this.config.quiet && !this.narrow && !this.presenting && !this.sheet; },

  allOpen() {
    try {
      return localStorage.getItem(ALL) === "open";
    } catch { // where storage is refused
      return !!this.opened.get(ALL);
    }
  },

  openAll(open) {
    this.opened = new Map([[ALL, open]]);
    try {
      localStorage.setItem(ALL, open ? "open" : "");
    } catch { /* then for this page alone */ }
    this.draw();
  },

  // Toggles that are open where the step is about them, where a link sets them, or where somebody opened
  // them.
  folded(rows) {
    if (!this.folds() || this.allOpen()) return rows;
    const { names } = this.stops[this.stop];
    return rows.map((row) => {
      const open = this.opened.get(row.key) ?? names.includes(row.about);
      const fold = (opens) => {
        this.opened.set(row.key, opens);
        this.draw();
      };
      return { ...row, open, fold };
    });
  },

  // What can be chosen of a program: key, word, options, what is chosen, and what a choice does.
  toggles() {
    const { run } = this;
    const open = run.toggles.filter(({ options }) => options.length > 1); // one option is no choice
    const rows = open.map(({ key, word, options, about }) => {
      const chosen = this.options[key];
      const typed = options.some(([value]) => value === chosen) ? [] : [[chosen, chosen]];
      return { key, word, chosen, about, options: [...options, ...typed], choose: (value) => this.toggle(key, value) };
    });
    run.sliced.filter((letter) => run.axes[letter].size > 1).forEach((letter) => {
      const { word, size } = run.axes[letter];
      const said = (n) => [n + 1, run.called(letter, n)].filter(Boolean).join(": ");
      const options = Array.from({ length: size }, (_, n) => [String(n + 1), said(n)]);
      rows.push({
        key: word, word: TEXTS("show", { word }), short: capital(word), options, chosen: String(this.places[letter] + 1),
        choose: (value) => this.slice(letter, value - 1),
      });
    });
    return rows;
  },

  // The way back to the toggles of an untouched page, where one is not as there.
  reset() {
    const changed = this.changed();
    if (!Object.keys(changed).length) return [];
    const button = this.button("reset", TEXTS("reset"), () => this.setOptions(changed));
    const words = Object.entries(changed).map(([key, value]) => {
      const { word, options } = this.run.toggles.find((toggle) => toggle.key === key);
      return `${word} ${(options.find(([option]) => option === value) || [value, value])[1]}`;
    });
    button.setAttribute("aria-label", TEXTS("reset_to", { changes: words.join(", ") }));
    return [" ", button];
  },

  // A toggle: its run is shown at once where it was told ahead, else when it comes.
  toggle(key, value) {
    if (key === "compare") this.compare = value;
    this.setOptions(key === "compare" ? {} : { [key]: value });
  },

  // The toggles that are not as on an untouched page, and what they are there.
  changed() {
    const open = this.run.toggles.filter(({ options }) => options.length > 1);
    return Object.fromEntries(open.flatMap(({ key }) => {
      const untouched = this.untouched[key];
      return untouched === undefined || this.options[key] === untouched ? [] : [[key, untouched]];
    }));
  },

  setOptions(chosen) {
    this.options = { ...this.options, ...chosen };
    const [[key, value]] = [...Object.entries(chosen), []];
    this.aim = this.run.toggles.find((toggle) => toggle.key === key)?.shows[value] || "";
    this.pause();
    this.lastToggle = this.number + 1;
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
  },
};
