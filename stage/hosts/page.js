// A single file as the stage's host: everything that can be asked is in it.

import { EMPTY } from "../browser/act/url_state.js";
import { isProjected } from "../browser/present/projector.js";
import { bytes, parts } from "../browser/run/run.js";
import { unexplained, unpacked } from "../browser/run/unpacked.js";
import { Stage } from "../browser/stage.js";

const told = JSON.parse(document.getElementById("told").textContent);

// What is explained, by document; unpacked while the first numbers are looked at.
const explained = (async () => {
  const packed = new Blob([bytes(told.explained)]).stream();
  return JSON.parse(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text());
})();

// What is told of one of the runs: most of it is that of the run that was made first.
const partOf = ({ runs }, id, part) => ({ ...runs[told.document.id][part], ...runs[id]?.[part] });

function explanation(all, run, id, cell) {
  const packed = partOf(all, id, "arrays")[parts(cell)[0]];
  return { ...(packed ? unpacked(run, all, packed, cell) : unexplained(run, cell)), cell };
}

// Where one looks stands in the address, where there is one that may be written.
function written(said) {
  const kept = new URLSearchParams(Object.entries(said).filter(([, value]) => value));
  try {
    history.replaceState(null, "", `#${kept}`);
  } catch {
    // A sandboxed frame has no address of its own.
  }
}

const host = {
  link: written,
  async report({ number, id, step, cell }) {
    const all = await explained, run = stage.runs.get(id), row = [step, ...stage.row].join(".");
    if (!run.whole) run.hearTexts(partOf(all, id, "numbers"));
    stage.hear({
      document: stage.run.document,
      alternatives: told.alternatives,
      mistaken: { of: id, all: all.runs[id]?.mistaken || [] },
      answer: {
        id, number, done: number, visit: "", lastMove: 1, view: told.view, compare: "", refused: "",
        untouched: told.untouched, home: told.home,
        explained: explanation(all, run, id, cell),
        table: { row, table: partOf(all, id, "tables")[row.slice(0, row.lastIndexOf("."))] || null },
      },
    });
  },
};

const asked = new URLSearchParams(location.hash.slice(1));
const config = { ...told.config, present: isProjected(asked) };
const stage = new Stage(document.getElementById("stage"), config, host);
stage.hear({
  document: told.document,
  alternatives: told.alternatives,
  answer: {
    id: told.document.id, number: 0, done: 0, visit: "", lastMove: 1, view: told.view, compare: "", refused: "",
    untouched: told.untouched, home: told.home,
  },
});
told.document.toggles.forEach(({ key, options }) => {
  if (options.some(([value]) => value === asked.get(key))) stage.toggle(key, asked.get(key));
});
const cover = asked.get("cover") ?? told.view.cover;
stage.covers.turnTo(cover === EMPTY.cover ? "" : cover);
stage.move(stage.settled({
  step: asked.get("step") || told.view.step, cell: asked.get("cell") || "", open: false,
  slices: Object.fromEntries(stage.run.sliced.map((letter) => [letter, (Number(asked.get("head")) || 1) - 1])),
}));
