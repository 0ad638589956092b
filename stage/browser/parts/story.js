// What to notice in a run. Where something is said of each row of the weights, that of the row which the
// ribbon shows, in words of the steps so far, stands beside what is read.

import { element } from "../dom/elements.js";
import { partNodes } from "../draw/prose.js";

export class Story {
  // It stands in `ribbon`, or else below `words`, or on a phone below `body`.
  constructor(ribbon, words, body) {
    this.ribbon = ribbon;
    this.words = words;
    this.body = body;
    this.root = element("div", "story");
    this.remark = element("div", "remark"); // what else it says, on a phone: below the numbers
    this.tells = false; // its numbers would give away what is covered
  }

  // `row` is the number of the ribbon's row, null where there is no ribbon.
  draw({ story: [title, said, meanings, taught], roles }, { tells, row, narrow, isReached }) {
    this.tells = tells;
    const known = Object.keys(taught).filter(isReached).map((array) => taught[array]);
    const told = row === null ? [] : [meanings, known.at(-1) || []].map((rows) => rows[row]).filter((parts) => parts?.some(Boolean));
    const first = [...(title ? [element("strong", "", title), " "] : []), ...told.flatMap((parts) => [...partNodes(parts, roles), " "])];
    const isApart = narrow && told.length > 0, rest = this.tells ? partNodes(said, roles) : [];
    this.root.replaceChildren(...(this.tells ? first : []), ...(isApart ? [] : rest));
    this.remark.replaceChildren(...(isApart ? rest : []));
    const after = narrow ? this.body : this.words;
    if (row !== null && (!narrow || isApart)) {
      if (this.root.parentNode !== this.ribbon) this.ribbon.append(this.root);
    } else if (after.nextSibling !== this.root) after.after(this.root);
  }
}
