// Quiet ticks for what was read and answered. They are kept in this browser only; where it refuses to
// keep anything there are none.

const KEPT = "attention-path";
export const drawn = new Set();

export function ticks() {
  const empty = { read: [], answered: {} };
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT));
    const names = (list) => (Array.isArray(list) ? list.filter((x) => typeof x === "string") : []);
    return {
      read: names(kept.read),
      answered: Object.fromEntries(
        Object.entries(kept.answered).map(([page, list]) => [page, names(list)]),
      ),
    };
  } catch {
    return empty;
  }
}

/** Keep what `change` makes of the ticks, and show it. */
function tick(change) {
  const now = ticks();
  if (!change(now)) return;
  try {
    localStorage.setItem(KEPT, JSON.stringify(now));
  } catch {
    return;
  }
  drawn.forEach((header) => header.show());
}

export const read = (page) => tick(({ read: pages }) => !pages.includes(page) && pages.push(page));

export const answered = (page, question) => tick(({ answered: pages }) => {
  pages[page] ??= [];
  return !pages[page].includes(question) && pages[page].push(question);
});

export function clearTicks() {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    return;
  }
  drawn.forEach((header) => header.show());
}
