// Windows of numbers: what of a matrix is seen at a time where there is no room for all of it. They have
// an edge, and their labels stay in sight. These are methods of the stage; stage.js takes them over.

import { APART } from "./arranging.js";
import { EDGES, sum } from "./measures.js";

// Rows that a window has at least; in a window of the browser that is low.
const ROWS_SEEN = 12, ROWS_SEEN_LOW = 2;
// What its scroll bar takes.
const SCROLLED = 14;

export const Windows = {
  // In a low window of the browser a way whose matrices show as many rows as there is room for, if any.
  // They have all their columns, beside scroll bars. What is worked out below them may be out of sight.
  lowered(wide, width) {
    const way = this.sized({ ...wide, lowered: true }, width - 2 * SCROLLED), lines = this.linesOf(way);
    const rowsIn = (room) => Math.floor((room - way.heads) / (way.least + way.gap)), [room] = this.rooms();
    const most = [rowsIn(room), rowsIn(room + this.worked)].find((rows) => rows >= ROWS_SEEN_LOW * lines.length);
    if (!most) return null;
    const needs = lines.map((line) => Math.max(...line.map(({ view }) => view.rows)));
    const made = (seen) => ({
      ...way, rows: sum(seen),
      windows: new Map(lines.flatMap((line, n) => line.map((matrix) => [matrix, { cols: matrix.view.cols, rows: seen[n] }]))),
    });
    // What is above a result is as high as the row at work beside it, if that finds its room so.
    const table = this.table(), first = Math.min(needs[0], most - ROWS_SEEN_LOW);
    const high = made([first, Math.min(needs.at(-1), most - first)]);
    const fits = table && this.large.left && lines.length === 2 && !this.panes.maps.length && this.hasRoom(table, high);
    return fits ? high : made(sharedOut(most, needs));
  },

  // A way whose matrices are windows: of each so many columns and rows are seen at a time. What stands
  // left of a result has its rows, what stands above has its columns.
  windowed(way, width) {
    const { row, above, left, results } = this.large, { labels, gap, cell, rows, heights } = way, pitch = cell + gap;
    const columns = (room) => Math.max(1, Math.floor(room / pitch));
    const alone = (matrix) => columns(width - labels.get(matrix) - EDGES);
    const windows = new Map(row.map((matrix) => [matrix, { cols: alone(matrix), rows: ROWS_SEEN }]));
    if (!left) return { ...way, windows };
    const result = results[this.product()], over = above[this.product()];
    const needs = (...matrices) => Math.max(...matrices.map((matrix) => Math.max(matrix.view.cols * pitch, this.captionAt(matrix, 2))));
    const room = width - labels.get(left) - labels.get(result) - APART - 2 * EDGES;
    const [before, cols] = way.stacked ? [left, result].map(alone) : shared(room, needs(left), needs(over, result)).map(columns);
    const [top, below] = shared(Math.max(ROWS_SEEN, Math.floor((rows * Math.max(0, heights[0] || 0)) / (way.least + gap))), over.view.rows, result.view.rows);
    above.forEach((matrix) => windows.set(matrix, { cols, rows: top }));
    results.forEach((matrix) => windows.set(matrix, { cols, rows: below }));
    return { ...way, windows: windows.set(left, { cols: before, rows: below }) };
  },

  // A matrix that does not fit whole is a window.
  putWindow(matrix, { windows, lowered, upright, cell, size }) {
    const { root, view } = matrix, seen = windows?.get(matrix);
    const cut = !!seen && (view.cols > seen.cols || view.rows > seen.rows);
    root.classList.toggle("window", cut);
    root.classList.toggle("lowered", cut && !!lowered);
    if (!cut) return;
    root.style.setProperty("--window-cols", Math.min(view.cols, seen.cols));
    root.style.setProperty("--window-rows", Math.min(view.rows, seen.rows));
    root.style.setProperty("--head", `${root.classList.contains("headless") ? 0 : this.labelsHigh([matrix], upright, cell, size)}px`);
  },

  // Windows on matrices that share rows or columns move together.
  moveTogether({ target }) {
    if (!this.large) return;
    const { row, above, left, results } = this.large, grid = (matrix) => matrix.grid;
    const aimed = row.find((matrix) => matrix.grid === target), along = (letter) => (
      row.filter(({ view }) => aimed && view[letter] === aimed.view[letter]).map(grid)
    );
    const rows = left ? [left, ...results].map(grid) : [], columns = above.map((matrix, n) => [matrix, results[n]].map(grid));
    const follow = (grids, way) => grids.includes(target) && grids.forEach((other) => { other[way] = target[way]; });
    follow(along("rowLetter"), "scrollTop");
    follow(along("colLetter"), "scrollLeft");
    follow(rows, "scrollTop");
    columns.forEach((grids) => follow(grids, "scrollLeft"));
  },

  // The window that gets the focus leads: what another of them has still to tell, of a scroll before, is
  // then of the same place.
  leadWindows(cell) {
    const grid = cell.closest(".window .grid");
    if (!grid) return;
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.moveTogether({ target: grid });
  },

  // Brings the selected cell into its window, and into every other the strongest number that makes it.
  seek() {
    const { row, above, left, results } = this.large, cut = (matrix) => matrix?.root.classList.contains("window");
    const levels = this.reachOf(this.at.cell);
    [...row, ...above, left, ...results].filter(cut).forEach((matrix) => {
      const { grid } = matrix, chosen = matrix.chosen || matrix.strongest(levels[matrix.view.name]);
      if (!chosen) return;
      const label = chosen.parentNode.querySelector(".label"), head = grid.firstChild;
      const [wide, high] = [label?.offsetWidth || 0, head.matches(":has(.label)") ? head.offsetHeight : 0];
      const [start, top] = [chosen.offsetLeft - grid.offsetLeft, chosen.offsetTop - grid.offsetTop];
      grid.scrollLeft = Math.min(start - wide - 4, Math.max(grid.scrollLeft, start + chosen.offsetWidth + 4 - grid.clientWidth));
      grid.scrollTop = Math.min(top - high - 4, Math.max(grid.scrollTop, top + chosen.offsetHeight + 4 - grid.clientHeight));
    });
  },
};

// How two share a room: evenly, but that neither gets more than it needs.
function shared(room, one, other) {
  const first = Math.min(one, Math.max(Math.floor(room / 2), room - other));
  return [Math.max(1, first), Math.max(1, Math.min(other, room - first))];
}

// How several share a room: evenly, but that none gets more than it needs.
export function sharedOut(room, needs) {
  const got = needs.map(() => 1);
  for (let left = room - needs.length; left > 0; left -= 1) {
    const least = needs.map((need, at) => (got[at] < need ? got[at] : Infinity));
    const at = least.indexOf(Math.min(...least));
    if (least[at] === Infinity) break;
    got[at] += 1;
  }
  return got;
}
