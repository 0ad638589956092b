// The row at work: a table of what makes the row where one looks.

import { element, minus } from "../dom/elements.js";
import { LOOKS } from "../draw/matrices.js";
import { writeParts } from "../draw/prose.js";
import { parts, percent } from "../run/run.js";

export class Workings {
  constructor() {
    this.root = element("div", "workings");
    this.sizes = new ResizeObserver(() => { // what scrolls is reached by keys
      if (this.root.scrollWidth > this.root.clientWidth) this.root.tabIndex = 0;
      else this.root.removeAttribute("tabindex");
    });
  }

  close() {
    this.sizes.disconnect();
  }

  // Where a cover keeps it back, its room is kept in the full window alone: what is lifted there moves no cell.
  draw(run, told, withheld, keepsRoom) {
    this.root.replaceChildren();
    this.root.classList.toggle("withheld", withheld);
    if (!told || (withheld && !keepsRoom)) return;
    const shown = (text) => (withheld ? text.replace(/\S/g, "0") : text);
    const table = element("table"), caption = element("caption"), head = element("tr");
    const drawsRows = told.rows.some(({ share }) => share);
    writeParts(caption, told.title.map(shown), run.roles);
    head.append(element("td"), ...(drawsRows ? [element("td", "strip-of")] : []), ...told.columns.map((label) => heading(label, "col")));
    table.append(caption, head);
    let before = 0; // where a row begins: where the one above it ends
    told.rows.forEach(({ label, cells, total, share, of }) => {
      const line = element("tr", total ? "total" : ""), looks = of && !withheld ? looksOf(run, of) : [];
      line.append(heading(shown(label), "row"));
      if (drawsRows) line.append(stripOf(share, total ? 0 : before, looks));
      before += percent(share);
      cells.forEach((text, at) => {
        line.append(element("td", LOOKS[text] || (!drawsRows && looks[at]) || "", shown(minus(text))));
      });
      table.append(line);
    });
    this.root.append(table);
    this.sizes.disconnect();
    this.sizes.observe(table);
  }
}

function heading(label, scope) {
  const made = element("th");
  made.scope = scope;
  made.append(element("bdi", "", label));
  return made;
}

// The looks of a row of an array, by its first cell.
function looksOf(run, id) {
  const [name, index] = parts(id), { levels, palette, shape } = run.arrays[name], first = run.flat(name, index);
  return Array.from(levels.subarray(first, first + shape.at(-1)), (level) => LOOKS[level] || palette + level);
}

// A row of an array as its colours, from a place on and as wide as its share.
function stripOf(share, start, looks) {
  const made = element("td", "strip-of"), bar = element("span", "bar");
  bar.style.cssText = `margin-left: ${start}%; width: ${Math.min(percent(share), 100 - start)}%`;
  bar.append(...looks.map((look) => element("span", look)));
  made.setAttribute("aria-hidden", "true");
  made.append(bar);
  return made;
}
