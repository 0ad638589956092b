// What a person worked out for a covered cell, and what is said of it.

import { parts } from "../run/run.js";
import { judged, RIGHT, WRONG } from "./answer_check.js";

export class Answers {
  constructor() {
    this.mistaken = new Map(); // what mistakes would make of a run, by document
    this.last = null; // { id, typed, right, said }: the last answer, while it is on show
  }

  // What mistakes would give may come after an answer.
  hear({ of, all }, run) {
    if (this.mistaken.has(of)) return;
    this.mistaken.set(of, all);
    if (this.last) this.last = this.judge(run, this.last.id, this.last.typed);
  }

  saidOf(cell) { return this.last?.id === cell ? this.last.said : ""; }

  // What a typed number is, and what is said of it.
  judge(run, id, typed) {
    const [name, index] = parts(id), at = run.flat(name, index), { doubted } = run;
    const wrong = (this.mistaken.get(run.id) || []).filter(({ arrays }) => arrays[name]);
    const others = wrong.map((mistake) => [mistake, mistake.arrays[name].split(" ")[at]]);
    const elsewhere = doubted ? [] : this.inLine(run, name, index);
    const number = typed.trim().slice(0, 20), verdict = judged(typed, run.textAt(name, at), [...others, ...elsewhere]);
    const right = verdict === RIGHT;
    const said = doubted && verdict ? TEXTS(right ? "agrees" : "differs", { number }) // the run itself may be wrong
      : right ? TEXTS("right", { number })
      : verdict === "" ? TEXTS("no_number", { number })
        : verdict === WRONG ? TEXTS("wrong", { number })
          : TEXTS("mistaken", { number, mistake: verdict.name, why: verdict.why });
    return { id, typed, right, said };
  }

  // The other cells of a cell's row, then of its column, as mistakes with their texts: the numbers
  // that a class types are named by the same rule (ui/classroom/questions/covered.py).
  inLine(run, name, index) {
    const { letters, shape } = run.arrays[name];
    return [1, 2].filter((from) => from <= shape.length).flatMap((from) => {
      const axis = shape.length - from, { word } = run.axes[letters[axis]];
      const mistake = { name: TEXTS("elsewhere", { word }), why: TEXTS(["elsewhere_row", "elsewhere_column"][from - 1]) };
      const places = [...Array(shape[axis]).keys()].filter((place) => place !== index[axis]);
      return places.map((place) => [mistake, run.textAt(name, run.flat(name, index.with(axis, place)))]);
    });
  }
}
