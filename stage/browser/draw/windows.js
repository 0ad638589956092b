// Windows of numbers: what of a matrix is seen at a time where there is no room for all of it. They have
// an edge, and their labels stay in sight. `large` are the matrices of a step, by their places.

// Makes a matrix that does not fit whole a window: so much of it is `seen`, below a `head` of labels.
export function cutToWindow({ root, view }, seen, lowered, head) {
  const cut = !!seen && (view.cols > seen.cols || view.rows > seen.rows);
  root.classList.toggle("window", cut);
  root.classList.toggle("lowered", cut && lowered);
  if (!cut) return;
  root.style.setProperty("--window-cols", Math.min(view.cols, seen.cols));
  root.style.setProperty("--window-rows", Math.min(view.rows, seen.rows));
  root.style.setProperty("--head", `${root.classList.contains("headless") ? 0 : head()}px`);
}

// Windows on matrices that share rows or columns move together with the one of a grid.
export function moveTogether({ row, above, left, results }, target) {
  const grid = (matrix) => matrix.grid, aimed = row.find((matrix) => matrix.grid === target);
  const along = (letter) => row.filter(({ view }) => aimed && view[letter] === aimed.view[letter]).map(grid);
  const rows = left ? [left, ...results].map(grid) : [], columns = above.map((matrix, n) => [matrix, results[n]].map(grid));
  const follow = (grids, way) => grids.includes(target) && grids.forEach((other) => { other[way] = target[way]; });
  follow(along("rowLetter"), "scrollTop");
  follow(along("colLetter"), "scrollLeft");
  follow(rows, "scrollTop");
  columns.forEach((grids) => follow(grids, "scrollLeft"));
}

// The window that gets the focus leads: what another of them has still to tell, of a scroll before, is
// then of the same place.
export function leadWindow(large, cell) {
  const grid = cell.closest(".window .grid");
  if (!grid) return;
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  moveTogether(large, grid);
}

// Brings the selected cell into its window, and into every other the strongest number that makes it.
export function seekInWindows(matrices, levels) {
  matrices.filter(({ root }) => root.classList.contains("window")).forEach((matrix) => {
    const { grid } = matrix, chosen = matrix.chosen || matrix.strongest(levels[matrix.view.name]);
    if (!chosen) return;
    const label = chosen.parentNode.querySelector(".label"), head = grid.firstChild;
    const [wide, high] = [label?.offsetWidth || 0, head.matches(":has(.label)") ? head.offsetHeight : 0];
    const [start, top] = [chosen.offsetLeft - grid.offsetLeft, chosen.offsetTop - grid.offsetTop];
    grid.scrollLeft = Math.min(start - wide - 4, Math.max(grid.scrollLeft, start + chosen.offsetWidth + 4 - grid.clientWidth));
    grid.scrollTop = Math.min(top - high - 4, Math.max(grid.scrollTop, top + chosen.offsetHeight + 4 - grid.clientHeight));
  });
}

// How two share a room: evenly, but that neither gets more than it needs.
export function shared(room, one, other) {
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
